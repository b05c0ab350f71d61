import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Asks one Kafka release whether it takes configurations, by reflection over its jars.
 *
 * <p>Input, one case per line: {@code id TAB plane TAB properties [TAB properties of the topic]},
 * properties as {@code key=value} separated by U+0001. Output per case: the id and {@code accepted}
 * or {@code refused} and why, separated by tabs.
 */
public final class Oracle {
    private static final String CLIENTS = "org.apache.kafka.clients.";
    private static final String CONNECT = "org.apache.kafka.connect.runtime.";
    private static final String LOG = "org.apache.kafka.storage.internals.log.LogConfig";

    private Oracle() {
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(
            new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(
            new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] cells = line.split("\t", -1);
            Map<String, Object> props = parsed(cells[2]);
            String verdict;
            try {
                String more = ask(cells[1], props, cells.length > 3 ? parsed(cells[3]) : null);
                verdict = "accepted\t" + more;
            } catch (Throwable refusal) {
                verdict = "refused\t" + innermost(refusal);
            }
            out.println(cells[0] + "\t" + verdict);
        }
        out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Map<String, Object> parsed(String cell) {
        Map<String, Object> props = new HashMap<>();
        for (String pair : cell.split("\u0001")) {
            int at = pair.indexOf('=');
            if (at > 0) {
                props.put(pair.substring(0, at), pair.substring(at + 1));
            }
        }
        return props;
    }

    private static String innermost(Throwable refusal) {
        while (refusal.getCause() != null) {
            refusal = refusal.getCause();
        }
        return refusal.getClass().getSimpleName() + ": "
            + String.valueOf(refusal.getMessage()).replaceAll("\\s+", " ");
    }

    private static String ask(String plane, Map<String, Object> props, Map<String, Object> topic)
        throws Throwable {
        switch (plane) {
            case "broker":
                broker(props);
                return "";
            case "values":
                return shown(broker(props));
            case "topic":
                topic(broker(props), props, topic);
                return "";
            case "producer":
                close(made(CLIENTS + "producer.KafkaProducer", properties(props)));
                return "";
            case "consumer":
                close(made(CLIENTS + "consumer.KafkaConsumer", properties(props)));
                return "";
            case "share-consumer":
                close(made(CLIENTS + "consumer.KafkaShareConsumer", properties(props)));
                return "";
            case "admin":
                Class<?> admin = Class.forName(CLIENTS + "admin.Admin");
                close(admin.getMethod("create", Properties.class).invoke(null, properties(props)));
                return "";
            case "streams":
                streams(props);
                return "";
            case "connect-distributed":
                made(CONNECT + "distributed.DistributedConfig", props);
                return "";
            case "connect-standalone":
                made(CONNECT + "standalone.StandaloneConfig", props);
                return "";
            default:
                throw new IllegalStateException("no plane " + plane);
        }
    }

    private static Properties properties(Map<String, Object> props) {
        Properties made = new Properties();
        made.putAll(props);
        return made;
    }

    private static Object made(String name, Object argument) throws Throwable {
        Class<?> type = argument instanceof Properties ? Properties.class : Map.class;
        return Class.forName(name).getConstructor(type).newInstance(argument);
    }

    private static void close(Object client) throws Throwable {
        // Some values make a client wait for ever, also when it is closed.
        Thread closer = new Thread(() -> {
            try {
                client.getClass().getMethod("close", java.time.Duration.class)
                    .invoke(client, java.time.Duration.ZERO);
            } catch (ReflectiveOperationException failure) {
                // It was constructed: that is all that was asked.
            }
        });
        closer.setDaemon(true);
        closer.start();
        closer.join(200);
    }

    /** The broker's topic defaults as the running broker would hold them. */
    private static Map<?, ?> broker(Map<String, Object> props) throws Throwable {
        Class<?> type = Class.forName("kafka.server.KafkaConfig");
        Object config = null;
        for (Constructor<?> one : type.getConstructors()) {
            Class<?>[] wanted = one.getParameterTypes();
            if (wanted.length == 2 && wanted[0] == Map.class && wanted[1] == boolean.class) {
                config = one.newInstance(props, false);
            }
        }
        Map<?, ?> log;
        if (has(type, "extractLogConfigMap")) {
            log = (Map<?, ?>) type.getMethod("extractLogConfigMap").invoke(config);
        } else if (has(Class.forName("kafka.log.LogConfig$"), "extractLogConfigMap")) {
            log = (Map<?, ?>) scala("kafka.log.LogConfig$", "extractLogConfigMap", config);
        } else if (has(Class.forName("kafka.server.LogConfig$"), "extractLogConfigMap")) {
            log = (Map<?, ?>) scala("kafka.server.LogConfig$", "extractLogConfigMap", config);
        } else {
            log = (Map<?, ?>) scala("kafka.server.KafkaServer$", "copyKafkaConfigToLog", config);
        }
        Class<?> logs = logConfig();
        Method named = null;
        for (Method method : logs.getDeclaredMethods()) {
            if (method.getName().equals("validateBrokerLogConfigValues")
                || (named == null && method.getName().equals("validateValues"))) {
                named = method.getName().startsWith("validateB") || named == null ? method : named;
            }
        }
        named.setAccessible(true);
        Object on = named.getParameterCount() == 2 ? tiered(props) : null;
        Object target = Modifier.isStatic(named.getModifiers())
            ? null : logs.getField("MODULE$").get(null);
        if (on == null) {
            named.invoke(target, log);
        } else {
            named.invoke(target, log, on);
        }
        return log;
    }

    private static boolean tiered(Map<String, Object> props) {
        return "true".equalsIgnoreCase(
            String.valueOf(props.get("remote.log.storage.system.enable")).trim());
    }

    private static Class<?> logConfig() throws ClassNotFoundException {
        try {
            Class<?> found = Class.forName(LOG);
            if (has(found, "validateValues") || has(found, "validateBrokerLogConfigValues")) {
                return found;
            }
        } catch (ClassNotFoundException older) {
            // Up to 3.4.
        }
        return Class.forName("kafka.log.LogConfig$");
    }

    private static void topic(Map<?, ?> broker, Map<String, Object> props, Map<String, Object> topic)
        throws Throwable {
        Class<?> logs = logConfig();
        Method longest = null;
        for (Method method : logs.getDeclaredMethods()) {
            if (method.getName().equals("validate")
                && (longest == null || method.getParameterCount() > longest.getParameterCount())) {
                longest = method;
            }
        }
        longest.setAccessible(true);
        List<Object> arguments = new ArrayList<>();
        Class<?>[] wanted = longest.getParameterTypes();
        boolean flagged = false;
        int maps = 0;
        // (Properties) | (Properties, Map, boolean) | (Map, Properties, Map, boolean[, boolean]).
        int own = wanted.length >= 4 ? 1 : 0;
        for (Class<?> one : wanted) {
            if (one == boolean.class) {
                arguments.add(!flagged && tiered(props));
                flagged = true;
                continue;
            }
            boolean change = maps == own;
            Object map = change ? topic : maps < own ? new HashMap<>() : broker;
            arguments.add(one == Properties.class ? properties((Map<String, Object>) map) : map);
            maps++;
        }
        Object target = Modifier.isStatic(longest.getModifiers())
            ? null : logs.getField("MODULE$").get(null);
        longest.invoke(target, arguments.toArray());
    }

    private static void streams(Map<String, Object> props) throws Throwable {
        Object config = made("org.apache.kafka.streams.StreamsConfig", props);
        Class<?> type = config.getClass();
        Map<String, Object> producer = (Map<String, Object>)
            type.getMethod("getProducerConfigs", String.class).invoke(config, "client");
        Map<String, Object> consumer = (Map<String, Object>)
            type.getMethod("getMainConsumerConfigs", String.class, String.class, int.class)
                .invoke(config, "group", "client", 0);
        Map<String, Object> restore = (Map<String, Object>)
            type.getMethod("getRestoreConsumerConfigs", String.class).invoke(config, "client");
        Map<String, Object> global = (Map<String, Object>)
            type.getMethod("getGlobalConsumerConfigs", String.class).invoke(config, "client");
        Map<String, Object> admin = (Map<String, Object>)
            type.getMethod("getAdminConfigs", String.class).invoke(config, "client");
        String bytes = "org.apache.kafka.common.serialization.ByteArray";
        producer.put("key.serializer", bytes + "Serializer");
        producer.put("value.serializer", bytes + "Serializer");
        if ("exactly_once_v2".equals(props.get("processing.guarantee"))) {
            producer.put("transactional.id", "t");
        }
        close(made(CLIENTS + "producer.KafkaProducer", producer));
        for (Map<String, Object> one : List.of(consumer, restore, global)) {
            one.put("key.deserializer", bytes + "Deserializer");
            one.put("value.deserializer", bytes + "Deserializer");
            one.remove("partition.assignment.strategy");
            close(made(CLIENTS + "consumer.KafkaConsumer", one));
        }
        Class<?> admins = Class.forName(CLIENTS + "admin.Admin");
        close(admins.getMethod("create", Map.class).invoke(null, admin));
    }

    private static String shown(Map<?, ?> log) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<?, ?> entry : new TreeMap<>(log).entrySet()) {
            text.append(text.length() > 0 ? "\u0001" : "").append(entry.getKey()).append('=')
                .append(String.valueOf(entry.getValue()).replaceAll("[\\t\\n]", " "));
        }
        return text.toString();
    }

    private static boolean has(Class<?> type, String method) {
        for (Method one : type.getDeclaredMethods()) {
            if (one.getName().equals(method)) {
                return true;
            }
        }
        return false;
    }

    private static Object scala(String name, String method, Object argument) throws Throwable {
        Class<?> type = Class.forName(name);
        for (Method one : type.getDeclaredMethods()) {
            if (one.getName().equals(method) && one.getParameterCount() == 1) {
                one.setAccessible(true);
                return one.invoke(type.getField("MODULE$").get(null), argument);
            }
        }
        throw new NoSuchMethodException(name + " " + method);
    }
}
