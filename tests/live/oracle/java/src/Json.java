import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.NullNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** The JSON of cases, by the Jackson that every release of Flink brings. */
final class Json {
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static JsonNode read(String text) throws JsonProcessingException {
        return MAPPER.readTree(text);
    }

    static String write(JsonNode node) throws JsonProcessingException {
        return MAPPER.writeValueAsString(node);
    }

    static ObjectNode object() {
        return NODES.objectNode();
    }

    static ArrayNode array() {
        return NODES.arrayNode();
    }

    /** The members of an array, or none where there is no array. */
    static Iterable<JsonNode> list(JsonNode node) {
        return node == null ? array() : node;
    }

    static String text(JsonNode node) {
        return node == null || node.isNull() ? null : node.textValue();
    }

    static byte[] bytes(JsonNode node) {
        return node == null || node.isNull() ? null : Base64.getDecoder().decode(node.get("b64").textValue());
    }

    /** {"b64": ..., "text"?: ...}; the text only where the bytes are printable. */
    static JsonNode bytes(byte[] bytes) {
        if (bytes == null) return NullNode.instance;
        ObjectNode node = object();
        node.put("b64", Base64.getEncoder().encodeToString(bytes));
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.codePoints().allMatch(Json::isPrintable)) node.put("text", text);
        } catch (CharacterCodingException e) {
            // No text.
        }
        return node;
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.UNASSIGNED, Character.PRIVATE_USE, Character.SURROGATE,
                    Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** The root cause, the exception as thrown where that is another, and all of them. */
    static ObjectNode error(Throwable thrown, boolean withChain) {
        Throwable root = thrown;
        for (int i = 0; i < 50 && root.getCause() != null && root.getCause() != root; i++) root = root.getCause();
        ObjectNode node = object();
        node.put("class", name(root));
        node.put("message", scrubbed(root.getMessage()));
        if (root != thrown) {
            ObjectNode outer = node.putObject("outer");
            outer.put("class", name(thrown));
            outer.put("message", scrubbed(thrown.getMessage()));
        }
        if (withChain) {
            ArrayNode chain = node.putArray("chain");
            Throwable each = thrown;
            for (int i = 0; i < 50 && each != null; i++, each = each.getCause()) {
                chain.addArray().add(name(each)).add(scrubbed(each.getMessage()));
            }
        }
        return node;
    }

    private static String name(Throwable thrown) {
        return unshaded(thrown.getClass().getName());
    }

    /** Classes have other names inside Flink's shaded artefacts. */
    private static String unshaded(String text) {
        return text.replace("org.apache.flink.avro.shaded.", "")
                .replace("org.apache.flink.avro.registry.confluent.shaded.", "");
    }

    /** Java's identity hashes differ from run to run; lone surrogates have no bytes. */
    static String scrubbed(String message) {
        if (message == null) return null;
        String scrubbed = unshaded(message).replaceAll("@[0-9a-f]{1,8}\\b", "@HASH");
        return new String(scrubbed.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
