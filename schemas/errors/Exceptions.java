import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Every public exception in the jars that are its arguments, and the error of Kafka's protocol that
 * stands for it: class, parent, "retriable" or nothing, name and number of the error, by tabs.
 */
public class Exceptions {
    public static void main(String[] jars) throws Exception {
        Map<String, String> errors = errors();
        Class<?> retriable = Class.forName("org.apache.kafka.common.errors.RetriableException");
        TreeMap<String, String> found = new TreeMap<>();
        for (String jar : jars) {
            try (ZipFile zip = new ZipFile(new File(jar))) {
                for (ZipEntry entry : (Iterable<ZipEntry>) () -> zip.stream().map(e -> (ZipEntry) e).iterator()) {
                    String name = entry.getName();
                    String simple = name.substring(name.lastIndexOf('/') + 1).replace(".class", "");
                    if (!name.matches("(org/apache/)?kafka/.*\\.class")) continue;
                    // Few classes are worth loading: those named as such, and those of the protocol.
                    if (!simple.matches(".*(Exception|Error)") && !errors.containsKey(named(name))) continue;
                    if (name.contains("$") || name.contains("/shaded/")) continue;
                    Class<?> type;
                    try {
                        type = Class.forName(named(name), false, Exceptions.class.getClassLoader());
                        if (!Throwable.class.isAssignableFrom(type) || !Modifier.isPublic(type.getModifiers())) continue;
                    } catch (LinkageError missing) {
                        continue;
                    }
                    found.put(type.getName(), type.getName() + "\t" + type.getSuperclass().getSimpleName() + "\t"
                        + (retriable.isAssignableFrom(type) ? "retriable" : "") + "\t"
                        + errors.getOrDefault(type.getName(), "\t"));
                }
            }
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        found.values().forEach(out::println);
        out.flush();
    }

    private static String named(String path) {
        return path.replace(".class", "").replace('/', '.');
    }

    /** Class → name and number of the protocol's error. */
    private static Map<String, String> errors() throws Exception {
        Map<String, String> found = new TreeMap<>();
        Class<?> type = Class.forName("org.apache.kafka.common.protocol.Errors");
        for (Object error : type.getEnumConstants()) {
            Object exception = type.getMethod("exception").invoke(error);
            if (exception == null) continue;
            short code = (short) type.getMethod("code").invoke(error);
            found.put(exception.getClass().getName(), ((Enum<?>) error).name() + "\t" + code);
        }
        return found;
    }
}
