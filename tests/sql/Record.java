import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.TreeMap;
import org.apache.calcite.config.Lex;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.sql.parser.impl.FlinkSqlParserImpl;
import org.apache.flink.sql.parser.impl.FlinkSqlParserImplConstants;
import org.apache.flink.sql.parser.validate.FlinkSqlConformance;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * Records what Flink's SQL says. With org.apache.flink:flink-table-planner_2.12:2.3.0, flink-table-runtime and
 * flink-clients on the class path: `Record words > words.txt`, `Record letters > letters.txt` and
 * `Record statements < statements.jsonl`, which takes each line's `ddl` and prints the line anew.
 */
public class Record {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "words" -> words();
            case "letters" -> letters();
            default -> {
                Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8).useDelimiter("\n");
                while (lines.hasNext()) {
                    String ddl = JSON.readTree(lines.next()).get("ddl").asText();
                    TreeMap<String, Object> answer = statement(ddl);
                    answer.put("ddl", ddl);
                    OUT.println(JSON.writeValueAsString(answer));
                }
            }
        }
    }

    /** Every token of the parser that is a word, and whether it is a name of a table, a column and a field. */
    private static void words() {
        TreeMap<String, String> words = new TreeMap<>();
        for (String image : FlinkSqlParserImplConstants.tokenImage) {
            if (image.matches("\"[A-Z_0-9]+\"")) {
                String word = image.substring(1, image.length() - 1);
                boolean isName = parses("CREATE TABLE " + word + " (id BIGINT)");
                if (isName != parses("CREATE TABLE t (" + word + " BIGINT)")
                        || isName != parses("CREATE TABLE t (id BIGINT, PRIMARY KEY (" + word + ") NOT ENFORCED)")
                        || isName != parses("CREATE TABLE t (r ROW<" + word + " INT>)")) {
                    throw new IllegalStateException(word);
                }
                words.put(word, isName ? "name" : "reserved");
            }
        }
        words.forEach((word, kind) -> OUT.println(word + " " + kind));
    }

    /** Ranges of the characters that may begin a name, and of those that may only go on in one. */
    private static void letters() {
        String before = "";
        int first = 0;
        for (int c = 0; c <= 0x10000; c++) {
            // A point is in a path of names and not in a name.
            boolean isLetter = c < 0x10000 && c != '.' && parses("CREATE TABLE t (a" + (char) c + "b\n BIGINT)");
            boolean begins = isLetter && parses("CREATE TABLE t (" + (char) c + "a BIGINT)");
            String kind = begins ? "begins" : isLetter ? "goes-on" : "";
            if (!kind.equals(before)) {
                if (!before.isEmpty()) {
                    OUT.printf("%04X-%04X %s%n", first, c - 1, before);
                }
                first = c;
                before = kind;
            }
        }
    }

    private static boolean parses(String statement) {
        SqlParser.Config config = SqlParser.config()
                .withParserFactory(FlinkSqlParserImpl.FACTORY)
                .withConformance(FlinkSqlConformance.DEFAULT)
                .withLex(Lex.JAVA)
                .withIdentifierMaxLength(256);
        try {
            SqlParser.create(statement, config).parseStmt();
            return true;
        } catch (SqlParseException e) {
            return false;
        }
    }

    /** The table's columns, options and comment, or the message of the root cause without its list of tokens. */
    private static TreeMap<String, Object> statement(String ddl) {
        TreeMap<String, Object> answer = new TreeMap<>();
        try {
            TableEnvironment environment = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
            environment.executeSql(ddl);
            String name = environment.listTables()[0];
            List<String> columns = new ArrayList<>();
            for (Column column : environment.from("`" + name + "`").getResolvedSchema().getColumns()) {
                columns.add(column.asSummaryString());
            }
            answer.put("columns", columns);
            if (environment.listTemporaryTables().length == 0) {
                CatalogBaseTable table = environment.getCatalog("default_catalog").get()
                        .getTable(new ObjectPath("default_database", name));
                answer.put("options", new TreeMap<>(table.getOptions()));
                answer.put("comment", table.getComment());
            }
        } catch (Exception | Error e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            answer.put("error", root.getMessage().split("\nWas expecting")[0]);
        }
        return answer;
    }
}
