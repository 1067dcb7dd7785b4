package live;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Writes a recording: a line about where it is from, then schemas as they come up, records that refer to them, and the
 * rows of the table. A message with its schema is {@code {"schema":S,"payload":P}}, one without is {@code P}: both are
 * what Kafka Connect's converter writes, to the byte.
 */
final class Lines {
    private final PrintStream out;
    private final Map<String, Integer> schemas = new HashMap<>();
    private final Map<Boolean, JsonConverter> withSchema = new HashMap<>();
    private final Map<Boolean, JsonConverter> withoutSchema = new HashMap<>();

    Lines(PrintStream out) {
        this.out = out;
        for (boolean key : new boolean[] {true, false}) {
            withSchema.put(key, converter(key, true));
            withoutSchema.put(key, converter(key, false));
        }
    }

    private static JsonConverter converter(boolean key, boolean schemas) {
        JsonConverter converter = new JsonConverter();
        converter.configure(Map.of("schemas.enable", String.valueOf(schemas)), key);
        return converter;
    }

    void head(String database, String table, Map<String, String> properties, Map<String, String> flattened) {
        out.println("{\"database\":" + quoted(database) + ",\"debezium\":" + quoted(io.debezium.Module.version())
                + ",\"table\":[" + table.lines().map(Lines::quoted).collect(Collectors.joining(",")) + "]" + ",\"properties\":" + object(properties)
                + (flattened == null ? "" : ",\"flattened\":" + object(flattened)) + "}");
    }

    /** The record, unless a transformation has dropped it. */
    void record(SourceRecord record) {
        if (record == null) {
            return;
        }
        String key = message(record.topic(), true, record.keySchema(), record.key());
        String value = message(record.topic(), false, record.valueSchema(), record.value());
        out.println("{\"topic\":" + quoted(record.topic()) + ",\"key\":" + key + ",\"value\":" + value + "}");
    }

    void row(String row) {
        out.println("{\"row\":" + row + "}");
    }

    /** The number of the schema, and the payload. */
    private String message(String topic, boolean isKey, Schema schema, Object value) {
        if (value == null) {
            return "null";
        }
        byte[] whole = withSchema.get(isKey).fromConnectData(topic, schema, value);
        byte[] payload = withoutSchema.get(isKey).fromConnectData(topic, schema, value);
        String text = new String(whole, StandardCharsets.UTF_8);
        String end = ",\"payload\":" + new String(payload, StandardCharsets.UTF_8) + "}";
        if (!text.startsWith("{\"schema\":") || !text.endsWith(end)) {
            throw new IllegalStateException("no message with a schema: " + Arrays.toString(whole));
        }
        String schemaText = text.substring("{\"schema\":".length(), text.length() - end.length());
        Integer number = schemas.get(schemaText);
        if (number == null) {
            number = schemas.size();
            schemas.put(schemaText, number);
            out.println("{\"schema\":" + schemaText + "}");
        }
        return "[" + number + "," + new String(payload, StandardCharsets.UTF_8) + "]";
    }

    private static String object(Map<String, String> map) {
        StringBuilder text = new StringBuilder("{");
        map.forEach((key, value) -> text.append(text.length() > 1 ? "," : "").append(quoted(key)).append(':').append(quoted(value)));
        return text.append('}').toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
