import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks one Kafka release what it makes of configurations, by reflection over its jars.
 *
 * <p>Input, one case per line: {@code plane TAB mode TAB properties [TAB properties inside]}. A
 * topic or group stands inside a broker, whose properties come first. Properties are
 * {@code key U+0002 value} separated by U+0001. Output per case, in the same order: {@code r TAB
 * class TAB message} where Kafka refuses it, {@code a TAB values} where it does not, {@code t} where
 * it did not come back. With mode {@code base} the values are all that Kafka holds then, with
 * {@code diff} those that differ from the last base of the plane, with {@code ask} none.
 */
public final class Oracle {
    private static final String CLIENTS = "org.apache.kafka.clients.";
    private static final String CONNECT = "org.apache.kafka.connect.runtime.";
    private static final String MIRROR = "org.apache.kafka.connect.mirror.Mirror";
    private static final String GROUP = "org.apache.kafka.coordinator.group.GroupConfig";
    private static final String LOG = "org.apache.kafka.storage.internals.log.LogConfig";
    private static final String BYTES = "org.apache.kafka.common.serialization.ByteArray";
    private static final int SECONDS = 30;

    /** What a broker or client works with, by getter or field, beside the values of its keys. */
    private static final Map<String, String> BROKER_GETTERS = Map.ofEntries(
        Map.entry("log.retention.ms", "logRetentionTimeMillis"),
        Map.entry("log.roll.ms", "logRollTimeMillis"),
        Map.entry("log.roll.jitter.ms", "logRollTimeJitterMillis"),
        Map.entry("log.flush.interval.ms", "logFlushIntervalMs"),
        Map.entry("log.dirs", "logDirs"),
        Map.entry("metadata.log.dir", "metadataLogDir"),
        Map.entry("node.id", "nodeId"),
        Map.entry("broker.id", "brokerId"),
        Map.entry("inter.broker.listener.name", "interBrokerListenerName"),
        Map.entry("security.inter.broker.protocol", "interBrokerSecurityProtocol"),
        Map.entry("zookeeper.connection.timeout.ms", "zkConnectionTimeoutMs"));

    private static PrintStream out;
    private static final Map<String, Map<String, String>> bases = new HashMap<>();

    private Oracle() {
    }

