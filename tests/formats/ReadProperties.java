import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * What java.util.Properties reads from files: each line of standard input names one, each line of
 * standard output is its list of [key, value] in JSON, in the order in which they stand there, or
 * null where Java refuses the file.
 */
public final class ReadProperties {
    public static void main(String[] args) throws Exception {
        BufferedReader names =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String name = names.readLine(); name != null; name = names.readLine()) {
            System.out.println(read(Path.of(name)));
        }
    }

    private static String read(Path path) throws Exception {
        List<String> pairs = new ArrayList<>();
        Properties all = new Properties() {
            @Override
            public synchronized Object put(Object key, Object value) {
                pairs.add("[" + quoted((String) key) + "," + quoted((String) value) + "]");
                return super.put(key, value);
            }
        };
        try (Reader reader = Files.newBufferedReader(path)) {
            all.load(reader);
        } catch (IllegalArgumentException refused) {
            return "null";
        }
        return "[" + String.join(",", pairs) + "]";
    }

    private static String quoted(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c < 32 || c > 126 || c == '"' || c == '\\') {
                made.append(String.format("\\u%04x", (int) c));
            } else {
                made.append(c);
            }
        }
        return made.append('"').toString();
    }
}
