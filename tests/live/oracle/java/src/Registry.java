import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A schema registry in memory, behind the REST interface that Flink's client speaks, on 127.0.0.1 alone. Its
 * compatibility level is BACKWARD, as the real one's is unless told.
 */
final class Registry {
    /** The address in the vectors; the registry itself takes whatever port is free. */
    private static final String RECORDED = "127.0.0.1:18081";

    private static final Set<String> PRIMITIVES =
            Set.of("null", "boolean", "int", "long", "float", "double", "bytes", "string");

    private static final TreeMap<Integer, String> SCHEMAS = new TreeMap<>();
    private static final Map<Integer, String> TYPES = new HashMap<>();
    private static final TreeMap<String, List<Integer>> SUBJECTS = new TreeMap<>();
    private static final List<String> REQUESTS = new ArrayList<>();
    private static int next;
    private static String address;

    private Registry() {}

    static void start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", Registry::handle);
        server.setExecutor(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
        });
        server.start();
        address = "127.0.0.1:" + server.getAddress().getPort();
    }

    static String localized(String option) {
        return option.replace(RECORDED, address);
    }

    static String recorded(String line) {
        return line.replace(address, RECORDED);
    }

    /** The registry as it was before the case; the next id is the one that a first new schema had after it. */
    static synchronized void load(JsonNode before, JsonNode after) throws IOException {
        SCHEMAS.clear();
        TYPES.clear();
        SUBJECTS.clear();
        REQUESTS.clear();
        next = 1;
        if (before == null) return;
        for (Iterator<String> ids = before.get("schemas").fieldNames(); ids.hasNext(); ) {
            String id = ids.next();
            JsonNode schema = before.get("schemas").get(id);
            boolean isText = schema.isTextual() && !PRIMITIVES.contains(schema.textValue()); // not of Avro
            SCHEMAS.put(Integer.parseInt(id), isText ? schema.textValue() : Json.write(schema));
        }
        for (Iterator<String> ids = fieldNames(before.get("schema_types")); ids.hasNext(); ) {
            String id = ids.next();
            TYPES.put(Integer.parseInt(id), before.get("schema_types").get(id).textValue());
        }
        for (Iterator<String> names = before.get("subjects").fieldNames(); names.hasNext(); ) {
            String name = names.next();
            List<Integer> versions = new ArrayList<>();
            before.get("subjects").get(name).forEach(id -> versions.add(id.intValue()));
            SUBJECTS.put(name, versions);
        }
        if (after == null) return;
        int first = Integer.MAX_VALUE;
        for (Iterator<String> ids = after.get("schemas").fieldNames(); ids.hasNext(); ) {
            int id = Integer.parseInt(ids.next());
            if (!SCHEMAS.containsKey(id)) first = Math.min(first, id);
        }
        if (first != Integer.MAX_VALUE) next = first;
    }

    private static Iterator<String> fieldNames(JsonNode node) {
        return node == null ? List.<String>of().iterator() : node.fieldNames();
    }

    static synchronized ObjectNode contents() {
        ObjectNode node = Json.object();
        ObjectNode schemas = node.putObject("schemas");
        SCHEMAS.forEach((id, text) -> {
            try {
                schemas.set("" + id, Json.read(text));
            } catch (IOException e) {
                schemas.put("" + id, text);
            }
        });
        if (!TYPES.isEmpty()) {
            ObjectNode types = node.putObject("schema_types");
            TYPES.forEach((id, type) -> types.put("" + id, type));
        }
        ObjectNode subjects = node.putObject("subjects");
        SUBJECTS.forEach((name, versions) -> {
            ArrayNode ids = subjects.putArray(name);
            versions.forEach(ids::add);
        });
        return node;
    }

    static synchronized ArrayNode requests() {
        ArrayNode node = Json.array();
        REQUESTS.forEach(node::add);
        return node;
    }

    private static void handle(HttpExchange exchange) throws IOException {
        ObjectNode reply = Json.object();
        int status;
        try {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            status = answer(exchange.getRequestMethod(), exchange.getRequestURI().getPath(),
                    exchange.getRequestHeaders().getFirst("Authorization"), body, reply);
        } catch (Exception e) {
            status = error(reply, 500, 50001, e.toString());
        }
        byte[] bytes = Json.write(reply).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/vnd.schemaregistry.v1+json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static synchronized int answer(
            String method, String path, String authorization, String body, ObjectNode reply) throws Exception {
        REQUESTS.add(method + " " + path + (authorization == null ? "" : " [" + authorization + "]"));
        String[] parts = path.split("/");
        if (method.equals("GET") && path.startsWith("/schemas/ids/")) {
            int id = Integer.parseInt(parts[3]);
            if (!SCHEMAS.containsKey(id)) return error(reply, 404, 40403, "Schema " + id + " not found");
            reply.put("schema", SCHEMAS.get(id));
            if (TYPES.containsKey(id)) reply.put("schemaType", TYPES.get(id));
            return 200;
        }
        if (!method.equals("POST") || !path.matches("/subjects/[^/]+(/versions)?")) {
            return error(reply, 404, 404, "HTTP 404 Not Found");
        }
        String subject = URLDecoder.decode(parts[2], StandardCharsets.UTF_8);
        String schema = Json.read(body).get("schema").textValue();
        List<Integer> versions = SUBJECTS.getOrDefault(subject, List.of());
        for (int id : versions) {
            if (!SCHEMAS.get(id).equals(schema)) continue;
            reply.put("id", id).put("subject", subject);
            reply.put("version", versions.indexOf(id) + 1).put("schema", schema);
            return 200;
        }
        if (!path.endsWith("/versions")) {
            return versions.isEmpty()
                    ? error(reply, 404, 40401, "Subject '" + subject + "' not found.")
                    : error(reply, 404, 40403, "Schema not found");
        }
        if (!versions.isEmpty() && !canRead(schema, SCHEMAS.get(versions.get(versions.size() - 1)))) {
            return error(reply, 409, 409, "Schema being registered is incompatible with an earlier schema for subject"
                    + " \"" + subject + "\"");
        }
        reply.put("id", register(subject, schema));
        return 200;
    }

    private static int error(ObjectNode reply, int status, int code, String message) {
        reply.put("error_code", code).put("message", message);
        return status;
    }

    /** The same text has one id in all subjects. */
    private static int register(String subject, String schema) {
        int id = SCHEMAS.entrySet().stream().filter(entry -> entry.getValue().equals(schema)).map(Map.Entry::getKey)
                .findFirst().orElseGet(() -> next++);
        SCHEMAS.put(id, schema);
        List<Integer> versions = SUBJECTS.computeIfAbsent(subject, name -> new ArrayList<>());
        if (!versions.contains(id)) versions.add(id);
        return id;
    }

    private static boolean canRead(String reader, String writer) throws Exception {
        Class<?> compatibility = avro("SchemaCompatibility");
        Object result = Reflect.call(compatibility, null, "checkReaderWriterCompatibility", parse(reader), parse(writer));
        return Reflect.call(result.getClass(), result, "getType").toString().equals("COMPATIBLE");
    }

    private static Object parse(String schema) throws Exception {
        Object parser = avro("Schema$Parser").getConstructor().newInstance();
        return parser.getClass().getMethod("parse", String.class).invoke(parser, schema);
    }

    /** Avro has another name inside Flink's shaded artefacts. */
    private static Class<?> avro(String name) throws ClassNotFoundException {
        try {
            return Class.forName("org.apache.flink.avro.shaded.org.apache.avro." + name);
        } catch (ClassNotFoundException e) {
            return Class.forName("org.apache.avro." + name);
        }
    }
}
