package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Java's own producer: {@code Produce BOOTSTRAP RECORDS (TOPIC COMPRESSION)...} sends the same records to each topic. */
public class Produce {
    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(args[1]));
        for (int i = 2; i < args.length; i += 2) {
            Map<String, Object> config = Map.of(
                "bootstrap.servers", args[0],
                "compression.type", args[i + 1],
                "linger.ms", 20);
            try (var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
                Exception[] failed = {null};
                for (String line : lines) {
                    producer.send(Lines.record(args[i], line), (metadata, error) -> {
                        if (error != null) failed[0] = error;
                    });
                }
                producer.flush();
                if (failed[0] != null) throw failed[0];
            }
        }
    }
}
