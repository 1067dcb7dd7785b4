import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Iterator;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;

/** What Kafka's client makes of keys and records. */
final class Kafka {
    private Kafka() {}

    static ObjectNode partition(JsonNode given) {
        ObjectNode answer = Oracle.begin(given, "id", "key");
        int hash = Utils.murmur2(Json.bytes(given.get("key")));
        answer.put("murmur2", hash);
        ObjectNode partitions = answer.putObject("partitions");
        for (Iterator<String> counts = given.get("partitions").fieldNames(); counts.hasNext(); ) {
            String count = counts.next();
            partitions.put(count, Utils.toPositive(hash) % Integer.parseInt(count));
        }
        return answer;
    }

    static ObjectNode recordBatch(JsonNode given) throws Exception {
        ObjectNode answer = Oracle.begin(given, "id", "base_timestamp", "max_timestamp", "compression", "timestamp_type",
                "base_offset", "last_offset_delta", "partition_leader_epoch", "producer_id", "producer_epoch",
                "base_sequence", "transactional", "control");
        MemoryRecords written = write(given, given.get("compression").textValue());
        RecordBatch batch = written.batches().iterator().next();
        long first = written.records().iterator().next().timestamp();
        answer.put("base_timestamp", given.has("base_timestamp") ? given.get("base_timestamp").longValue() : first);
        answer.put("max_timestamp", batch.maxTimestamp());
        answer.put("last_offset_delta", (int) (batch.lastOffset() - batch.baseOffset()));
        ByteBuffer bytes = written.buffer();
        answer.put("crc", Integer.toUnsignedLong(bytes.getInt(17)));
        answer.put("attributes", bytes.getShort(21));
        answer.set("records", given.get("records"));
        answer.set("batch", Json.bytes(array(written)));
        if (!given.get("compression").textValue().equals("none")) {
            answer.set("uncompressed_batch", Json.bytes(array(write(given, "none"))));
        }
        return answer;
    }

    private static byte[] array(MemoryRecords records) {
        ByteBuffer buffer = records.buffer().duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static MemoryRecords write(JsonNode given, String compression) throws Exception {
        boolean isControl = given.has("control") && given.get("control").booleanValue();
        TimestampType type = given.get("timestamp_type").textValue().equals("LogAppendTime")
                ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        long appended = type == TimestampType.LOG_APPEND_TIME ? given.get("max_timestamp").longValue() : -1;
        MemoryRecordsBuilder builder = builder(ByteBuffer.allocate(1 << 16), compression, type,
                given.get("base_offset").longValue(), appended, given.get("producer_id").longValue(),
                given.get("producer_epoch").shortValue(), given.get("base_sequence").intValue(),
                given.get("transactional").booleanValue(), isControl, given.get("partition_leader_epoch").intValue());
        for (JsonNode record : given.get("records")) {
            ArrayNode headers = (ArrayNode) record.get("headers");
            Header[] array = new Header[headers.size()];
            for (int i = 0; i < array.length; i++) {
                array[i] = new RecordHeader(headers.get(i).get(0).textValue(), Json.bytes(headers.get(i).get(1)));
            }
            long offset = record.get("offset").longValue(), timestamp = record.get("timestamp").longValue();
            byte[] key = Json.bytes(record.get("key")), value = Json.bytes(record.get("value"));
            if (isControl) {
                appendControl(builder, offset, timestamp, key, value);
            } else {
                builder.appendWithOffset(offset, timestamp, key, value, array);
            }
        }
        return builder.build();
    }

    /** What the builder offers for control records takes objects; the bytes are in the case. */
    private static void appendControl(MemoryRecordsBuilder builder, long offset, long timestamp, byte[] key, byte[] value)
            throws Exception {
        for (Method method : MemoryRecordsBuilder.class.getDeclaredMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (!method.getName().equals("appendWithOffset") || types.length != 6 || types[1] != boolean.class
                    || types[3] != ByteBuffer.class) continue;
            method.setAccessible(true);
            method.invoke(builder, offset, true, timestamp, ByteBuffer.wrap(key), ByteBuffer.wrap(value), new Header[0]);
            return;
        }
        throw new NoSuchMethodException("MemoryRecordsBuilder.appendWithOffset of control records");
    }

    /** A compression is an object since clients 3.8, and a constant before. */
    private static MemoryRecordsBuilder builder(ByteBuffer buffer, String compression, Object... rest) throws Exception {
        for (Method method : MemoryRecords.class.getMethods()) {
            if (!method.getName().equals("builder") || method.getParameterCount() != 12) continue;
            Class<?> type = method.getParameterTypes()[2];
            if (!method.getParameterTypes()[1].equals(byte.class)) continue;
            Object chosen;
            if (type.isEnum()) {
                chosen = Reflect.call(type, null, "forName", compression);
            } else if (type.getSimpleName().equals("Compression")) {
                Class<?> names = Class.forName("org.apache.kafka.common.record.CompressionType");
                Object name = Reflect.call(names, null, "forName", compression);
                Object maker = type.getMethod("of", names).invoke(null, name);
                chosen = maker.getClass().getMethod("build").invoke(maker);
            } else {
                continue;
            }
            Object[] arguments = new Object[12];
            arguments[0] = buffer;
            arguments[1] = RecordBatch.MAGIC_VALUE_V2;
            arguments[2] = chosen;
            System.arraycopy(rest, 0, arguments, 3, rest.length);
            return (MemoryRecordsBuilder) method.invoke(null, arguments);
        }
        throw new NoSuchMethodException("MemoryRecords.builder");
    }
}
