package live;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A script with the tables and their changes, and what Debezium is told beyond where the database is.
 *
 * @param values what stands in the script for its variables
 */
record Scenario(
        String name, String connector, String database, Map<String, String> values, Map<String, String> properties) {

    String script() {
        return "/" + connector + "/" + database + ".sql";
    }

    /** Numbers that need more digits than a double has, and some that do not. */
    private static final Map<String, String> LONG = Map.of("whole", "9".repeat(38), "numeric",
            "-1234567890.0123456789", "unsigned", "9223372036854775807");
    private static final Map<String, String> SHORT = Map.of("whole", "123456789012", "numeric", "-12345.5", "unsigned",
            "9007199254740991");
    private static final Map<String, String> UNSIGNED = Map.of("whole", "9".repeat(38), "unsigned", "18446744073709551615");

    static List<Scenario> of(String connector) {
        List<Scenario> scenarios = new ArrayList<>();
        boolean postgres = connector.equals("postgres");
        for (String identity : postgres ? List.of("FULL", "DEFAULT") : List.of("")) {
            String name = postgres ? "changes-" + identity.toLowerCase() : "changes";
            scenarios.add(scenario(connector, "changes", name, Map.of("identity", identity),
                    "provide.transaction.metadata=true"));
        }
        if (postgres) {
            scenarios.add(scenario(connector, "toast", "toast", Map.of(), "hstore.handling.mode=map"));
            scenarios.add(scenario(connector, "types", "types", LONG, ""));
            scenarios.add(scenario(connector, "types", "types-string-connect", LONG,
                    "decimal.handling.mode=string time.precision.mode=connect binary.handling.mode=base64 "
                            + "hstore.handling.mode=map interval.handling.mode=string"));
            scenarios.add(scenario(connector, "types", "types-double-isostring", SHORT,
                    "decimal.handling.mode=double time.precision.mode=isostring binary.handling.mode=hex"));
            scenarios.add(scenario(connector, "types", "types-microseconds", LONG,
                    "time.precision.mode=microseconds binary.handling.mode=base64-url-safe"));
            scenarios.add(scenario(connector, "types", "types-nanoseconds", LONG, "time.precision.mode=nanoseconds"));
            scenarios.add(scenario(connector, "types", "types-adaptive-time-microseconds", LONG,
                    "time.precision.mode=adaptive_time_microseconds"));
        } else {
            scenarios.add(scenario(connector, "types", "types", UNSIGNED,
                    "bigint.unsigned.handling.mode=precise"));
            scenarios.add(scenario(connector, "types", "types-string-connect", LONG,
                    "decimal.handling.mode=string time.precision.mode=connect binary.handling.mode=base64"));
            scenarios.add(scenario(connector, "types", "types-double-isostring", SHORT,
                    "decimal.handling.mode=double time.precision.mode=isostring binary.handling.mode=hex"));
        }
        return scenarios;
    }

    private static Scenario scenario(
            String connector, String database, String name, Map<String, String> values, String properties) {
        Map<String, String> map = new TreeMap<>();
        for (String property : properties.isEmpty() ? new String[0] : properties.split(" ")) {
            map.put(property.split("=")[0], property.split("=")[1]);
        }
        return new Scenario(connector + "-" + name, connector, database, values, map);
    }
}
