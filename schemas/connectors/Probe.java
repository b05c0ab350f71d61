import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks the connectors on the class path what they take: one line for each key of each connector,
 * with its type, the words and the least number that the connector's own validation lets pass.
 *
 * <p>Arguments: names of classes, behind "!" where the ConfigDef is to be asked instead of the
 * connector, whose validation would open connections.
 */
public final class Probe {
    private static final String NONSENSE = "kcheck nonsense";
    private static final Pattern ONE_OF =
        Pattern.compile("one of(?: \\(case insensitive\\))?:? \\[?([\\w.+-]+(?:, [\\w.+-]+)*)");

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            boolean alone = argument.startsWith("!");
            String name = alone ? argument.substring(1) : argument;
            Class<?> type;
            try {
                type = Class.forName(name);
            } catch (ClassNotFoundException | NoClassDefFoundError absent) {
                continue;
            }
            Object connector = type.getConstructor().newInstance();
            Object definition = call(connector, "config");
            Object judge = alone ? definition : connector;
            for (Object key : ((Map<?, ?>) call(definition, "configKeys")).values()) {
                print(name, key, judge);
            }
        }
    }

    private static void print(String connector, Object key, Object judge) throws Exception {
        String name = (String) field(key, "name");
        String type = field(key, "type").toString().toLowerCase();
        String words = "";
        String least = "";
        if (type.equals("string")) {
            words = words(judge, name);
        } else if (List.of("short", "int", "long", "double").contains(type)) {
            least = least(judge, name);
        } else if (type.equals("boolean") && fault(judge, name, NONSENSE).isEmpty()) {
            type = "any";
        }
        System.out.println(String.join("\t", connector, name, type, words, least));
    }

    /** The words that the refusal of nonsense names; some may need other keys. */
    private static String words(Object judge, String name) throws Exception {
        Matcher told = ONE_OF.matcher(fault(judge, name, NONSENSE));
        if (!told.find()) {
            return "";
        }
        List<String> words = new ArrayList<>(List.of(told.group(1).split(", ")));
        words.sort(null);
        boolean anyCase = false;
        for (String word : words) {
            anyCase |= fault(judge, name, word).isEmpty()
                && fault(judge, name, word.toUpperCase()).isEmpty()
                && fault(judge, name, word.toLowerCase()).isEmpty();
        }
        return (anyCase ? "any-case:" : "") + String.join("|", words);
    }

    /** The least of -1, 0 and 1 that is taken; empty where that is -1 or depends on other keys. */
    private static String least(Object judge, String name) throws Exception {
        if (!fault(judge, name, "1").isEmpty() || fault(judge, name, "-1").isEmpty()) {
            return "";
        }
        return fault(judge, name, "0").isEmpty() ? "0" : "1";
    }

    /** Why a value alone is refused; empty where it is not. */
    private static String fault(Object judge, String name, String value) throws Exception {
        Method validate = judge.getClass().getMethod("validate", Map.class);
        Object found;
        try {
            found = validate.invoke(judge, Map.of(name, value));
        } catch (InvocationTargetException refused) {
            return String.valueOf(refused.getCause());
        }
        Collection<?> values =
            (Collection<?>) (found instanceof Collection ? found : call(found, "configValues"));
        for (Object one : values) {
            if (name.equals(call(one, "name"))) {
                return String.join(" ", strings((Collection<?>) call(one, "errorMessages")));
            }
        }
        return "";
    }

    private static List<String> strings(Collection<?> values) {
        List<String> found = new ArrayList<>();
        values.forEach(value -> found.add(String.valueOf(value)));
        return found;
    }

    private static Object call(Object target, String method) throws Exception {
        Method found = target.getClass().getMethod(method);
        found.setAccessible(true);
        return found.invoke(target);
    }

    private static Object field(Object target, String name) throws Exception {
        return target.getClass().getField(name).get(target);
    }
}
