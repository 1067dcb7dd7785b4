import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;

/**
 * Keeps the list of Flink's factories in memory: for each table Flink looks for it in every jar of the class path, and
 * makes one of each. Those of the planner are heavy, and left out: none makes a table or a format.
 */
final class FactoryLoader extends ClassLoader {
    private static final String FACTORIES = "META-INF/services/org.apache.flink.table.factories.Factory";
    private static final String PLANNER = "org.apache.flink.table.planner.";
    private final URL factories;

    FactoryLoader(ClassLoader parent) {
        super(parent);
        try {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (URL url : Collections.list(parent.getResources(FACTORIES))) {
                try (InputStream one = url.openStream()) {
                    String lines = new String(one.readAllBytes(), StandardCharsets.UTF_8);
                    for (String line : lines.split("\n")) {
                        if (!line.startsWith(PLANNER)) all.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                    }
                }
            }
            factories = new URL("memory", "", -1, FACTORIES, new InMemory(all.toByteArray()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return name.equals(FACTORIES)
                ? Collections.enumeration(Collections.singleton(factories)) : super.getResources(name);
    }

    private static final class InMemory extends URLStreamHandler {
        private final byte[] bytes;

        InMemory(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {}

                @Override
                public InputStream getInputStream() {
                    return new ByteArrayInputStream(bytes);
                }
            };
        }
    }
}
