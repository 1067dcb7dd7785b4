package live;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.Stores;

/** Kafka Streams: {@code KTable BOOTSTRAP TOPIC STATE} prints what a KTable over the topic holds, {@code key value}. */
public class KTable {
    public static void main(String[] args) throws Exception {
        Map<Integer, Long> ends = ends(args[0], args[1]), read = new ConcurrentHashMap<>();

        StreamsBuilder builder = new StreamsBuilder();
        builder
            .table(args[1], Consumed.with(Serdes.Bytes(), Serdes.ByteArray()),
                Materialized.<Bytes, byte[]>as(Stores.inMemoryKeyValueStore("table")).withLoggingDisabled())
            .toStream()
            .process(() -> new ContextualProcessor<Bytes, byte[], Void, Void>() {
                @Override
                public void process(Record<Bytes, byte[]> record) {
                    context().recordMetadata().ifPresent(at -> read.put(at.partition(), at.offset() + 1));
                }
            });
        Properties config = new Properties();
        config.putAll(Map.of(
            "application.id", "live-" + args[1],
            "bootstrap.servers", args[0],
            "auto.offset.reset", "earliest",
            "state.dir", args[2],
            "statestore.cache.max.bytes", 0));
        try (KafkaStreams streams = new KafkaStreams(builder.build(), config)) {
            streams.start();
            while (!read.equals(ends)) Thread.sleep(50);
            var table = streams.store(StoreQueryParameters.fromNameAndType(
                "table", QueryableStoreTypes.<Bytes, byte[]>keyValueStore()));
            try (var entries = table.all()) {
                entries.forEachRemaining(e -> System.out.println(Lines.of(e.key.get()) + "\t" + Lines.of(e.value)));
            }
        }
    }

    /** The end of each partition that has records. */
    private static Map<Integer, Long> ends(String bootstrap, String topic) {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap);
        Map<Integer, Long> ends = new HashMap<>();
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition())).collect(Collectors.toList());
            consumer.endOffsets(partitions).forEach((partition, end) -> {
                if (end > 0) ends.put(partition.partition(), end);
            });
        }
        return ends;
    }
}
