package live;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Records as lines: fields between tabs, bytes in hexadecimal, a null as {@code -}, headers as {@code name=value}. */
class Lines {
    static String of(byte[] bytes) {
        return bytes == null ? "-" : HexFormat.of().formatHex(bytes);
    }

    static byte[] bytes(String text) {
        return text.equals("-") ? null : HexFormat.of().parseHex(text);
    }

    /** {@code topic partition offset timestamp key value header...} */
    static String of(ConsumerRecord<byte[], byte[]> r) {
        StringBuilder line = new StringBuilder();
        line.append(r.topic()).append('\t').append(r.partition()).append('\t').append(r.offset()).append('\t')
            .append(r.timestamp()).append('\t').append(of(r.key())).append('\t').append(of(r.value()));
        for (Header h : r.headers()) line.append('\t').append(h.key()).append('=').append(of(h.value()));
        return line.toString();
    }

    /** {@code timestamp key value header...} */
    static ProducerRecord<byte[], byte[]> record(String topic, String line) {
        String[] fields = line.split("\t", -1);
        List<Header> headers = new ArrayList<>();
        for (int i = 3; i < fields.length; i++) {
            int end = fields[i].indexOf('=');
            headers.add(new RecordHeader(fields[i].substring(0, end), bytes(fields[i].substring(end + 1))));
        }
        return new ProducerRecord<>(topic, null, Long.parseLong(fields[0]), bytes(fields[1]), bytes(fields[2]), headers);
    }
}
