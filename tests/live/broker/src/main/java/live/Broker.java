package live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kafka.Kafka;
import kafka.tools.StorageTool$;
import org.apache.kafka.common.Uuid;

/**
 * One Kafka broker that is its own controller: {@code Broker server.properties}. Formats its storage if that is new, and
 * ends, without ceremony, when its standard input does: with whoever started it.
 */
public class Broker {
    public static void main(String[] args) throws Exception {
        Path properties = Path.of(args[0]);
        Thread watch = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (IOException closed) {
                // it has ended
            }
            Runtime.getRuntime().halt(0);
        });
        watch.setDaemon(true);
        watch.start();
        if (!Files.exists(properties.resolveSibling("log/meta.properties"))) {
            int code = StorageTool$.MODULE$.execute(
                new String[] {"format", "--standalone", "--cluster-id", Uuid.randomUuid().toString(), "--config", args[0]},
                System.out);
            if (code != 0) System.exit(code);
        }
        Kafka.main(args);
    }
}
