import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.operators.bundle.KeyedMapBundleOperator;
import org.apache.flink.table.runtime.operators.bundle.trigger.CountBundleTrigger;
import org.apache.flink.table.runtime.operators.deduplicate.ProcTimeDeduplicateKeepLastRowFunction;
import org.apache.flink.table.runtime.operators.deduplicate.ProcTimeMiniBatchDeduplicateKeepLastRowFunction;
import org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializer;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.StateConfigUtil;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.utils.TypeConversions;

/**
 * Changes through the operators of a plan, made as its nodes make them, on Flink's test harness: a ChangelogNormalize, a
 * SinkUpsertMaterializer; and through the connector's buffer. Of the newest release alone, whose harness is there.
 */
final class Stages {
    private final List<LogicalType> types = new ArrayList<>();
    private final RowType rowType;
    private final int[] key;

    private Stages(JsonNode given) {
        List<String> names = new ArrayList<>();
        for (JsonNode column : given.get("table").get("columns")) {
            names.add(column.get(0).textValue());
            types.add(Tables.type(column.get(1)));
        }
        rowType = RowType.of(types.toArray(LogicalType[]::new), names.toArray(String[]::new));
        List<Integer> columns = new ArrayList<>();
        for (JsonNode name : given.get("table").get("primary_key")) columns.add(names.indexOf(name.textValue()));
        key = columns.stream().mapToInt(column -> column).toArray();
    }

    static ObjectNode run(JsonNode given) throws Exception {
        ObjectNode answer = Oracle.begin(given, "kind", "id", "table", "settings", "changes");
        Stages stages = new Stages(given);
        JsonNode settings = given.get("settings");
        try (Stage stage = switch (given.get("kind").textValue()) {
            case "normalize" -> stages.onHarness(stages.normalizer(settings));
            case "materialize" -> stages.onHarness(stages.materializer(settings));
            case "reduce" -> stages.buffer(settings);
            default -> throw new IllegalArgumentException(given.get("kind").textValue());
        }) {
            ArrayNode outputs = answer.putArray("outputs");
            for (JsonNode change : given.get("changes")) {
                if (change.isTextual()) stage.tell(change.textValue());
                else stage.put(stages.row(change), change.get(2).longValue());
                outputs.add(stages.shown(stage.taken()));
            }
        }
        return answer;
    }

    private interface Stage extends AutoCloseable {
        void put(RowData row, long nowMs) throws Exception;

        void tell(String what) throws Exception;

        List<RowData> taken();
    }

    // ------------------------------------------------------------------------------------------------- the operators

    /** As StreamExecChangelogNormalize has it. */
    private OneInputStreamOperator<RowData, RowData> normalizer(JsonNode settings) throws Exception {
        InternalTypeInfo<RowData> info = InternalTypeInfo.of(rowType);
        long ttl = settings.get("ttl_ms").longValue();
        boolean withUpdateBefore = settings.get("update_before").booleanValue();
        int bundle = settings.get("bundle").intValue();
        GeneratedRecordEqualiser equaliser = equaliser(rowType);
        if (bundle > 1) {
            return new KeyedMapBundleOperator<>(
                    new ProcTimeMiniBatchDeduplicateKeepLastRowFunction(
                            info, new RowDataSerializer(rowType), ttl, withUpdateBefore, true, false, equaliser, null),
                    new CountBundleTrigger<>(bundle));
        }
        return new KeyedProcessOperator<>(new ProcTimeDeduplicateKeepLastRowFunction(
                info, ttl, withUpdateBefore, true, false, equaliser, null));
    }

    /** As StreamExecSink has it. */
    private OneInputStreamOperator<RowData, RowData> materializer(JsonNode settings) throws Exception {
        JsonNode columns = settings.get("upsert_key");
        int[] upsertKey = new int[columns.size()];
        for (int i = 0; i < upsertKey.length; i++) upsertKey[i] = columns.get(i).intValue();
        return SinkUpsertMaterializer.create(
                StateConfigUtil.createTtlConfig(settings.get("ttl_ms").longValue()), rowType, equaliser(rowType),
                upsertKey.length == 0 ? null : equaliser(projected(upsertKey)), upsertKey);
    }

    /** The planner's code that compares rows; the planner lives behind a class loader of its own. */
    private static GeneratedRecordEqualiser equaliser(RowType type) throws Exception {
        Class<?> module = Class.forName("org.apache.flink.table.planner.loader.PlannerModule");
        ClassLoader planner =
                (ClassLoader) Reflect.field(Reflect.call(module, null, "getInstance"), "submoduleClassLoader");
        Class<?> generator = planner.loadClass("org.apache.flink.table.planner.codegen.EqualiserCodeGenerator");
        Object made = generator.getConstructor(LogicalType.class, ClassLoader.class)
                .newInstance(type, Stages.class.getClassLoader());
        return (GeneratedRecordEqualiser) Reflect.call(generator, made, "generateRecordEqualiser", "Equaliser");
    }

