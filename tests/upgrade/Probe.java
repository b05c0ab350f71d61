import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Asks the jars of one release for what kcheck says of upgrades: one line "question TAB answer" each. */
public class Probe {
    private static final String SERIALIZER =
        "org.apache.kafka.common.serialization.StringSerializer";

    public static void main(String[] classes) {
        for (String name : classes) {
            tell(name, exists(name) ? "there" : "gone");
        }
        tell("minimum metadata.version", minimum());
        tell("eligible.leader.replicas of the release", elr());
        for (String version : List.of("3.7-IV1", "3.7-IV2")) {
            tell("two log.dirs on " + version, directories(version));
        }
        for (String key : List.of("token", "jwks")) {
            tell(key + " address", address("sasl.oauthbearer." + key + ".endpoint.url"));
        }
        tell("reporters beside another", reporters());
        tell("oldest produce", oldest("Produce"));
        tell("oldest fetch", oldest("Fetch"));
    }

    private static void tell(String question, Object answer) {
        System.out.println(question + "\t" + answer);
    }

    private static boolean exists(String name) {
        try {
            Class.forName(name, false, Probe.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError absent) {
            return false;
        }
    }

    private static Class<?> version() throws ClassNotFoundException {
        return Class.forName("org.apache.kafka.server.common.MetadataVersion");
    }

    private static Object minimum() {
        for (String field : List.of("MINIMUM_KRAFT_VERSION", "MINIMUM_VERSION")) {
            try {
                return version().getField(field).get(null);
            } catch (NoSuchFieldException absent) {
                continue;
            } catch (ReflectiveOperationException absent) {
                return "none";
            }
        }
        return "none";
    }

    private static Object elr() {
        try {
            Class<?> feature = Class.forName("org.apache.kafka.server.common.Feature");
            Object newest = version().getMethod("latestProduction").invoke(null);
            for (Object one : feature.getEnumConstants()) {
                if (one.toString().equals("ELIGIBLE_LEADER_REPLICAS_VERSION")) {
                    return feature.getMethod("defaultLevel", version()).invoke(one, newest);
                }
            }
        } catch (ReflectiveOperationException absent) {
            return "none";
        }
        return "none";
    }

    /** A broker with two log.dirs learns the finalized metadata.version. */
    private static String directories(String metadata) {
        Properties broker = new Properties();
        broker.put("node.id", "1");
        broker.put("process.roles", "broker");
        broker.put("controller.quorum.voters", "9@localhost:9093");
        broker.put("controller.listener.names", "CONTROLLER");
        broker.put("listeners", "PLAINTEXT://localhost:9092");
        broker.put("log.dirs", "/data/a,/data/b");
        try {
            Class<?> config = Class.forName("kafka.server.KafkaConfig");
            Object made;
            try {
                made = config.getConstructor(Map.class).newInstance(broker);
            } catch (NoSuchMethodException older) {
                made = config.getMethod("fromProps", Properties.class).invoke(null, broker);
            }
            Object learnt = version().getMethod("fromVersionString", String.class).invoke(null, metadata);
            config.getMethod("validateWithMetadataVersion", version()).invoke(made, learnt);
            return "accepted";
        } catch (InvocationTargetException refused) {
            return refused.getCause().getClass().getSimpleName();
        } catch (ReflectiveOperationException absent) {
            return "none";
        }
    }

    /** What the login makes of an address, with no system property set. */
    private static String address(String key) {
        for (String room : List.of("internals.", "")) {
            try {
                Class<?> utils = Class.forName(
                    "org.apache.kafka.common.security.oauthbearer." + room + "secured.ConfigurationUtils");
                Constructor<?> constructor = utils.getDeclaredConstructor(Map.class);
                constructor.setAccessible(true);
                Object made = constructor.newInstance(Map.of(key, "https://idp.example.com/token"));
                Method validate = utils.getDeclaredMethod("validateUrl", String.class);
                validate.setAccessible(true);
                validate.invoke(made, key);
                return "allowed";
            } catch (InvocationTargetException refused) {
                return refused.getCause().getClass().getSimpleName();
            } catch (ReflectiveOperationException elsewhere) {
                continue;
            }
        }
        return "none";
    }

    /** The reporters of a producer that names one of its own. */
    private static String reporters() {
        Map<String, Object> producer = new HashMap<>();
        producer.put("bootstrap.servers", "localhost:1");
        producer.put("key.serializer", SERIALIZER);
        producer.put("value.serializer", SERIALIZER);
        producer.put("metric.reporters", List.of(Silent.class));
        try {
            Class<?> config = Class.forName("org.apache.kafka.clients.producer.ProducerConfig");
            Object made = config.getConstructor(Map.class).newInstance(producer);
            Method listed = Class.forName("org.apache.kafka.clients.CommonClientConfigs").getMethod(
                "metricsReporters", String.class,
                Class.forName("org.apache.kafka.common.config.AbstractConfig"));
            List<?> found = (List<?>) listed.invoke(null, "client", made);
            return found.stream().anyMatch(one -> one.getClass().getSimpleName().equals("JmxReporter"))
                ? "JMX" : "none";
        } catch (ReflectiveOperationException absent) {
            return absent.toString();
        }
    }

    private static Object oldest(String request) {
        try {
            return Class.forName("org.apache.kafka.common.message." + request + "RequestData")
                .getField("LOWEST_SUPPORTED_VERSION").get(null);
        } catch (ReflectiveOperationException absent) {
            return "none";
        }
    }

    /** A reporter that reports nothing. */
    public static class Silent implements org.apache.kafka.common.metrics.MetricsReporter {
        @Override
        public void init(List<org.apache.kafka.common.metrics.KafkaMetric> metrics) { }

        @Override
        public void metricChange(org.apache.kafka.common.metrics.KafkaMetric metric) { }

        @Override
        public void metricRemoval(org.apache.kafka.common.metrics.KafkaMetric metric) { }

        @Override
        public void close() { }

        @Override
        public void configure(Map<String, ?> configs) { }
    }
}
