package live;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Records what Debezium writes about the changes of a database, and what the database then holds: a file for each of
 * {@link Scenario}'s scenarios. It takes the packages postgresql and postgresql-postgis, or mariadb-server:
 *
 * <pre>mvn -P postgres compile exec:java -Dexec.mainClass=live.Record -Dexec.args="postgres ../../debezium"</pre>
 */
public final class Record {
    public static void main(String[] arguments) throws Exception {
        Path out = Path.of(arguments[1]);
        String only = arguments.length > 2 ? arguments[2] : "";
        try (Database database = Database.start(arguments[0])) {
            for (Scenario scenario : Scenario.of(arguments[0])) {
                if (scenario.name().startsWith(only)) {
                    record(database, scenario, out);
                }
            }
        }
        System.exit(0);
    }

    private static void record(Database database, Scenario scenario, Path out) throws Exception {
        database.recreate(scenario.database());
        Map<String, String> parts = parts(scenario);
        List<SourceRecord> records = new ArrayList<>();
        try (Connection connection = database.connect(scenario.database())) {
            execute(connection, "CREATE TABLE zz_done (id int PRIMARY KEY)");
            execute(connection, "INSERT INTO zz_done VALUES (1)");
            execute(connection, parts.get("before"));
            Path offsets = Files.createTempDirectory("debezium");
            Properties properties = new Properties();
            properties.putAll(database.properties(scenario.database(), offsets));
            properties.putAll(scenario.properties());
            CountDownLatch[] done = {new CountDownLatch(1), new CountDownLatch(2)};
            String[] failure = {null};
            DebeziumEngine<RecordChangeEvent<SourceRecord>> engine = DebeziumEngine
                    .create(ChangeEventFormat.of(Connect.class))
                    .using(properties)
                    .using((success, message, error) -> {
                        failure[0] = success ? null : message + " " + error;
                        done[0].countDown();
                        done[1].countDown();
                        done[1].countDown();
                    })
                    .notifying(event -> {
                        if (event.record().topic().contains("zz_done")) {
                            done[0].countDown();
                            done[1].countDown();
                        } else {
                            records.add(event.record());
                        }
                    })
                    .build();
            ExecutorService executor = Executors.newSingleThreadExecutor();
            executor.execute(engine);
            await(done[0], scenario, failure);
            execute(connection, parts.get("after"));
            execute(connection, "INSERT INTO zz_done VALUES (2)");
            await(done[1], scenario, failure);
            engine.close();
            executor.shutdown();
            executor.awaitTermination(1, TimeUnit.MINUTES);
            write(connection, scenario, parts, records, out);
        }
    }

    private static void await(CountDownLatch latch, Scenario scenario, String[] failure) throws Exception {
        if (!latch.await(2, TimeUnit.MINUTES) || failure[0] != null) {
            throw new IllegalStateException(scenario.name() + ": " + failure[0]);
        }
    }

    /** The file of a recording, and one for each way to flatten it. */
    private static void write(
            Connection connection, Scenario scenario, Map<String, String> parts, List<SourceRecord> records, Path out)
            throws Exception {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(parts.get("rows"))) {
            while (result.next()) {
                rows.add(result.getString(1).replaceAll("[\\n]", ""));
            }
        }
        String version = connection.getMetaData().getDatabaseProductName() + " "
                + connection.getMetaData().getDatabaseProductVersion();
        for (Flattening flattening : Flattening.of(scenario)) {
            String name = scenario.name() + flattening.suffix();
            try (PrintStream file = new PrintStream(Files.newOutputStream(out.resolve(name + ".jsonl")), false, "UTF-8")) {
                Lines lines = new Lines(file);
                lines.head(version, parts.get("table"), scenario.properties(), flattening.properties());
                for (SourceRecord record : records) {
                    lines.record(flattening.apply(record));
                }
                rows.forEach(lines::row);
            }
            System.err.println(name + ": " + records.size() + " events, " + rows.size() + " rows");
        }
    }

    private static Map<String, String> parts(Scenario scenario) throws IOException {
        Map<String, String> parts = new LinkedHashMap<>();
        try (var stream = Record.class.getResourceAsStream(scenario.script())) {
            String text = new String(stream.readAllBytes(), "UTF-8");
            for (Map.Entry<String, String> value : scenario.values().entrySet()) {
                text = text.replace("${" + value.getKey() + "}", value.getValue());
            }
            for (String part : text.split("(?m)^-- ")) {
                int end = part.indexOf('\n');
                if (end > 0) {
                    parts.put(part.substring(0, end).trim(), part.substring(end).trim());
                }
            }
        }
        return parts;
    }

    /** Statements end with a semicolon at the end of a line. */
    private static void execute(Connection connection, String script) throws Exception {
        for (String sql : script.split("(?m);$")) {
            try (Statement statement = connection.createStatement()) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }
}
