import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.table.types.utils.TypeConversions;

/** The table of a case, as the Table API resolves it. */
final class Tables {
    static final ObjectIdentifier NAME = ObjectIdentifier.of("default_catalog", "default_database", "tbl");

    record Metadata(String name, LogicalType type, String key, boolean isVirtual) {}

    final List<String> names = new ArrayList<>();
    final List<LogicalType> types = new ArrayList<>();
    final List<Metadata> metadata = new ArrayList<>();
    final List<String> primaryKey = new ArrayList<>();
    final Map<String, String> options = new LinkedHashMap<>();

    Tables(JsonNode table, JsonNode options) {
        for (JsonNode column : table.get("columns")) {
            names.add(column.get(0).textValue());
            types.add(type(column.get(1)));
        }
        for (JsonNode column : Json.list(table.get("metadata"))) {
            metadata.add(new Metadata(column.get(0).textValue(), type(column.get(1)), column.get(2).textValue(),
                    column.get(3).booleanValue()));
        }
        for (JsonNode column : Json.list(table.get("primary_key"))) primaryKey.add(column.textValue());
        for (Iterator<Map.Entry<String, JsonNode>> each = options.fields(); each.hasNext(); ) {
            Map.Entry<String, JsonNode> option = each.next();
            this.options.put(option.getKey(), Registry.localized(option.getValue().textValue()));
        }
    }

    List<Metadata> writable() {
        return metadata.stream().filter(column -> !column.isVirtual).toList();
    }

    ResolvedCatalogTable resolve() throws Exception {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(Column.physical(names.get(i), TypeConversions.fromLogicalToDataType(types.get(i))));
        }
        for (Metadata m : metadata) {
            DataType type = TypeConversions.fromLogicalToDataType(m.type);
            columns.add(Column.metadata(m.name, type, m.key, m.isVirtual));
        }
        UniqueConstraint key = primaryKey.isEmpty() ? null : UniqueConstraint.primaryKey("pk", primaryKey);
        ResolvedSchema schema = resolvedSchema(columns, key);
        Schema unresolved = Schema.newBuilder().fromResolvedSchema(schema).build();
        return new ResolvedCatalogTable(catalogTable(unresolved), schema);
    }

    /** The columns of a row, and after them those of the metadata. */
    DataType withMetadata(Map<String, DataType> metadataTypes) {
        List<DataTypes.Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            fields.add(DataTypes.FIELD(names.get(i), TypeConversions.fromLogicalToDataType(types.get(i))));
        }
        metadataTypes.forEach((key, type) -> fields.add(DataTypes.FIELD("$metadata$" + key, type)));
        return DataTypes.ROW(fields).notNull();
    }

    private static ResolvedSchema resolvedSchema(List<Column> columns, UniqueConstraint key) throws Exception {
        return new ResolvedSchema(columns, List.of(), key);
    }

    /** `CatalogTable.of` of the 1.x releases is a builder in the 2.x ones. */
    private CatalogTable catalogTable(Schema schema) throws Exception {
        try {
            Object builder = Reflect.call(CatalogTable.class, null, "newBuilder");
            Class<?> of = builder.getClass();
            Reflect.call(of, builder, "schema", schema);
            Reflect.call(of, builder, "options", options);
            return (CatalogTable) Reflect.call(of, builder, "build");
        } catch (NoSuchMethodException e) {
            return (CatalogTable) Reflect.call(CatalogTable.class, null, "of", schema, null, List.of(), options);
        }
    }

    static LogicalType type(JsonNode text) {
        return LogicalTypeParser.parse(text.textValue(), Tables.class.getClassLoader());
    }
}
