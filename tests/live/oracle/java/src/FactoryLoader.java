import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;

/** Keeps the list of Flink's factories in memory: for each table Flink looks for it in every jar of the class path. */
final class FactoryLoader extends ClassLoader {
    private static final String FACTORIES = "META-INF/services/org.apache.flink.table.factories.Factory";
    private final URL factories;

    FactoryLoader(ClassLoader parent) {
        super(parent);
        try {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (URL url : Collections.list(parent.getResources(FACTORIES))) {
                try (InputStream one = url.openStream()) {
                    one.transferTo(all);
                    all.write('\n');
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
