import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.NullNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.runtime.connector.sink.SinkRuntimeProviderContext;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Rows to records and records to rows, by the serialization schemas of the sink and the source of a table. */
final class Codec {
    private static final ClassLoader LOADER = new FactoryLoader(Codec.class.getClassLoader());

    private Codec() {}

    // ---------------------------------------------------------------------------------------------- rows to records

    static ObjectNode encode(JsonNode given) throws Exception {
        Registry.load(given.get("registry"), given.get("registry_after"));
        ObjectNode registryBefore = Registry.contents();
        ObjectNode answer = Oracle.begin(given, "id", "table", "options", "rows");
        ArrayNode records = Json.array();
        KafkaRecordSerializationSchema<RowData> serializer = null;
        Tables table = null;
        List<Tables.Metadata> order = new ArrayList<>();
        ObjectNode error = null;
        try {
            table = new Tables(given.get("table"), given.get("options"));
            serializer = serializer(table, order);
        } catch (Throwable e) {
            error = failure("row", -1, e, isAvro(given));
        }
        if (serializer != null && isAvro(given)) answer.set("avro_schema", avroSchemas(serializer, "Serialization"));
        for (int i = 0; serializer != null && error == null && i < given.get("rows").size(); i++) {
            GenericRowData row = row(given.get("rows").get(i), table, order);
            try {
                ProducerRecord<byte[], byte[]> record = serializer.serialize(row, new OnePartition(), null);
                records.add(record == null ? NullNode.instance : record(record, table));
            } catch (Throwable e) {
                error = failed(records, given, failure("row", i, e, isAvro(given)));
            }
        }
        answer.set("records", records);
        answer.set("avro_schema", answer.remove("avro_schema")); // after the records
        if (answer.get("avro_schema").isNull()) answer.remove("avro_schema");
        if (error != null) answer.set("error", error);
        if (given.has("registry")) {
            answer.set("schema_ids", schemaIds(records));
            answer.set("registry", registryBefore);
            answer.set("registry_after", Registry.contents());
            answer.set("requests", Registry.requests());
        }
        return answer;
    }

    private static KafkaRecordSerializationSchema<RowData> serializer(Tables table, List<Tables.Metadata> order)
            throws Exception {
        DynamicTableSink sink = FactoryUtil.createDynamicTableSink(
                null, Tables.NAME, table.resolve(), Map.of(), new Configuration(), LOADER, false);
        if (!table.writable().isEmpty()) {
            SupportsWritingMetadata writer = (SupportsWritingMetadata) sink;
            Map<String, DataType> types = chosen("writable", writer.listWritableMetadata(), table.writable(), order);
            writer.applyWritableMetadata(new ArrayList<>(types.keySet()), table.withMetadata(types));
        }
        DynamicTableSink.SinkRuntimeProvider provider =
                sink.getSinkRuntimeProvider(new SinkRuntimeProviderContext(false));
        Object kafkaSink = ((SinkV2Provider) provider).createSink();
        @SuppressWarnings("unchecked")
        KafkaRecordSerializationSchema<RowData> serializer =
                (KafkaRecordSerializationSchema<RowData>) Reflect.field(kafkaSink, "recordSerializer");
        serializer.open(new Opening(), new OnePartition());
        return serializer;
    }

    /** The table's metadata columns in the order in which the connector lists them, which is that of the row. */
    private static Map<String, DataType> chosen(
            String ability, Map<String, DataType> listed, List<Tables.Metadata> wanted, List<Tables.Metadata> order) {
        for (Tables.Metadata column : wanted) {
            if (!listed.containsKey(column.key())) {
                throw new ValidationException("metadata key " + column.key() + " is not " + ability + "; " + ability
                        + ": " + listed.keySet());
            }
        }
        Map<String, DataType> types = new LinkedHashMap<>();
        listed.forEach((key, type) -> {
            for (Tables.Metadata column : wanted) {
                if (!column.key().equals(key)) continue;
                types.put(key, type);
                order.add(column);
            }
        });
        return types;
    }

