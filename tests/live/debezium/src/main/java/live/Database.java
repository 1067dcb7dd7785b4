package live;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server of the distribution's package, in a temporary directory, on 127.0.0.1. */
abstract class Database implements AutoCloseable {
    final Path directory;
    final int port;
    private Process process;
    private int connectors;

    private Database() throws IOException {
        directory = Files.createTempDirectory("database");
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
    }

    static Database start(String name) throws Exception {
        Database database = name.equals("postgres") ? new Postgres() : new MariaDb();
        database.prepare();
        database.process = new ProcessBuilder(database.server())
                .redirectErrorStream(true)
                .redirectOutput(database.directory.resolve("log").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(database.process::destroy));
        for (int attempt = 0;; attempt++) {
            try {
                database.connect(database.first()).close();
                return database;
            } catch (SQLException error) {
                if (attempt == 100 || !database.process.isAlive()) {
                    throw new IllegalStateException(Files.readString(database.directory.resolve("log")), error);
                }
                Thread.sleep(300);
            }
        }
    }

    /** Makes an empty database. */
    void recreate(String name) throws SQLException {
        try (Connection connection = connect(first()); Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS " + name);
            statement.execute("CREATE DATABASE " + name);
        }
    }

    Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url() + database, user(), "");
    }

    /** What the engine is told. */
    Map<String, String> properties(String database, Path offsets) {
        Map<String, String> properties = new HashMap<>();
        properties.put("name", "recorder");
        properties.put("topic.prefix", "live");
        properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        properties.put("database.hostname", "127.0.0.1");
        properties.put("database.port", String.valueOf(port));
        properties.put("database.user", user());
        properties.put("database.password", "");
        properties.put("skipped.operations", "none");
        own(properties, database, ++connectors);
        return properties;
    }

    @Override
    public void close() throws Exception {
        process.destroy();
        process.waitFor();
    }

    abstract void prepare() throws Exception;

    abstract List<String> server();

    abstract String first();

    abstract String url();

    abstract String user();

    abstract void own(Map<String, String> properties, String database, int number);

    static void run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + output);
        }
    }

    private static final class Postgres extends Database {
        Postgres() throws IOException {}

        /** The server does not run as root. */
        private List<String> command(String program, String... arguments) throws IOException {
            List<String> command = new ArrayList<>();
            if (System.getProperty("user.name").equals("root")) {
                command.addAll(List.of("runuser", "-u", "postgres", "--"));
            }
            try (var versions = Files.list(Path.of("/usr/lib/postgresql"))) {
                Path version = versions.max(Path::compareTo).orElseThrow();
                command.add(version.resolve("bin").resolve(program).toString());
            }
            command.addAll(List.of(arguments));
            return command;
        }

        @Override
        void prepare() throws Exception {
            run(List.of("chmod", "777", directory.toString()));
            run(command("initdb", "-D", directory.resolve("data").toString(), "-U", "live", "-A", "trust", "-E", "UTF8",
                    "--locale=C.UTF-8"));
        }

        @Override
        List<String> server() {
            try {
                return command("postgres", "-D", directory.resolve("data").toString(), "-h", "127.0.0.1", "-p",
                        String.valueOf(port), "-k", directory.toString(), "-c", "wal_level=logical", "-c", "fsync=off",
                        "-c", "timezone=UTC", "-c", "lc_monetary=C");
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }

        @Override
        String first() {
            return "postgres";
        }

        @Override
        String url() {
            return "jdbc:postgresql://127.0.0.1:" + port + "/";
        }

        @Override
        String user() {
            return "live";
        }

        @Override
        void own(Map<String, String> properties, String database, int number) {
            properties.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
            properties.put("plugin.name", "pgoutput");
            properties.put("database.dbname", database);
            properties.put("slot.name", "live" + number);
            properties.put("slot.drop.on.stop", "true");
        }
    }

    private static final class MariaDb extends Database {
        MariaDb() throws IOException {}

        @Override
        void prepare() throws Exception {
            run(List.of("mariadb-install-db", "--no-defaults", "--user=" + System.getProperty("user.name"),
                    "--auth-root-authentication-method=normal", "--datadir=" + directory.resolve("data"),
                    "--skip-test-db"));
        }

        @Override
        List<String> server() {
            return List.of("mariadbd", "--no-defaults", "--user=" + System.getProperty("user.name"),
                    "--datadir=" + directory.resolve("data"), "--bind-address=127.0.0.1", "--port=" + port,
                    "--socket=" + directory.resolve("socket"), "--server-id=1", "--log-bin=binlog",
                    "--binlog-format=ROW", "--binlog-row-image=FULL", "--default-time-zone=+00:00",
                    "--character-set-server=utf8mb4", "--sql-mode=");
        }

        @Override
        String first() {
            return "mysql";
        }

        @Override
        String url() {
            return "jdbc:mariadb://127.0.0.1:" + port + "/";
        }

        @Override
        String user() {
            return "root";
        }

        @Override
        void own(Map<String, String> properties, String database, int number) {
            properties.put("connector.class", "io.debezium.connector.mariadb.MariaDbConnector");
            properties.put("database.include.list", database);
            properties.put("database.server.id", String.valueOf(100 + number));
            properties.put("database.ssl.mode", "disable");
            properties.put("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
        }
    }
}
