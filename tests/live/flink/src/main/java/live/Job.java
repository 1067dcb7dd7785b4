package live;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;

/**
 * Flink in this process: {@code Job SCRIPT FOLDER} runs the statements of a file, which end in {@code ;} and a line feed,
 * one after the other. The rows that a SELECT leaves go to the file in the folder that the statement's first line, a
 * comment, names: fields between tabs, as the tests write them too.
 */
public class Job {
    public static void main(String[] args) throws Exception {
        Configuration config = new Configuration();
        config.setString("parallelism.default", "2");
        config.setString("table.local-time-zone", "UTC");
        config.setString("restart-strategy.type", "none");
        // Joins wait for the end of their input, so that the moments at which watermarks come do not count.
        config.setString("pipeline.auto-watermark-interval", "0 ms");
        config.setString("rest.bind-address", "127.0.0.1");
        config.setString("rest.bind-port", "0");
        config.setString("jobmanager.rpc.address", "127.0.0.1");
        // Of the server of blobs, and of the one that a SELECT is read from.
        config.setString("jobmanager.bind-host", "127.0.0.1");
        config.setString("taskmanager.host", "127.0.0.1");
        config.setString("taskmanager.bind-host", "127.0.0.1");
        TableEnvironment flink =
            TableEnvironment.create(EnvironmentSettings.newInstance().withConfiguration(config).build());
        for (String statement : Files.readString(Path.of(args[0])).split(";\n")) {
            long start = System.nanoTime();
            String name = statement.lines().findFirst().orElse("").replace("-- ", "");
            if (statement.contains("\nSELECT")) {
                Files.write(Path.of(args[1], name), rows(flink, statement));
            } else {
                flink.executeSql(statement).await();
            }
            System.out.printf("%s: %.1f s%n", name, (System.nanoTime() - start) / 1e9);
        }
        System.exit(0);
    }

    private static List<String> rows(TableEnvironment flink, String query) throws Exception {
        Map<String, Integer> counts = new HashMap<>();
        try (CloseableIterator<Row> changes = flink.executeSql(query).collect()) {
            while (changes.hasNext()) {
                Row row = changes.next();
                boolean comes = row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER;
                counts.merge(line(row), comes ? 1 : -1, (a, b) -> a + b == 0 ? null : a + b);
            }
        }
        List<String> rows = new ArrayList<>();
        counts.forEach((row, count) -> {
            if (count < 0) throw new IllegalStateException(row + " is retracted, but was not there");
            for (int i = 0; i < count; i++) rows.add(row);
        });
        return rows;
    }

    private static String line(Row row) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.getArity(); i++) line.append(i == 0 ? "" : "\t").append(field(row.getField(i)));
        return line.toString();
    }

    private static String field(Object value) {
        if (value == null) return "-";
        if (value instanceof String text) return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
        if (value instanceof Double number) return Long.toUnsignedString(Double.doubleToRawLongBits(number));
        if (value instanceof BigDecimal number) return number.unscaledValue().toString();
        if (value instanceof LocalDateTime time) return Long.toString(time.toInstant(ZoneOffset.UTC).toEpochMilli());
        if (value instanceof Instant time) return Long.toString(time.toEpochMilli());
        return value.toString();
    }
}
