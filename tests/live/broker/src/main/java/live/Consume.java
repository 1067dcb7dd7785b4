package live;

import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Java's own consumer: {@code Consume BOOTSTRAP ISOLATION TOPIC...} prints all records of the topics. */
public class Consume {
    public static void main(String[] args) {
        Map<String, Object> config = Map.of(
            "bootstrap.servers", args[0],
            "isolation.level", args[1],
            "auto.offset.reset", "earliest",
            "enable.auto.commit", false,
            "check.crcs", true);
        var out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = Stream.of(args).skip(2)
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .collect(Collectors.toList());
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
                consumer.poll(Duration.ofMillis(500)).forEach(record -> out.println(Lines.of(record)));
            }
        }
        out.flush();
    }
}
