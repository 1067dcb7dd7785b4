import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** A CREATE TABLE and a query over it: what the connector derives from them, or the refusal. */
final class Ddl {
    private static final ObjectIdentifier NAME = ObjectIdentifier.of("default_catalog", "default_database", "t");
    private static StreamTableEnvironment environment;

    private Ddl() {}

    static ObjectNode resolve(JsonNode given) {
        ObjectNode answer = Oracle.begin(given, "id", "table", "options", "role", "ddl", "query");
        String id = given.get("id").textValue(), role = given.get("role").textValue();
        StreamTableEnvironment env = environment();
        boolean materializes = id.contains("-materialize-") || id.contains("-conflict-");
        env.getConfig().getConfiguration().setString("table.exec.sink.upsert-materialize", materializes ? "AUTO" : "NONE");
        env.executeSql("DROP TABLE IF EXISTS t");
        String stage = "create";
        try {
            env.executeSql(given.get("ddl").textValue());
            stage = "plan";
            String plan = env.explainSql(given.get("query").textValue());
            answer.put("ok", true);
            ObjectNode resolved = resolved(env, role);
            answer.set("resolved", resolved);
            if (role.equals("source") && plan.contains("ChangelogNormalize")) resolved.put("changelog_normalize", true);
            if (role.equals("sink") && (plan.contains("SinkMaterializer") || plan.contains("upsertMaterialize=[true]"))) {
                resolved.put("upsert_materialize", true);
            }
        } catch (Throwable e) {
            answer.remove("ok");
            ObjectNode error = Json.error(e, true);
            error.remove("outer");
            ArrayNode chain = (ArrayNode) error.remove("chain"); // without the root cause, first lines alone
            if (chain.size() > 1) {
                ArrayNode around = error.putArray("chain");
                for (int i = 0; i < chain.size() - 1; i++) {
                    String message = String.valueOf(chain.get(i).get(1).textValue()).split("\n")[0];
                    around.addArray().add(chain.get(i).get(0)).add(message);
                }
            }
            error.put("stage", stage);
            answer.set("error", error);
            if (stage.equals("plan")) {
                try {
                    answer.set("factory_resolved", resolved(env, role));
                } catch (Throwable refused) {
                    // The factory refused it, too.
                }
            }
        }
        return answer;
    }

    private static StreamTableEnvironment environment() {
        if (environment != null) return environment;
        StreamExecutionEnvironment streams = StreamExecutionEnvironment.getExecutionEnvironment();
        streams.setParallelism(1);
        environment = StreamTableEnvironment.create(streams);
        environment.getConfig().getConfiguration().setString("table.local-time-zone", "UTC");
        environment.executeSql("CREATE TABLE src_append (id BIGINT, name STRING, amt DECIMAL(10, 2), ts TIMESTAMP(3))"
                + " WITH ('connector' = 'datagen')");
        environment.executeSql("CREATE TABLE src_right (rid BIGINT, tag STRING) WITH ('connector' = 'datagen')");
        DataStream<Row> rows = streams.fromCollection(
                List.of(Row.ofKind(RowKind.INSERT, 1L, "a", new java.math.BigDecimal("1.00"))),
                Types.ROW_NAMED(new String[] {"id", "name", "amt"}, Types.LONG, Types.STRING, Types.BIG_DEC));
        Schema schema = Schema.newBuilder().column("id", "BIGINT NOT NULL").column("name", "STRING")
                .column("amt", "DECIMAL(10, 2)").primaryKey("id").build();
        environment.createTemporaryView("src_changelog", environment.fromChangelogStream(rows, schema));
        environment.createTemporaryView(
                "src_upsert", environment.fromChangelogStream(rows, schema, ChangelogMode.upsert()));
        return environment;
    }

    private static ObjectNode resolved(StreamTableEnvironment env, String role) throws Exception {
        ResolvedCatalogTable table = ((TableEnvironmentInternal) env).getCatalogManager().getTable(NAME).get()
                .getResolvedTable();
        ReadableConfig config = env.getConfig().getConfiguration();
        return role.equals("sink")
                ? sink(FactoryUtil.createDynamicTableSink(
                        null, NAME, table, Map.of(), config, Ddl.class.getClassLoader(), false))
                : source(FactoryUtil.createDynamicTableSource(
                        null, NAME, table, Map.of(), config, Ddl.class.getClassLoader(), false));
    }

