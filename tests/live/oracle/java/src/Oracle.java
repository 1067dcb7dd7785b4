import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Reads cases, a JSON line each, and answers each with the line that would be in tests/golden: the case, and what Flink's
 * connector and formats, Kafka's client or Java made of it. `kind` says what a case is; its results, if it has any, are
 * not looked at. An answer with `oracle_error` says that the oracle itself failed.
 */
public final class Oracle {
    private Oracle() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16);
        System.setOut(System.err); // what libraries print is no answer
        Registry.start();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.write(Registry.recorded(answer(line)));
            out.write('\n');
            if (!in.ready()) out.flush();
        }
        out.flush();
        System.exit(0); // threads of Flink and Kafka do not keep it
    }

    private static String answer(String line) throws Exception {
        try {
            JsonNode given = Json.read(line);
            String kind = given.get("kind").textValue();
            ObjectNode answer = switch (kind) {
                case "encode" -> Codec.encode(given);
                case "decode" -> Codec.decode(given);
                case "ddl" -> Ddl.resolve(given);
                case "partition" -> Kafka.partition(given);
                case "record_batch" -> Kafka.recordBatch(given);
                case "float_text" -> floatText(given);
                // Not there for every release.
                case "normalize", "materialize", "reduce" ->
                        (ObjectNode) Reflect.call(Class.forName("Stages"), null, "run", given);
                case "about" -> about();
                default -> throw new IllegalArgumentException("unknown kind of case: " + kind);
            };
            answer.setAll(begin(given, "jdk", "flink")); // who answers, where the vectors have another
            return Json.write(answer);
        } catch (Throwable e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            return Json.write(Json.object().put("oracle_error", trace.toString()));
        }
    }

    /** An answer begins with members of the case. */
    static ObjectNode begin(JsonNode given, String... members) {
        ObjectNode answer = Json.object();
        for (String member : members) if (given.has(member)) answer.set(member, given.get(member));
        return answer;
    }

    /** The digits of a number on this Java, under the name of the JDK that first had them in the vectors. */
    private static ObjectNode floatText(JsonNode given) {
        ObjectNode answer = begin(given, "id", "type", "bits");
        String bits = given.get("bits").textValue();
        String digits = given.get("type").textValue().equals("FLOAT")
                ? Float.toString(Float.intBitsToFloat(Integer.parseUnsignedInt(bits, 16)))
                : Double.toString(Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16)));
        return answer.put(Runtime.version().feature() < 19 ? "jdk17" : "jdk25", digits);
    }

    private static ObjectNode about() {
        ObjectNode answer = Json.object();
        answer.put("java", Runtime.version().feature());
        answer.put("flink", org.apache.flink.runtime.util.EnvironmentInformation.getVersion());
        return answer.put("kafka", org.apache.kafka.common.utils.AppInfoParser.getVersion());
    }
}