    private Stage onHarness(OneInputStreamOperator<RowData, RowData> operator) throws Exception {
        RowType keyType = projected(key);
        KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        operator, new Key(keyType, key), InternalTypeInfo.of(keyType));
        harness.setup(new RowDataSerializer(rowType));
        harness.open();
        return new Stage() {
            @Override
            public void put(RowData row, long nowMs) throws Exception {
                harness.setStateTtlProcessingTime(nowMs);
                harness.processElement(new StreamRecord<>(row));
            }

            @Override
            public void tell(String what) throws Exception {
                harness.prepareSnapshotPreBarrier(1); // which ends the bundle
            }

            @Override
            public List<RowData> taken() {
                List<RowData> rows = new ArrayList<>(harness.extractOutputValues());
                harness.getOutput().clear();
                return rows;
            }

            @Override
            public void close() throws Exception {
                harness.close();
            }
        };
    }

    // ----------------------------------------------------------------------------------------- the connector's buffer

    /** As KafkaDynamicSink has it without object reuse. Its timer is the case's; its clock is the machine's. */
    private Stage buffer(JsonNode settings) throws Exception {
        String table = "org.apache.flink.streaming.connectors.kafka.table.";
        Class<?> flushMode = Class.forName(table + "SinkBufferFlushMode");
        Object mode = flushMode.getConstructor(int.class, long.class)
                .newInstance(settings.get("max_rows").intValue(), 3_600_000L);
        Constructor<?> constructor = Class.forName(table + "ReducingUpsertWriter").getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        List<RowData> written = new ArrayList<>();
        Object writer = proxy(constructor.getParameterTypes()[0], (name, arguments) -> {
            if (name.equals("write")) written.add((RowData) arguments[0]);
        });
        Object[] timer = new Object[1];
        Object timers = proxy(constructor.getParameterTypes()[4], (name, arguments) -> {
            if (name.equals("registerTimer")) timer[0] = arguments[1];
        });
        Object buffer = constructor.newInstance(
                writer, TypeConversions.fromLogicalToDataType(rowType), key, mode, timers, Function.identity());
        Class<?> context = Class.forName("org.apache.flink.api.connector.sink2.SinkWriter$Context");
        return new Stage() {
            @Override
            public void put(RowData row, long nowMs) throws Exception {
                Reflect.call(buffer.getClass(), buffer, "write", row, proxy(context, (name, arguments) -> {}));
            }

            @Override
            public void tell(String what) throws Exception {
                switch (what) {
                    case "flush" -> Reflect.call(buffer.getClass(), buffer, "flush", false);
                    case "early" -> fire(0);
                    case "due" -> fire(Long.MAX_VALUE);
                    default -> throw new IllegalArgumentException(what);
                }
            }

            private void fire(long time) throws Exception {
                Object due = timer[0];
                Class<?> callback = Class.forName(
                        "org.apache.flink.api.common.operators.ProcessingTimeService$ProcessingTimeCallback");
                callback.getMethod("onProcessingTime", long.class).invoke(due, time);
                if (timer[0] == due) throw new IllegalStateException("no timer follows");
            }

            @Override
            public List<RowData> taken() {
                List<RowData> rows = List.copyOf(written);
                written.clear();
                return rows;
            }

            @Override
            public void close() {}
        };
    }

    private interface Called {
        void with(String name, Object[] arguments);
    }

    private static Object proxy(Class<?> type, Called called) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            called.with(method.getName(), arguments);
            return method.getReturnType() == long.class ? 0L : null;
        });
    }

    // ---------------------------------------------------------------------------------------------------------- rows

    private RowType projected(int[] columns) {
        LogicalType[] projected = new LogicalType[columns.length];
        for (int i = 0; i < columns.length; i++) projected[i] = types.get(columns[i]);
        return RowType.of(projected);
    }

    /** What a plan's code does: the bytes of the key's columns are the key. */
    private record Key(RowType type, int[] columns) implements KeySelector<RowData, RowData> {
        @Override
        public RowData getKey(RowData row) {
            GenericRowData key = new GenericRowData(columns.length);
            for (int i = 0; i < columns.length; i++) {
                key.setField(i, RowData.createFieldGetter(type.getTypeAt(i), columns[i]).getFieldOrNull(row));
            }
            return new RowDataSerializer(type).toBinaryRow(key).copy();
        }
    }

    /** As it comes over the network, in front of which a plan puts each operator with a key: bytes, compared as such. */
    private RowData row(JsonNode change) {
        GenericRowData row = new GenericRowData(Codec.kind(change.get(0).textValue()), types.size());
        for (int i = 0; i < types.size(); i++) row.setField(i, Values.read(types.get(i), change.get(1).get(i)));
        return new RowDataSerializer(rowType).toBinaryRow(row).copy();
    }

    private ArrayNode shown(List<RowData> rows) {
        ArrayNode shown = Json.array();
        for (RowData row : rows) {
            ArrayNode values = shown.addArray().add(row.getRowKind().shortString()).addArray();
            for (int i = 0; i < types.size(); i++) values.add(Values.field(types.get(i), row, i));
        }
        return shown;
    }
}
