import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.NullNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;

/** Flink's internal data and its JSON form in the vectors. */
final class Values {
    private static final long MILLIS_OF_DAY = 86_400_000L;

    /** Whether times beyond what java.time holds are shown as milliseconds, as in the vectors of Avro. */
    static boolean showsRawTimes;

    private Values() {}

    static Object read(LogicalType type, JsonNode json) {
        if (json == null || json.isNull()) return null;
        switch (type.getTypeRoot()) {
            case BOOLEAN: return json.booleanValue();
            case TINYINT: return (byte) json.intValue();
            case SMALLINT: return (short) json.intValue();
            case INTEGER: case INTERVAL_YEAR_MONTH: return json.intValue();
            case BIGINT: case INTERVAL_DAY_TIME: return json.longValue();
            case FLOAT: return Float.parseFloat(json.textValue());
            case DOUBLE: return Double.parseDouble(json.textValue());
            case DECIMAL: {
                DecimalType decimal = (DecimalType) type;
                return DecimalData.fromBigDecimal(
                        new BigDecimal(json.textValue()), decimal.getPrecision(), decimal.getScale());
            }
            case CHAR: case VARCHAR: return StringData.fromString(json.textValue());
            case BINARY: case VARBINARY: return Base64.getDecoder().decode(json.textValue());
            case DATE: return (int) LocalDate.parse(json.textValue()).toEpochDay();
            case TIME_WITHOUT_TIME_ZONE:
                return (int) (LocalTime.parse(json.textValue()).toNanoOfDay() / 1_000_000);
            case TIMESTAMP_WITHOUT_TIME_ZONE: return TimestampData.fromLocalDateTime(dateTime(json.textValue()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE: {
                String text = json.textValue();
                return TimestampData.fromInstant(
                        dateTime(text.substring(0, text.length() - 1)).toInstant(ZoneOffset.UTC));
            }
            case ARRAY: {
                Object[] elements = new Object[json.size()];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = read(((ArrayType) type).getElementType(), json.get(i));
                }
                return new GenericArrayData(elements);
            }
            case MAP: case MULTISET: {
                Map<Object, Object> map = new LinkedHashMap<>();
                for (JsonNode pair : json) map.put(read(key(type), pair.get(0)), read(value(type), pair.get(1)));
                return new GenericMapData(map);
            }
            case ROW: {
                List<RowType.RowField> fields = ((RowType) type).getFields();
                GenericRowData row = new GenericRowData(fields.size());
                for (int i = 0; i < fields.size(); i++) row.setField(i, read(fields.get(i).getType(), json.get(i)));
                return row;
            }
            default: throw new IllegalArgumentException("no JSON form of " + type);
        }
    }

    static JsonNode write(LogicalType type, Object value) {
        if (value == null) return NullNode.instance;
        switch (type.getTypeRoot()) {
            case BOOLEAN: return Json.NODES.booleanNode((Boolean) value);
            case TINYINT: return Json.NODES.numberNode((int) (Byte) value);
            case SMALLINT: return Json.NODES.numberNode((int) (Short) value);
            case INTEGER: case INTERVAL_YEAR_MONTH: return Json.NODES.numberNode((Integer) value);
            case BIGINT: case INTERVAL_DAY_TIME: return Json.NODES.numberNode((Long) value);
            case FLOAT: case DOUBLE: return Json.NODES.textNode(value.toString());
            case DECIMAL:
                return Json.NODES.textNode(((DecimalData) value).toBigDecimal()
                        .setScale(((DecimalType) type).getScale()).toPlainString());
            case CHAR: case VARCHAR:
                return Json.NODES.textNode(new String(((StringData) value).toBytes(), StandardCharsets.UTF_8));
            case BINARY: case VARBINARY:
                return Json.NODES.textNode(Base64.getEncoder().encodeToString((byte[]) value));
            case DATE: return Json.NODES.textNode(LocalDate.ofEpochDay((Integer) value).toString());
            case TIME_WITHOUT_TIME_ZONE: {
                int millis = (Integer) value;
                if (showsRawTimes && (millis < 0 || millis >= MILLIS_OF_DAY)) return raw(millis);
                return Json.NODES.textNode(clock(LocalTime.ofNanoOfDay(millis * 1_000_000L)));
            }
            case TIMESTAMP_WITHOUT_TIME_ZONE: return timestamp((TimestampData) value, "");
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE: return timestamp((TimestampData) value, "Z");
            case ARRAY: {
                LogicalType element = ((ArrayType) type).getElementType();
                ArrayData.ElementGetter getter = ArrayData.createElementGetter(element.copy(true));
                ArrayNode array = Json.array();
                for (int i = 0; i < ((ArrayData) value).size(); i++) {
                    array.add(write(element, getter.getElementOrNull((ArrayData) value, i)));
                }
                return array;
            }
            case MAP: case MULTISET: {
                MapData map = (MapData) value;
                ArrayData.ElementGetter keys = ArrayData.createElementGetter(key(type).copy(true));
                ArrayData.ElementGetter values = ArrayData.createElementGetter(value(type).copy(true));
                List<ArrayNode> pairs = new ArrayList<>();
                for (int i = 0; i < map.size(); i++) {
                    ArrayNode pair = Json.array();
                    pair.add(write(key(type), keys.getElementOrNull(map.keyArray(), i)));
                    pairs.add(pair.add(write(value(type), values.getElementOrNull(map.valueArray(), i))));
                }
                // What was decoded lies in a java.util.HashMap, without order.
                pairs.sort(Comparator.comparing(pair -> pair.get(0).toString()));
                ArrayNode array = Json.array();
                pairs.forEach(array::add);
                return array;
            }
            case ROW: {
                List<RowType.RowField> fields = ((RowType) type).getFields();
                ArrayNode array = Json.array();
                for (int i = 0; i < fields.size(); i++) array.add(field(fields.get(i).getType(), (RowData) value, i));
                return array;
            }
            default: throw new IllegalArgumentException("no JSON form of " + type);
        }
    }

    /** A field of a row, whatever its type says of NULL. */
    static JsonNode field(LogicalType type, RowData row, int position) {
        return write(type, RowData.createFieldGetter(type.copy(true), position).getFieldOrNull(row));
    }

    private static LogicalType key(LogicalType type) {
        return type instanceof MapType ? ((MapType) type).getKeyType() : ((MultisetType) type).getElementType();
    }

    private static LogicalType value(LogicalType type) {
        return type instanceof MapType ? ((MapType) type).getValueType() : new IntType();
    }

    private static LocalDateTime dateTime(String text) {
        return LocalDateTime.parse(text.replace(' ', 'T'));
    }

    private static JsonNode timestamp(TimestampData timestamp, String zone) {
        long days = Math.floorDiv(timestamp.getMillisecond(), MILLIS_OF_DAY);
        // toLocalDateTime counts days in an int
        if (showsRawTimes && days != (int) days) return raw(timestamp.getMillisecond());
        LocalDateTime dateTime = timestamp.toLocalDateTime();
        return Json.NODES.textNode(dateTime.toLocalDate() + " " + clock(dateTime.toLocalTime()) + zone);
    }

    /** What no column of the type could hold, and Flink lets through. */
    private static ObjectNode raw(long millis) {
        ObjectNode node = Json.object();
        if (millis == (int) millis) return node.put("raw_ms", (int) millis);
        return node.put("raw_ms", millis);
    }

    private static String clock(LocalTime time) {
        String text = String.format("%02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond());
        return time.getNano() == 0 ? text : text + String.format(".%09d", time.getNano()).replaceAll("0+$", "");
    }
}