    private static GenericRowData row(JsonNode json, Tables table, List<Tables.Metadata> order) {
        int columns = table.names.size();
        List<Tables.Metadata> writable = table.writable();
        JsonNode values = json.get(1);
        GenericRowData row = new GenericRowData(kind(json.get(0).textValue()), columns + writable.size());
        for (int i = 0; i < columns; i++) row.setField(i, Values.read(table.types.get(i), values.get(i)));
        for (int i = 0; i < writable.size(); i++) {
            Object value = Values.read(writable.get(i).type(), values.get(columns + i));
            row.setField(columns + order.indexOf(writable.get(i)), value);
        }
        return row;
    }

    static RowKind kind(String text) {
        for (RowKind kind : RowKind.values()) if (kind.shortString().equals(text)) return kind;
        throw new IllegalArgumentException(text);
    }

    private static JsonNode record(ProducerRecord<byte[], byte[]> record, Tables table) {
        ObjectNode node = Json.object();
        node.set("key", Json.bytes(record.key()));
        node.set("value", Json.bytes(record.value()));
        boolean writesHeaders = table.writable().stream().anyMatch(column -> column.key().startsWith("header"));
        Header[] headers = record.headers().toArray();
        if (writesHeaders || headers.length > 0) {
            ArrayNode array = node.putArray("headers");
            for (Header header : headers) array.addArray().add(header.key()).add(Json.bytes(header.value()));
        }
        if (record.timestamp() != null) node.put("timestamp", record.timestamp());
        if (record.partition() != null) node.put("partition", record.partition());
        if (!record.topic().equals(table.options.get("topic"))) node.put("topic", record.topic());
        return node;
    }

    // ---------------------------------------------------------------------------------------------- records to rows

    static ObjectNode decode(JsonNode given) throws Exception {
        Registry.load(given.get("registry"), null);
        ObjectNode registryBefore = Registry.contents();
        ObjectNode answer = Oracle.begin(given, "id", "table", "options", "records");
        Values.showsRawTimes = isAvro(given);
        ArrayNode rows = Json.array();
        KafkaRecordDeserializationSchema<RowData> deserializer = null;
        Tables table = null;
        List<Tables.Metadata> order = new ArrayList<>();
        ObjectNode error = null;
        try {
            table = new Tables(given.get("table"), given.get("options"));
            deserializer = deserializer(table, order);
        } catch (Throwable e) {
            error = failure("record", -1, e, isAvro(given));
        }
        answer.set("rows", rows);
        if (deserializer != null && isAvro(given)) {
            answer.set("avro_schema", avroSchemas(deserializer, "Deserialization"));
        }
        for (int i = 0; deserializer != null && error == null && i < given.get("records").size(); i++) {
            Rows collected = new Rows(table, order);
            try {
                if (goesOn(given)) forgetOthers(deserializer);
                deserializer.deserialize(consumed(given.get("records").get(i), i), collected);
                rows.add(collected.rows);
            } catch (Throwable e) {
                ObjectNode failure = failure("record", i, e, isAvro(given));
                if (collected.rows.size() > 0) failure.set("rows_before_error", collected.rows);
                error = failed(rows, given, failure);
            }
            if (collected.failed != null) throw new IllegalStateException("a row has no JSON form", collected.failed);
        }
        if (error != null) answer.set("error", error);
        if (given.has("registry")) {
            answer.set("schema_ids", schemaIds((ArrayNode) given.get("records")));
            answer.set("registry", registryBefore);
            answer.set("requests", Registry.requests());
        }
        return answer;
    }

