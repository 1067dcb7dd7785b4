package live;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.debezium.transforms.ExtractNewRecordState;
import org.apache.kafka.connect.source.SourceRecord;

/** What becomes of events on their way: nothing, or Debezium's transformation to rows. */
record Flattening(String suffix, Map<String, String> properties, ExtractNewRecordState<SourceRecord> transformation) {
    static List<Flattening> of(Scenario scenario) {
        List<Flattening> all = new ArrayList<>();
        all.add(new Flattening("", null, null));
        if (scenario.database().equals("changes")) {
            all.add(flattening("-flat-tombstone", "tombstone", ""));
            all.add(flattening("-flat-rewrite", "rewrite", "op,table,source.ts_ms"));
        }
        return all;
    }

    private static Flattening flattening(String suffix, String deletes, String added) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("delete.tombstone.handling.mode", deletes);
        if (!added.isEmpty()) {
            properties.put("add.fields", added);
        }
        ExtractNewRecordState<SourceRecord> transformation = new ExtractNewRecordState<>();
        transformation.configure(properties);
        return new Flattening(suffix, properties, transformation);
    }

    SourceRecord apply(SourceRecord record) {
        return transformation == null ? record : transformation.apply(record);
    }
}