    public static void main(String[] args) throws Exception {
        out = new PrintStream(
            new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        // Nothing that Kafka prints shall get between the answers.
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(
            new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService workers = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] cells = line.split("\t", -1);
            Future<String> answer = workers.submit(() -> answer(cells));
            String text;
            try {
                text = answer.get(SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException late) {
                answer.cancel(true);
                text = "t";
            }
            out.println(text);
            if (!in.ready()) {
                out.flush();
            }
        }
        out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static String answer(String[] cells) {
        String plane = cells[0];
        try {
            Map<String, Object> inside = cells.length > 3 ? parsed(cells[3]) : null;
            Map<String, String> values = ask(plane, parsed(cells[2]), inside, !cells[1].equals("ask"));
            switch (cells[1]) {
                case "base":
                    bases.put(plane, values);
                    return "a\t" + shown(values);
                case "diff":
                    if (!bases.containsKey(plane)) {
                        return "t";
                    }
                    values.entrySet().removeAll(bases.get(plane).entrySet());
                    return "a\t" + shown(values);
                default:
                    return "a";
            }
        } catch (Throwable refusal) {
            return "r\t" + innermost(refusal);
        }
    }

    private static Map<String, Object> parsed(String cell) {
        Map<String, Object> props = new HashMap<>();
        for (String pair : cell.split("\u0001")) {
            int at = pair.indexOf('\u0002');
            if (at > 0) {
                props.put(plain(pair.substring(0, at)), plain(pair.substring(at + 1)));
            }
        }
        return props;
    }

    private static String plain(String text) {
        if (text.indexOf('\u0003') < 0) {
            return text;
        }
        return text.replace("\u0003t", "\t").replace("\u0003n", "\n").replace("\u0003r", "\r");
    }

    private static String innermost(Throwable refusal) {
        while (refusal.getCause() != null && refusal.getCause() != refusal) {
            refusal = refusal.getCause();
        }
        return refusal.getClass().getSimpleName() + "\t"
            + String.valueOf(refusal.getMessage()).replaceAll("[\\s\u0001-\u0003]+", " ");
    }

    private static Map<String, String> ask(
        String plane, Map<String, Object> props, Map<String, Object> inside, boolean told)
        throws Throwable {
        Map<String, String> values = new TreeMap<>();
        switch (plane) {
            case "zookeeper":
            case "broker":
            case "controller":
            case "combined":
                Object config = broker(props);
                // A mere controller has no logs but that of the metadata.
                Map<?, ?> log = logDefaults(config, props, !plane.equals("controller"));
                if (told) {
                    put(values, "", (Map<?, ?>) call(config, "values"));
                    for (Map.Entry<String, String> getter : BROKER_GETTERS.entrySet()) {
                        if (has(config.getClass(), getter.getValue())) {
                            values.put(getter.getKey(), text(call(config, getter.getValue())));
                        }
                    }
                    put(values, "topic:", log);
                    listeners(config, values);
                }
                break;
            case "topic":
                topic(props, inside, told ? values : null);
                break;
            case "group":
                group(broker(props), inside, told ? values : null);
                break;
            case "quota":
                quota(props);
                break;
            case "producer":
                producer(properties(props), props, told ? values : null, "");
                break;
            case "consumer":
                close(made(CLIENTS + "consumer.KafkaConsumer", properties(props)));
                if (told) {
                    put(values, "", consumer(withBytes(props)));
                }
                break;
            case "share-consumer":
                close(made(CLIENTS + "consumer.KafkaShareConsumer", properties(props)));
                break;
            case "admin":
                Object admin = Class.forName(CLIENTS + "admin.Admin")
                    .getMethod("create", Properties.class).invoke(null, properties(props));
                if (told) {
                    put(values, "", values(CLIENTS + "admin.AdminClientConfig", props));
                    values.put("default.api.timeout.ms", text(field(admin, "defaultApiTimeoutMs")));
                }
                close(admin);
                break;
            case "streams":
                streams(props, told ? values : null);
                break;
            case "connect-distributed":
                worker(made(CONNECT + "distributed.DistributedConfig", props), told ? values : null);
                break;
            case "connect-standalone":
                worker(made(CONNECT + "standalone.StandaloneConfig", props), told ? values : null);
                break;
            case "source-connector":
            case "sink-connector":
                Object connector = connector(plane, props);
                if (told) {
                    put(values, "", (Map<?, ?>) call(connector, "values"));
                }
                break;
            case "mirror":
                Object mirror = made(MIRROR + "MakerConfig", props);
                if (told) {
                    put(values, "", (Map<?, ?>) call(mirror, "values"));
                }
                break;
            case "mirror-source":
                mirror("SourceConnector", props);
                break;
            case "mirror-checkpoint":
                mirror("CheckpointConnector", props);
                break;
            case "mirror-heartbeat":
                mirror("HeartbeatConnector", props);
                break;
            default:
                throw new IllegalStateException("no plane " + plane);
        }
        return values;
    }

    // ---- brokers, topics, groups, quotas -------------------------------------------------------

    private static Object broker(Map<String, Object> props) throws Throwable {
        for (Constructor<?> one : Class.forName("kafka.server.KafkaConfig").getConstructors()) {
            Class<?>[] wanted = one.getParameterTypes();
            if (wanted.length == 2 && wanted[0] == Map.class && wanted[1] == boolean.class) {
                return invoked(() -> one.newInstance(props, false));
            }
        }
        throw new NoSuchMethodException("KafkaConfig(Map, boolean)");
    }

    /** What Kafka puts together from all that is said of listeners. */
    private static void listeners(Object config, Map<String, String> values) throws Throwable {
        String getter = has(config.getClass(), "effectiveAdvertisedBrokerListeners")
            ? "effectiveAdvertisedBrokerListeners"
            : has(config.getClass(), "effectiveAdvertisedListeners")
                ? "effectiveAdvertisedListeners" : "advertisedListeners";
        List<String> shown = new ArrayList<>();
        for (Object one : (Iterable<?>) java(call(config, getter))) {
            Object name = has(one.getClass(), "listener")
                ? call(one, "listener") : call(one, "listenerName");
            Object host = call(one, "host");
            shown.add(text(name) + "://" + (host == null ? "" : host) + ":" + call(one, "port"));
        }
        values.put("advertised.listeners", String.join(",", shown));
        getter = has(config.getClass(), "effectiveListenerSecurityProtocolMap")
            ? "effectiveListenerSecurityProtocolMap" : "listenerSecurityProtocolMap";
        Map<String, String> spoken = new TreeMap<>();
        ((Map<?, ?>) java(call(config, getter))).forEach(
            (name, protocol) -> spoken.put(text(name), String.valueOf(protocol)));
        List<String> pairs = new ArrayList<>();
        spoken.forEach((name, protocol) -> pairs.add(name + ":" + protocol));
        values.put("listener.security.protocol.map", String.join(",", pairs));
    }

    /** A Scala collection as Java's. */
    private static Object java(Object value) throws Throwable {
        return value.getClass().getName().startsWith("scala.")
            ? scala("scala.jdk.javaapi.CollectionConverters$", "asJava", value) : value;
    }

    /** The broker's topic defaults, checked as a starting broker checks them. */
    private static Map<?, ?> logDefaults(Object config, Map<String, Object> props, boolean checked)
        throws Throwable {
        Map<?, ?> log;
        if (has(config.getClass(), "extractLogConfigMap")) {
            log = (Map<?, ?>) call(config, "extractLogConfigMap");
        } else if (has(Class.forName("kafka.log.LogConfig$"), "extractLogConfigMap")) {
            log = (Map<?, ?>) scala("kafka.log.LogConfig$", "extractLogConfigMap", config);
        } else {
            log = (Map<?, ?>) scala("kafka.server.KafkaServer$", "copyKafkaConfigToLog", config);
        }
        if (!checked) {
            return log;
        }
        Method check = method(logConfig(), "validateBrokerLogConfigValues");
        if (check == null) {
            check = method(logConfig(), "validateValues");
        }
        if (check.getParameterCount() == 2) {
            call(check, log, tiered(props));
        } else {
            call(check, log);
        }
        call(method(logConfig(), "fromProps"), log, new Properties());
        return log;
    }

    private static boolean tiered(Map<String, Object> props) {
        return "true".equalsIgnoreCase(
            String.valueOf(props.get("remote.log.storage.system.enable")).trim());
    }

    private static Class<?> logConfig() throws ClassNotFoundException {
        try {
            Class<?> found = Class.forName(LOG);
            if (has(found, "validateValues")) {
                return found;
            }
        } catch (ClassNotFoundException older) {
            // Up to 3.4.
        }
        return Class.forName("kafka.log.LogConfig$");
    }

    private static void topic(
        Map<String, Object> props, Map<String, Object> topic, Map<String, String> values)
        throws Throwable {
        Map<?, ?> broker = logDefaults(broker(props), props, true);
        Method longest = null;
        for (Method method : logConfig().getDeclaredMethods()) {
            if (method.getName().equals("validate")
                && (longest == null || method.getParameterCount() > longest.getParameterCount())) {
                longest = method;
            }
        }
        List<Object> arguments = new ArrayList<>();
        Class<?>[] wanted = longest.getParameterTypes();
        boolean zookeeper = String.valueOf(props.getOrDefault("process.roles", "")).isBlank();
        boolean flagged = false;
        int maps = 0;
        // (Properties) | (Properties, Map, boolean) | (Map, Properties, Map, boolean[, boolean]).
        int own = wanted.length >= 4 ? 1 : 0;
        for (Class<?> one : wanted) {
            if (one == boolean.class) {
                arguments.add(flagged ? zookeeper : tiered(props));
                flagged = true;
                continue;
            }
            Object map = maps == own ? topic : maps < own ? new HashMap<>() : broker;
            arguments.add(one == Properties.class ? properties((Map<?, ?>) map) : map);
            maps++;
        }
        call(longest, arguments.toArray());
        if (values != null) {
            Object made = call(method(logConfig(), "fromProps"), broker, properties(topic));
            put(values, "", (Map<?, ?>) call(made, "values"));
            for (String side : List.of("Before", "After")) {
                Object bound = field(made, "messageTimestamp" + side + "MaxMs");
                if (bound != null) {
                    String key = "message.timestamp." + side.toLowerCase() + ".max.ms";
                    values.put(key, text(bound));
                }
            }
        }
    }

    private static void group(Object broker, Map<String, Object> group, Map<String, String> values)
        throws Throwable {
        Class<?> type = Class.forName(GROUP);
        Object coordinator = call(broker, "groupCoordinatorConfig");
        Object share = call(broker, "shareGroupConfig");
        Method check = method(type, "validate");
        Object map = check.getParameterTypes()[0] == Properties.class ? properties(group) : group;
        call(check, map, coordinator, share);
        if (values == null) {
            return;
        }
        Map<?, ?> defaults = (Map<?, ?>) (has(coordinator.getClass(), "extractGroupConfigMap")
            ? call(coordinator, "extractGroupConfigMap", share)
            : call(broker, "extractGroupConfigMap", coordinator));
        Properties used = properties(group);
        Method clamp = method(type, "evaluate");
        if (clamp != null) {
            used = (Properties) call(clamp, used, "group", coordinator, share);
        }
        Object made = call(method(type, "fromProps"), defaults, used);
        put(values, "", (Map<?, ?>) call(made, "values"));
    }

    /** User and client quotas as the KRaft controller validates them, IP quotas by their key. */
    private static void quota(Map<String, Object> props) throws Throwable {
        Class<?> type = Class.forName("org.apache.kafka.controller.ClientQuotaControlManager");
        Method check = method(type, "validateQuotaKeyValue");
        Map<String, Object> known = new HashMap<>();
        Class<?> quotas = null;
        for (String name : List.of(
            "org.apache.kafka.server.config.QuotaConfig",
            "org.apache.kafka.server.config.QuotaConfigs",
            "org.apache.kafka.common.config.internals.QuotaConfigs")) {
            try {
                Class<?> one = Class.forName(name);
                quotas = quotas == null && has(one, "ipConfigs") ? one : quotas;
            } catch (ClassNotFoundException elsewhere) {
                // Another release's.
            }
        }
        boolean ip = props.remove("ip") != null;
        for (String name : ip
            ? List.of("ipConfigs")
            : List.of("userAndClientQuotaConfigs", "userConfigs", "clientConfigs")) {
            if (has(quotas, name)) {
                Object keys = call(call(method(quotas, name)), "configKeys");
                known.putAll((Map<String, Object>) keys);
            }
        }
        for (Map.Entry<String, Object> entry : props.entrySet()) {
            // The tools read numbers as doubles before they send them.
            double value = Double.parseDouble(String.valueOf(entry.getValue()).trim());
            Object target = null;
            if (!Modifier.isStatic(check.getModifiers())) {
                target = bare(type);
            }
            check.setAccessible(true);
            Object answer = check.invoke(target, known, entry.getKey(), value);
            if (!String.valueOf(call(answer, "error")).equals("NONE")) {
                throw new IllegalArgumentException(String.valueOf(call(answer, "message")));
            }
        }
    }

    /** An instance without its constructor having run: for a method that uses no field. */
    private static Object bare(Class<?> type) throws Throwable {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field one = unsafe.getDeclaredField("theUnsafe");
        one.setAccessible(true);
        return unsafe.getMethod("allocateInstance", Class.class).invoke(one.get(null), type);
    }

    // ---- clients -------------------------------------------------------------------------------

    private static Map<String, Object> withBytes(Map<String, Object> props) {
        Map<String, Object> all = new HashMap<>(props);
        for (String side : List.of("key", "value")) {
            all.putIfAbsent(side + ".serializer", BYTES + "Serializer");
            all.putIfAbsent(side + ".deserializer", BYTES + "Deserializer");
        }
        return all;
    }

    /** Makes a producer; its values are those of its settings and what it makes of them. */
    private static void producer(
        Object given, Map<String, Object> props, Map<String, String> values, String prefix)
        throws Throwable {
        Object producer = made(CLIENTS + "producer.KafkaProducer", given);
        if (values != null) {
            put(values, prefix, values(CLIENTS + "producer.ProducerConfig", withBytes(props)));
            Object accumulator = field(producer, "accumulator");
            Object timeout = field(accumulator, "deliveryTimeoutMs");
            values.put(prefix + "delivery.timeout.ms", text(timeout));
            values.put(prefix + "batch.size", text(field(accumulator, "batchSize")));
        }
        close(producer);
    }

    private static void admin(Map<String, Object> props) throws Throwable {
        Method create = Class.forName(CLIENTS + "admin.Admin").getMethod("create", Map.class);
        close(invoked(() -> create.invoke(null, props)));
    }

    private static Map<String, Object> consumer(Map<String, Object> props) throws Throwable {
        Object config = made(CLIENTS + "consumer.ConsumerConfig", props);
        Map<String, Object> values = new HashMap<>((Map<String, Object>) call(config, "values"));
        Method commits = method(config.getClass(), "maybeOverrideEnableAutoCommit");
        if (commits != null && commits.getParameterCount() == 0) {
            commits.setAccessible(true);
            values.put("enable.auto.commit", invoked(() -> commits.invoke(config)));
        }
        return values;
    }

    private static void streams(Map<String, Object> props, Map<String, String> values)
        throws Throwable {
        Object config = made("org.apache.kafka.streams.StreamsConfig", props);
        Map<String, Map<String, Object>> clients = new TreeMap<>();
        clients.put("producer", clientOf(config, "getProducerConfigs", "client"));
        String group = String.valueOf(call(config, "getString", "application.id"));
        clients.put("consumer", clientOf(config, "getMainConsumerConfigs", group, "client", 0));
        clients.put("restore", clientOf(config, "getRestoreConsumerConfigs", "client"));
        clients.put("global", clientOf(config, "getGlobalConsumerConfigs", "client"));
        clients.put("admin", clientOf(config, "getAdminConfigs", "client"));
        if (values != null) {
            put(values, "", (Map<?, ?>) call(config, "values"));
        }
        topics(props, "topic.");
        String guarantee = String.valueOf(props.get("processing.guarantee")).trim();
        for (Map.Entry<String, Map<String, Object>> entry : clients.entrySet()) {
            // As DefaultKafkaClientSupplier makes them, whatever the settings name.
            Map<String, Object> own = new HashMap<>(entry.getValue());
            for (String side : List.of("key", "value")) {
                own.remove(side + ".serializer");
                own.remove(side + ".deserializer");
            }
            Map<String, Object> one = withBytes(own);
            if (entry.getKey().equals("producer")) {
                if (guarantee.startsWith("exactly_once")) {
                    one.put("transactional.id", "t");
                }
                producer(one, one, values, "producer:");
            } else if (entry.getKey().equals("admin")) {
                admin(one);
            } else {
                if (!entry.getKey().equals("restore")) {
                    // The assignor of Streams wants a whole application around it.
                    one.remove("partition.assignment.strategy");
                }
                close(made(CLIENTS + "consumer.KafkaConsumer", one));
                put(values, entry.getKey() + ":", consumer(one));
            }
        }
    }

    /** The settings of topics behind a prefix, as the broker checks them when it makes the topic. */
    private static void topics(Map<String, Object> props, String prefix) throws Throwable {
        Map<String, Object> topic = new HashMap<>();
        for (Map.Entry<String, Object> entry : props.entrySet()) {
            String name = entry.getKey();
            if (name.startsWith(prefix) && !OWN_SETTINGS.contains(name.substring(prefix.length()))) {
                topic.put(name.substring(prefix.length()), String.valueOf(entry.getValue()));
            }
        }
        Class<?> logs = logConfig();
        for (Method method : logs.getDeclaredMethods()) {
            if (method.getName().equals("validate") && method.getParameterCount() == 1) {
                Class<?> wanted = method.getParameterTypes()[0];
                call(method, wanted == Properties.class ? properties(topic) : topic);
            }
        }
    }

    private static final Set<String> OWN_SETTINGS =
        Set.of("topic", "partitions", "replication.factor", "file.filename", "cleanup.policy");

    private static Map<String, Object> clientOf(Object config, String getter, Object... arguments)
        throws Throwable {
        return (Map<String, Object>) call(config, getter, arguments);
    }

    private static void close(Object client) throws Throwable {
        // Some values make a client wait for ever, also when it is closed.
        Thread closer = new Thread(() -> {
            try {
                client.getClass().getMethod("close", Duration.class).invoke(client, Duration.ZERO);
            } catch (ReflectiveOperationException failure) {
                // It was constructed: that is all that was asked.
            }
        });
        closer.setDaemon(true);
        closer.start();
        closer.join(50);
    }

    // ---- Connect -------------------------------------------------------------------------------

    private static void worker(Object config, Map<String, String> values) throws Throwable {
        if (config.getClass().getSimpleName().startsWith("Distributed")) {
            heartbeat(config);
            for (String kind : List.of("config", "offset", "status")) {
                topics((Map<String, Object>) call(config, "originals"), kind + ".storage.");
            }
        }
        if (values != null) {
            put(values, "", (Map<?, ?>) call(config, "values"));
        }
        // The first thing that a worker does is to ask for the cluster's id; its tasks follow.
        admin((Map<String, Object>) call(config, "originals"));
        admin(clientOfWorker(config, "admin"));
        Map<String, Object> producer = clientOfWorker(config, "producer");
        producer(producer, producer, values, "producer:");
        Map<String, Object> consumer = clientOfWorker(config, "consumer");
        close(made(CLIENTS + "consumer.KafkaConsumer", consumer));
        put(values, "consumer:", consumer(consumer));
    }

    /** What keeps a worker in its group, and checks more when it is made. */
    private static void heartbeat(Object config) throws Throwable {
        Class<?> type = Class.forName(CLIENTS + "GroupRebalanceConfig");
        Class<?> protocols = Class.forName(CLIENTS + "GroupRebalanceConfig$ProtocolType");
        Object connect = protocols.getField("CONNECT").get(null);
        Object group = invoked(() -> pair(type).newInstance(config, connect));
        Class<?> heart = Class.forName(CLIENTS + "consumer.internals.Heartbeat");
        Constructor<?> constructor = pair(heart);
        Object time = constructor.getParameterTypes()[1].getField("SYSTEM").get(null);
        invoked(() -> constructor.newInstance(group, time));
    }

    private static Map<String, Object> clientOfWorker(Object config, String client)
        throws Throwable {
        Class<?> type = Class.forName(CONNECT + "Worker");
        Class<?> connectors = Class.forName(CONNECT + "ConnectorConfig");
        String capital = Character.toUpperCase(client.charAt(0)) + client.substring(1);
        Method maker = method(type, "base" + capital + "Configs");
        maker = maker != null ? maker : method(type, client + "Configs");
        if (client.equals("producer") && has(config.getClass(), "exactlyOnceSourceEnabled")
            && (Boolean) call(config, "exactlyOnceSourceEnabled")) {
            maker = method(type, "exactlyOnceSourceTaskProducerConfigs");
        }
        List<Object> arguments = new ArrayList<>();
        for (Class<?> wanted : maker.getParameterTypes()) {
            if (wanted == String.class) {
                arguments.add("c");
            } else if (wanted.isInstance(config)) {
                arguments.add(config);
            } else if (connectors.isAssignableFrom(wanted)) {
                Map<String, Object> own = new HashMap<>(Map.of("name", "c", "connector.class", "C"));
                arguments.add(connectorConfig(wanted, own));
            } else if (wanted == Class.class) {
                arguments.add(Class.forName("org.apache.kafka.connect.connector.Connector"));
            } else if (wanted.getSimpleName().endsWith("Policy")) {
                arguments.add(Class.forName("org.apache.kafka.connect.connector.policy."
                    + "AllConnectorClientConfigOverridePolicy").getConstructor().newInstance());
            } else if (wanted.getSimpleName().equals("ConnectorTaskId")) {
                arguments.add(wanted.getConstructor(String.class, int.class).newInstance("c", 0));
            } else if (wanted.isEnum()) {
                arguments.add(wanted.getEnumConstants()[0]);
            } else {
                throw new NoSuchMethodException(maker + " wants " + wanted);
            }
        }
        return (Map<String, Object>) call(maker, arguments.toArray());
    }

    private static Object connectorConfig(Class<?> type, Map<String, Object> props) throws Throwable {
        for (Constructor<?> one : type.getConstructors()) {
            if (one.getParameterCount() == 2 && one.getParameterTypes()[1] == Map.class) {
                return invoked(() -> one.newInstance(plugins(), props));
            }
            if (one.getParameterCount() == 3 && one.getParameterTypes()[2] == boolean.class) {
                return invoked(() -> one.newInstance(plugins(), props, true));
            }
        }
        throw new NoSuchMethodException(type + "(Plugins, Map)");
    }

    private static Object plugins;

    /** What a worker finds on its class path. */
    private static Object plugins() throws Throwable {
        if (plugins == null) {
            plugins = made(CONNECT + "isolation.Plugins", Map.of("plugin.discovery", "service_load"));
        }
        return plugins;
    }

    private static Object connector(String plane, Map<String, Object> props) throws Throwable {
        if (plane.startsWith("sink")) {
            Class<?> type = Class.forName(CONNECT + "SinkConnectorConfig");
            Method check = type.getMethod("validate", Map.class);
            call(check, props);
            return connectorConfig(type, props);
        }
        return connectorConfig(Class.forName(CONNECT + "SourceConnectorConfig"), props);
    }

    private static void mirror(String name, Map<String, Object> props) throws Throwable {
        connector("source-connector", props);
        Object connector = Class.forName(MIRROR + name).getConstructor().newInstance();
        Object answer = call(connector, "validate", props);
        for (Object value : (Collection<?>) call(answer, "configValues")) {
            List<?> errors = (List<?>) call(value, "errorMessages");
            if (!errors.isEmpty()) {
                throw new IllegalArgumentException(call(value, "name") + ": " + errors.get(0));
            }
        }
    }

    // ---- reflection ----------------------------------------------------------------------------

    private interface Action {
        Object run() throws Throwable;
    }

    private static Object invoked(Action action) throws Throwable {
        try {
            return action.run();
        } catch (InvocationTargetException | UndeclaredThrowableException wrapped) {
            throw wrapped.getCause();
        }
    }

    private static Object made(String name, Object argument) throws Throwable {
        Class<?> type = argument instanceof Properties ? Properties.class : Map.class;
        Constructor<?> constructor = Class.forName(name).getConstructor(type);
        return invoked(() -> constructor.newInstance(argument));
    }

    /** The public constructor with two parameters. */
    private static Constructor<?> pair(Class<?> type) throws NoSuchMethodException {
        for (Constructor<?> one : type.getConstructors()) {
            if (one.getParameterCount() == 2) {
                return one;
            }
        }
        throw new NoSuchMethodException(type + "(…, …)");
    }

    private static Map<?, ?> values(String name, Map<String, Object> props) throws Throwable {
        return (Map<?, ?>) call(made(name, props), "values");
    }

    private static Properties properties(Map<?, ?> props) {
        Properties made = new Properties();
        made.putAll(props);
        return made;
    }

    private static boolean has(Class<?> type, String name) {
        return method(type, name) != null;
    }

    /** The first method of that name, inherited ones too. */
    private static Method method(Class<?> type, String name) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                if (method.getName().equals(name) && !method.isSynthetic()) {
                    return method;
                }
            }
        }
        return null;
    }

    /** Calls a method of an object by its name and the number of its arguments. */
    private static Object call(Object target, String name, Object... arguments) throws Throwable {
        for (Class<?> one = target.getClass(); one != null; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                if (method.getName().equals(name)
                    && method.getParameterCount() == arguments.length) {
                    method.setAccessible(true);
                    return invoked(() -> method.invoke(target, arguments));
                }
            }
        }
        throw new NoSuchMethodException(target.getClass() + " " + name);
    }

    /** Calls a static method, or one of a Scala object. */
    private static Object call(Method method, Object... arguments) throws Throwable {
        Object target = Modifier.isStatic(method.getModifiers())
            ? null : method.getDeclaringClass().getField("MODULE$").get(null);
        method.setAccessible(true);
        return invoked(() -> method.invoke(target, arguments));
    }

    private static Object scala(String name, String called, Object argument) throws Throwable {
        for (Method method : Class.forName(name).getDeclaredMethods()) {
            if (method.getName().equals(called) && method.getParameterCount() == 1
                && method.getParameterTypes()[0].isInstance(argument)) {
                return call(method, argument);
            }
        }
        throw new NoSuchMethodException(name + " " + called);
    }

    private static Object field(Object target, String name) throws Throwable {
        for (Class<?> one = target.getClass(); one != null; one = one.getSuperclass()) {
            for (Field field : one.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(target);
                }
            }
        }
        return null;
    }

    // ---- values as text ------------------------------------------------------------------------

    private static void put(Map<String, String> into, String prefix, Map<?, ?> values) {
        if (into != null) {
            values.forEach((key, value) -> into.put(prefix + key, text(value)));
        }
    }

    private static String text(Object value) {
        if (value == null) {
            return "\u0004";
        }
        if (value instanceof Class) {
            return ((Class<?>) value).getName();
        }
        if (value instanceof Optional) {
            return text(((Optional<?>) value).orElse(null));
        }
        if (value instanceof Collection) {
            List<String> items = new ArrayList<>();
            ((Collection<?>) value).forEach(item -> items.add(text(item)));
            return String.join(",", items);
        }
        String name = value.getClass().getSimpleName();
        try {
            if (name.equals("Password")) {
                return (String) call(value, "value");
            }
            if (name.equals("ListenerName")) {
                return (String) call(value, "value");
            }
            if (value.getClass().getName().startsWith("scala.")) {
                if (name.equals("None$")) {
                    return "\u0004";
                }
                if (name.equals("Some")) {
                    return text(call(value, "value"));
                }
                return text(java(value));
            }
        } catch (Throwable unknown) {
            return "?" + value;
        }
        return value.toString();
    }

    private static String shown(Map<String, String> values) {
        StringBuilder shown = new StringBuilder();
        values.forEach((key, value) -> shown.append(shown.length() > 0 ? "\u0001" : "")
            .append(key).append('\u0002')
            .append(value.replace("\t", "\u0003t").replace("\n", "\u0003n").replace("\r", "\u0003r")));
        return shown.toString();
    }
}