    private static KafkaRecordDeserializationSchema<RowData> deserializer(Tables table, List<Tables.Metadata> order)
            throws Exception {
        DynamicTableSource source = FactoryUtil.createDynamicTableSource(
                null, Tables.NAME, table.resolve(), Map.of(), new Configuration(), LOADER, false);
        if (!table.metadata.isEmpty()) {
            SupportsReadingMetadata reader = (SupportsReadingMetadata) source;
            Map<String, DataType> types = chosen("readable", reader.listReadableMetadata(), table.metadata, order);
            reader.applyReadableMetadata(new ArrayList<>(types.keySet()), table.withMetadata(types));
        }
        Object provider = ((ScanTableSource) source).getScanRuntimeProvider(ScanRuntimeProviderContext.INSTANCE);
        Object kafkaSource = Reflect.field(provider, "val$kafkaSource");
        @SuppressWarnings("unchecked")
        KafkaRecordDeserializationSchema<RowData> deserializer =
                (KafkaRecordDeserializationSchema<RowData>) Reflect.field(kafkaSource, "deserializationSchema");
        deserializer.open(new Opening());
        return deserializer;
    }

    private static ConsumerRecord<byte[], byte[]> consumed(JsonNode json, int index) throws Exception {
        byte[] key = Json.bytes(json.get("key")), value = Json.bytes(json.get("value"));
        RecordHeaders headers = new RecordHeaders();
        for (JsonNode header : Json.list(json.get("headers"))) {
            headers.add(header.get(0).textValue(), Json.bytes(header.get(1)));
        }
        TimestampType type = TimestampType.CREATE_TIME;
        for (TimestampType each : TimestampType.values()) {
            if (each.toString().equals(Json.text(json.get("timestamp_type")))) type = each;
        }
        List<Object> arguments = new ArrayList<>(Arrays.asList(
                json.has("topic") ? json.get("topic").textValue() : "t",
                json.has("partition") ? json.get("partition").intValue() : 0,
                json.has("offset") ? json.get("offset").longValue() : index,
                json.has("timestamp") ? json.get("timestamp").longValue() : 0L,
                type,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                headers,
                json.has("leader_epoch") ? Optional.of(json.get("leader_epoch").intValue()) : Optional.empty()));
        return consumerRecord(arguments);
    }

