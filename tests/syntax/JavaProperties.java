import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What java.util.Properties makes of texts. Each input line is one text, each output line its pairs
 * as "key:value key:value", or "!" where it throws. All strings are hexadecimal UTF-16 code units,
 * because nothing else carries every text that a Java string can hold.
 */
public class JavaProperties {
    public static void main(String[] args) throws IOException {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.append(pairs(decode(line))).append('\n');
        }
        System.out.print(out);
    }

    static String pairs(String text) throws IOException {
        Properties read = new Properties();
        try {
            read.load(new StringReader(text));
        } catch (IllegalArgumentException malformed) {
            return "!";
        }
        if (text.chars().allMatch(c -> c < 256)) {
            // The way in which Kafka reads its files must not differ.
            Properties bytes = new Properties();
            bytes.load(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
            if (!bytes.equals(read)) {
                throw new IllegalStateException("stream and reader differ: " + encode(text));
            }
        }
        StringBuilder pairs = new StringBuilder();
        new TreeMap<>(read).forEach((key, value) ->
            pairs.append(pairs.length() == 0 ? "" : " ")
                .append(encode((String) key)).append(':').append(encode((String) value)));
        return pairs.toString();
    }

    static String decode(String hex) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < hex.length(); at += 4) {
            text.append((char) Integer.parseInt(hex, at, at + 4, 16));
        }
        return text.toString();
    }

    static String encode(String text) {
        StringBuilder hex = new StringBuilder();
        for (char unit : text.toCharArray()) {
            hex.append(String.format("%04x", (int) unit));
        }
        return hex.toString();
    }
}