    private static ObjectNode sink(DynamicTableSink sink) throws Exception {
        ObjectNode node = Json.object();
        common(node, sink);
        ifThere(() -> {
            Object partitioner = Reflect.field(sink, "partitioner");
            node.put("partitioner", partitioner == null ? null : partitioner.getClass().getName());
        });
        ifThere(() -> node.put("delivery_guarantee", Reflect.field(sink, "deliveryGuarantee").toString()));
        ifThere(() -> node.put("transactional_id_prefix", (String) Reflect.field(sink, "transactionalIdPrefix")));
        ifThere(() -> node.put("transaction_naming_strategy",
                ((Enum<?>) Reflect.field(sink, "transactionNamingStrategy")).name()));
        ifThere(() -> {
            Object flush = Reflect.field(sink, "flushMode");
            node.put("buffer_flush_max_rows", (Integer) Reflect.field(flush, "batchSize"));
            node.put("buffer_flush_interval_ms", (Long) Reflect.field(flush, "batchIntervalMs"));
        });
        metadata(node.putArray("writable_metadata"), ((SupportsWritingMetadata) sink).listWritableMetadata());
        node.put("changelog_mode", sink.getChangelogMode(ChangelogMode.all()).toString());
        try {
            DynamicTableSink.SinkRuntimeProvider provider = sink.getSinkRuntimeProvider(new SinkContext());
            if (provider instanceof SinkV2Provider) {
                Object kafkaSink = ((SinkV2Provider) provider).createSink();
                node.set("producer_config", properties((Properties) Reflect.field(kafkaSink, "kafkaProducerConfig")));
            }
        } catch (Throwable e) {
            node.set("runtime_error", Json.error(e, false));
        }
        return node;
    }

    private static ObjectNode source(DynamicTableSource source) throws Exception {
        ObjectNode node = Json.object();
        common(node, source);
        node.put("startup_mode", Reflect.field(source, "startupMode").toString());
        ifThere(() -> {
            Map<?, ?> offsets = (Map<?, ?>) Reflect.field(source, "specificStartupOffsets");
            offsets(node.putObject("startup_specific_offsets"), offsets);
        });
        node.put("startup_timestamp_millis", (Long) Reflect.field(source, "startupTimestampMillis"));
        ifThere(() -> node.put("bounded_mode", Reflect.field(source, "boundedMode").toString()));
        ifThere(() -> {
            Map<?, ?> offsets = (Map<?, ?>) Reflect.field(source, "specificBoundedOffsets");
            offsets(node.putObject("bounded_specific_offsets"), offsets);
        });
        ifThere(() -> node.put("bounded_timestamp_millis", (Long) Reflect.field(source, "boundedTimestampMillis")));
        metadata(node.putArray("readable_metadata"), ((SupportsReadingMetadata) source).listReadableMetadata());
        node.put("changelog_mode", ((ScanTableSource) source).getChangelogMode().toString());
        try {
            ScanTableSource.ScanContext context = new ScanContext();
            Class<?> of = source.getClass();
            Object key = Reflect.call(of, source, "createDeserialization", context,
                    Reflect.field(source, "keyDecodingFormat"), Reflect.field(source, "keyProjection"),
                    Reflect.field(source, "keyPrefix"));
            Object value = Reflect.call(of, source, "createDeserialization", context,
                    Reflect.field(source, "valueDecodingFormat"), Reflect.field(source, "valueProjection"), null);
            TypeInformation<?> produced =
                    context.createTypeInformation((DataType) Reflect.field(source, "producedDataType"));
            Object kafkaSource = Reflect.call(of, source, "createKafkaSource", key, value, produced);
            ObjectNode config = properties((Properties) Reflect.field(kafkaSource, "props"));
            if (config.has("client.id.prefix") && config.get("client.id.prefix").asText().matches(".*[0-9]{5,}.*")) {
                config.put("client.id.prefix", "<generated>");
            }
            node.set("consumer_config", config);
        } catch (Throwable e) {
            node.set("runtime_error", Json.error(e, false));
        }
        return node;
    }