    /** Clients before 3.0 have that constructor with a checksum alone, those before 4.0 also others of as many. */
    @SuppressWarnings("unchecked")
    private static ConsumerRecord<byte[], byte[]> consumerRecord(List<Object> arguments) throws Exception {
        Constructor<?> withChecksum = null;
        for (Constructor<?> constructor : ConsumerRecord.class.getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length < 11 || types[types.length - 1] != Optional.class) continue;
            if (types.length == 11) return (ConsumerRecord<byte[], byte[]>) constructor.newInstance(arguments.toArray());
            if (types[5] == Long.class) withChecksum = constructor;
        }
        arguments.add(5, null);
        return (ConsumerRecord<byte[], byte[]>) withChecksum.newInstance(arguments.toArray());
    }

    /** Reads each row at once: a deserializer may use it again. */
    private static final class Rows implements Collector<RowData> {
        final ArrayNode rows = Json.array();
        Throwable failed; // thrown here it would be taken for a parse error, and maybe ignored
        private final Tables table;
        private final List<Tables.Metadata> order;

        Rows(Tables table, List<Tables.Metadata> order) {
            this.table = table;
            this.order = order;
        }

        @Override
        public void collect(RowData row) {
            if (row == null) {
                rows.addNull();
                return;
            }
            ArrayNode values = rows.addArray().add(row.getRowKind().shortString()).addArray();
            try {
                int columns = table.names.size();
                for (int i = 0; i < columns; i++) values.add(Values.field(table.types.get(i), row, i));
                for (Tables.Metadata column : table.metadata) {
                    values.add(Values.field(column.type(), row, columns + order.indexOf(column)));
                }
            } catch (Throwable e) {
                failed = e;
            }
        }

        @Override
        public void close() {}
    }

    // ---------------------------------------------------------------------------------------------------------- both

    /** Whether a row or record that fails does so alone: its error then stands among the results. */
    private static boolean goesOn(JsonNode given) {
        return given.has("goes_on") && given.get("goes_on").booleanValue();
    }

    /** The error that ends the case, or none where the case goes on. */
    private static ObjectNode failed(ArrayNode results, JsonNode given, ObjectNode error) {
        if (!goesOn(given)) return error;
        results.addObject().set("error", error);
        return null;
    }

    /**
     * Makes it read the next record as its first. Flink takes what an Avro record leaves unread for the head of the next,
     * and keeps the rows of a key whose value has failed.
     */
    private static void forgetOthers(Object deserializer) throws Exception {
        Object codec = unwrapped(deserializer);
        ((List<?>) Reflect.field(Reflect.field(codec, "keyCollector"), "buffer")).clear();
        for (String part : List.of("keyDeserialization", "valueDeserialization")) {
            Object format = avroFormat(Reflect.field(codec, part));
            if (format == null || !format.getClass().getSimpleName().startsWith("Avro")) continue;
            Reflect.set(Reflect.field(format, "nestedSchema"), "datumReader", null);
        }
    }

    /** What releases before 2.0 wrap. */
    private static Object unwrapped(Object codec) throws Exception {
        try {
            return Reflect.field(codec, "kafkaDeserializationSchema");
        } catch (NoSuchFieldException e) {
            return codec;
        }
    }

    private static ObjectNode failure(String of, int index, Throwable thrown, boolean withChain) {
        ObjectNode node = Json.object();
        node.put(of, index);
        node.setAll(Json.error(thrown, withChain));
        if (index < 0) node.remove("outer");
        return node;
    }

    private static boolean isAvro(JsonNode given) {
        for (String option : List.of("format", "key.format", "value.format")) {
            String format = Json.text(given.get("options").get(option));
            if (format != null && format.contains("avro")) return true;
        }
        return false;
    }

    /** The schemas that Flink works with. */
    private static ObjectNode avroSchemas(Object codec, String what) throws Exception {
        ObjectNode node = Json.object();
        codec = unwrapped(codec);
        node.set("key", avroSchema(Reflect.field(codec, "key" + what)));
        node.set("value", avroSchema(Reflect.field(codec, "value" + what)));
        return node;
    }

    private static JsonNode avroSchema(Object format) throws Exception {
        if (format == null) return NullNode.instance;
        try {
            Object nested = Reflect.field(avroFormat(format), "nestedSchema");
            String member = nested instanceof SerializationSchema ? "schema" : "reader";
            return Json.read(Reflect.field(nested, member).toString());
        } catch (NoSuchFieldException e) {
            return NullNode.instance; // another format
        }
    }

    /** That of avro-confluent, also inside of debezium-avro-confluent; any other format itself. */
    private static Object avroFormat(Object format) throws Exception {
        String name = format == null ? "" : format.getClass().getSimpleName();
        if (name.equals("DebeziumAvroSerializationSchema")) return Reflect.field(format, "avroSerializer");
        if (name.equals("DebeziumAvroDeserializationSchema")) return Reflect.field(format, "avroDeserializer");
        return format;
    }

    /** The id in the first key and value that have one. */
    private static ObjectNode schemaIds(ArrayNode records) {
        ObjectNode node = Json.object();
        for (String part : List.of("key", "value")) {
            node.putNull(part);
            for (JsonNode record : records) {
                byte[] bytes = record.isNull() ? null : Json.bytes(record.get(part));
                if (bytes == null || bytes.length < 5 || bytes[0] != 0) continue;
                node.put(part, java.nio.ByteBuffer.wrap(bytes, 1, 4).getInt());
                break;
            }
        }
        return node;
    }

    private static final class Opening
            implements SerializationSchema.InitializationContext, DeserializationSchema.InitializationContext {
        @Override
        public MetricGroup getMetricGroup() {
            return new UnregisteredMetricsGroup();
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            return SimpleUserCodeClassLoader.create(Codec.class.getClassLoader());
        }
    }

    private static final class OnePartition implements KafkaRecordSerializationSchema.KafkaSinkContext {
        @Override
        public int getParallelInstanceId() {
            return 0;
        }

        @Override
        public int getNumberOfParallelInstances() {
            return 1;
        }

        @Override
        public int[] getPartitionsForTopic(String topic) {
            return new int[] {0};
        }
    }
}