    private static void common(ObjectNode node, Object table) throws Exception {
        DataType physical = (DataType) Reflect.field(table, "physicalDataType");
        List<String> names = DataType.getFieldNames(physical);
        List<DataType> types = DataType.getFieldDataTypes(physical);
        int[] key = (int[]) Reflect.field(table, "keyProjection");
        int[] value = (int[]) Reflect.field(table, "valueProjection");
        String prefix = (String) Reflect.field(table, "keyPrefix");
        ArrayNode keys = node.putArray("key_projection"), values = node.putArray("value_projection");
        ArrayNode keyFields = node.putArray("key_fields"), valueFields = node.putArray("value_fields");
        for (int i : key) {
            keys.add(i);
            String name = names.get(i);
            if (prefix != null && name.startsWith(prefix)) name = name.substring(prefix.length());
            keyFields.addArray().add(name).add(types.get(i).getLogicalType().asSerializableString());
        }
        for (int i : value) {
            values.add(i);
            valueFields.addArray().add(names.get(i)).add(types.get(i).getLogicalType().asSerializableString());
        }
        node.put("key_prefix", prefix);
        node.putNull("topics");
        node.putNull("topic_pattern");
        ifThere(() -> {
            List<?> topics = (List<?>) Reflect.field(table, "topics");
            if (topics == null) return;
            ArrayNode array = node.putArray("topics");
            topics.forEach(topic -> array.add((String) topic));
        });
        ifThere(() -> {
            String topic = (String) Reflect.field(table, "topic"); // of sinks before 3.3
            node.putArray("topics").add(topic);
        });
        ifThere(() -> {
            Object pattern = Reflect.field(table, "topicPattern");
            node.put("topic_pattern", pattern == null ? null : pattern.toString());
        });
        node.put("upsert_mode", (Boolean) Reflect.field(table, "upsertMode"));
        node.putNull("parallelism");
        ifThere(() -> node.put("parallelism", (Integer) Reflect.field(table, "parallelism")));
        node.set("properties", properties((Properties) Reflect.field(table, "properties")));
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Runs what needs a member that not every release has. */
    private static void ifThere(Step step) throws Exception {
        try {
            step.run();
        } catch (NoSuchFieldException e) {
            // That release does not have it.
        }
    }

    private static void metadata(ArrayNode array, Map<String, DataType> listed) {
        listed.forEach((key, type) -> array.addArray().add(key).add(type.getLogicalType().asSerializableString()));
    }

    private static void offsets(ObjectNode node, Map<?, ?> offsets) {
        offsets.entrySet().stream().sorted(Comparator.comparing(entry -> entry.getKey().toString()))
                .forEach(entry -> node.put(entry.getKey().toString(), (Long) entry.getValue()));
    }

    private static ObjectNode properties(Properties properties) {
        ObjectNode node = Json.object();
        new TreeMap<>(properties).forEach((key, value) -> node.put(String.valueOf(key), String.valueOf(value)));
        return node;
    }

    @SuppressWarnings("unchecked")
    private static final class SinkContext implements DynamicTableSink.Context {
        @Override
        public boolean isBounded() {
            return false;
        }

        @Override
        public <T> TypeInformation<T> createTypeInformation(DataType type) {
            return (TypeInformation<T>) InternalTypeInfo.of(type.getLogicalType());
        }

        @Override
        public <T> TypeInformation<T> createTypeInformation(LogicalType type) {
            return (TypeInformation<T>) InternalTypeInfo.of(type);
        }

        @Override
        public DynamicTableSink.DataStructureConverter createDataStructureConverter(DataType type) {
            return null;
        }

        // Since 1.18.
        public Optional<int[][]> getTargetColumns() {
            return Optional.empty();
        }
    }

    @SuppressWarnings("unchecked")
    private static final class ScanContext implements ScanTableSource.ScanContext {
        @Override
        public <T> TypeInformation<T> createTypeInformation(DataType type) {
            return (TypeInformation<T>) InternalTypeInfo.of(type.getLogicalType());
        }

        @Override
        public <T> TypeInformation<T> createTypeInformation(LogicalType type) {
            return (TypeInformation<T>) InternalTypeInfo.of(type);
        }

        @Override
        public DynamicTableSource.DataStructureConverter createDataStructureConverter(DataType type) {
            return null;
        }
    }
}
