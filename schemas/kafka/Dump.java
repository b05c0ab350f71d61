import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints what one Kafka release knows about its own configuration, read from its jars.
 *
 * <p>Everything goes through reflection, so this file compiles once without any Kafka jar and then
 * runs against each release, one JVM per release: {@code java -cp <this>:<jars/*> Dump}.
 *
 * <p>Output: one fact per line, fields separated by tabs.
 *
 * <pre>
 * key      plane name type default valid importance mode flags
 * synonym  topic-key order broker-key factor
 * constant name value class field
 * absent   plane
 * </pre>
 *
 * <p>With the argument {@code judge} it goes on to read {@code plane key text} lines and answers
 * each with {@code taken}, or {@code refused} and why: what the definition's own parser and
 * validator say of the text.
 */
public final class Dump {
    /** Stands in for the machine's own answers; a default that shows it depends on the machine. */
    private static final String PLATFORM = "KcheckPlatform";

    /** How Kafka's documentation marks a key that is going away. Only the mark is read. */
    private static final Pattern DEPRECATED = Pattern.compile(
        "^\\W*deprecated\\b|\\bthis (config|configuration|property) (is|has been) deprecated"
            + "|\\bdeprecated; will be removed",
        Pattern.CASE_INSENSITIVE);

    /** Server-side classes that name broker keys; their deprecated constants mark those keys. */
    private static final Pattern BROKER_CONSTANTS = Pattern.compile(
        "org/apache/kafka/"
            + "(common/config/internals|coordinator|network|raft|security|server|storage)"
            + "/[\\w/]*Configs?\\.class");

    private static final String CLIENTS = "org.apache.kafka.clients.";
    private static final String CONNECT = "org.apache.kafka.connect.runtime.";
    private static final String MIRROR = "org.apache.kafka.connect.mirror.";
    private static final String SERVER = "org.apache.kafka.server.";

    /**
     * Where the definition of a plane may be, newest place first, as {@code class#member}. The
     * first place that the release has is taken. A member is a static method, a static field, or a
     * method of the Scala object when the class name ends in {@code $}.
     */
    private static final String[][] PLANES = {
        {"topic", "org.apache.kafka.storage.internals.log.LogConfig#configDefCopy",
            "kafka.log.LogConfig$#configDefCopy"},
        {"producer", CLIENTS + "producer.ProducerConfig#configDef"},
        {"consumer", CLIENTS + "consumer.ConsumerConfig#configDef"},
        {"admin", CLIENTS + "admin.AdminClientConfig#configDef"},
        {"streams", "org.apache.kafka.streams.StreamsConfig#configDef"},
        {"connect-distributed", CONNECT + "distributed.DistributedConfig#config",
            CONNECT + "distributed.DistributedConfig#CONFIG"},
        {"connect-standalone", CONNECT + "standalone.StandaloneConfig#CONFIG"},
        {"source-connector", CONNECT + "SourceConnectorConfig#configDef"},
        {"sink-connector", CONNECT + "SinkConnectorConfig#configDef"},
        {"topic-creation", CONNECT + "TopicCreationConfig#defaultGroupConfigDef"},
        {"mirror", MIRROR + "MirrorMakerConfig#config", MIRROR + "MirrorMakerConfig#CONFIG_DEF"},
        {"mirror-source", MIRROR + "MirrorSourceConfig#CONNECTOR_CONFIG_DEF",
            MIRROR + "MirrorConnectorConfig#CONNECTOR_CONFIG_DEF"},
        {"mirror-checkpoint", MIRROR + "MirrorCheckpointConfig#CONNECTOR_CONFIG_DEF",
            MIRROR + "MirrorConnectorConfig#CONNECTOR_CONFIG_DEF"},
        {"mirror-heartbeat", MIRROR + "MirrorHeartbeatConfig#CONNECTOR_CONFIG_DEF",
            MIRROR + "MirrorConnectorConfig#CONNECTOR_CONFIG_DEF"},
        {"group", "org.apache.kafka.coordinator.group.GroupConfig#CONFIG_DEF",
            "org.apache.kafka.coordinator.group.GroupConfig#CONFIG"},
        {"client-metrics", SERVER + "metrics.ClientMetricsConfigs#configDef"},
        {"remote-metadata", SERVER
            + "log.remote.metadata.storage.TopicBasedRemoteLogMetadataManagerConfig#CONFIG"},
    };

    private static final PrintStream OUT =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    /** Every key that was printed, by plane and name: what {@code judge} asks. */
    private static final Map<String, Map<String, Object>> PRINTED = new TreeMap<>();

    private Dump() {
    }

    public static void main(String[] args) throws Exception {
        // Before any Kafka class: its static initialisers read these.
        System.setProperty("java.io.tmpdir", "/" + PLATFORM);
        Security.setProperty("ssl.KeyManagerFactory.algorithm", PLATFORM);
        Security.setProperty("ssl.TrustManagerFactory.algorithm", PLATFORM);

        dumpBroker();
        for (String[] plane : PLANES) {
            Object def = firstOf(tail(plane));
            if (def == null) {
                print("absent", plane[0]);
            } else {
                dumpPlane(plane[0], def, deprecatedFor(plane), "");
            }
        }
        dumpMirrorFilters();
        dumpShareConsumer();
        dumpQuotas();
        dumpSynonyms();
        for (String[] constant : CONSTANTS) {
            dumpConstant(constant);
        }
        dumpFetchSessionShards();
        dumpConfigValueSize();
        dumpClasses();
        if (List.of(args).contains("judge")) {
            judge();
        }
        OUT.flush();
        Runtime.getRuntime().halt(0); // some definitions start threads
    }

    /** Answer each line on standard input with the verdict of the key's own definition. */
    private static void judge() throws Exception {
        Class<?> type = Class.forName("org.apache.kafka.common.config.ConfigDef");
        Object definition = type.getConstructor().newInstance();
        Method parse = null;
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals("parseValue")) {
                method.setAccessible(true);
                parse = method;
            }
        }
        BufferedReader questions = new BufferedReader(
            new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String[] cells = line.split("\t", 3);
            Object key = PRINTED.get(cells[0]).get(cells[1]);
            try {
                parse.invoke(definition, key, cells[2], true);
                print("taken", "");
            } catch (InvocationTargetException e) {
                print("refused", e.getCause().toString().replaceAll("\\s+", " "));
            }
        }
    }

    // ---- planes -----------------------------------------------------------------------------

    /** Broker and controller: the static definition, the update modes, the dynamic-only keys. */
    private static void dumpBroker() throws Exception {
        Object def = firstOf("kafka.server.KafkaConfig$#configDef");
        Object dynamic = firstOf(SERVER + "config.DynamicConfig$Broker#BROKER_CONFIGS",
            "kafka.server.DynamicConfig$Broker$#brokerConfigs",
            "kafka.server.DynamicConfig$Broker$#brokerConfigDef");
        Object modes = firstOf(SERVER + "config.DynamicBrokerConfig#dynamicConfigUpdateModes",
            "kafka.server.DynamicBrokerConfig$#dynamicConfigUpdateModes");
        Set<String> deprecated = deprecatedConstants(brokerConstantClasses());
        Map<String, Object> keys = keysOf(def);
        for (Object key : keys.values()) {
            Object mode = ((Map<?, ?>) modes).get(field(key, "name"));
            printKey("broker", key, mode == null ? "read-only" : mode.toString(),
                deprecated, "");
        }
        for (Object key : keysOf(dynamic).values()) {
            if (!keys.containsKey(field(key, "name"))) {
                printKey("broker", key, "dynamic-only", deprecated, "");
            }
        }
    }

    private static void dumpPlane(String plane, Object def, Set<String> deprecated, String flag)
            throws Exception {
        for (Object key : keysOf(def).values()) {
            printKey(plane, key, "", deprecated, flag);
        }
    }

    /** Keys that the connectors of MirrorMaker hand on to their default filters. */
    private static void dumpMirrorFilters() throws Exception {
        String[][] filters = {
            {"mirror-source", "TopicFilter", "ConfigPropertyFilter"},
            {"mirror-checkpoint", "TopicFilter", "GroupFilter"},
        };
        for (String[] filter : filters) {
            Object own = firstOf(placesOf(filter[0]));
            if (own == null) {
                continue;
            }
            for (String name : tail(filter)) {
                Object def = firstOf(MIRROR + "Default" + name + "$" + name + "Config#DEF");
                for (Map.Entry<String, Object> key : keysOf(def).entrySet()) {
                    if (!keysOf(own).containsKey(key.getKey())) {
                        printKey(filter[0], key.getValue(), "", Set.of(), "filter");
                    }
                }
            }
        }
    }

    /** Share consumers take the consumer's keys but for those that they refuse to be given. */
    private static void dumpShareConsumer() throws Exception {
        Object denied = firstOf(
            CLIENTS + "consumer.ShareConsumerConfig#SHARE_GROUP_UNSUPPORTED_CONFIGS");
        if (denied == null) {
            return;
        }
        Map<String, Object> keys = keysOf(firstOf(CLIENTS + "consumer.ConsumerConfig#configDef"));
        for (Object name : new TreeSet<Object>((Collection<?>) denied)) {
            printKey("share-consumer", keys.get(name), "", Set.of(), "denied");
        }
    }

    /** Quotas and SCRAM credentials of users, quotas of clients, and those of IP addresses. */
    private static void dumpQuotas() throws Exception {
        String[] homes = {SERVER + "config.QuotaConfig", SERVER + "config.QuotaConfigs",
            "org.apache.kafka.common.config.internals.QuotaConfigs"};
        Map<String, Object> users = quotaKeys(homes,
            "scramMechanismsPlusUserAndClientQuotaConfigs", "userConfigs");
        Map<String, Object> clients = quotaKeys(homes,
            "userAndClientQuotaConfigs", "clientConfigs");
        for (Map.Entry<String, Object> user : users.entrySet()) {
            String flag = clients.containsKey(user.getKey()) ? "user client" : "user";
            printKey("quota", user.getValue(), "", Set.of(), flag);
        }
        for (Object key : quotaKeys(homes, "ipConfigs").values()) {
            printKey("quota", key, "", Set.of(), "ip");
        }
    }

    private static Map<String, Object> quotaKeys(String[] homes, String... methods)
            throws Exception {
        for (String home : homes) {
            for (String method : methods) {
                Object def = firstOf(home + "#" + method);
                if (def != null) {
                    return keysOf(def);
                }
            }
        }
        throw new ClassNotFoundException("no quota definitions");
    }

    // ---- topic keys that fall back to broker keys -------------------------------------------

    /** Up to 3.2 the jar names one broker key per topic key, later all in order of priority. */
    private static void dumpSynonyms() throws Exception {
        Object synonyms = firstOf(
            SERVER + "config.ServerTopicConfigSynonyms#ALL_TOPIC_CONFIG_SYNONYMS",
            "kafka.log.LogConfig$#AllTopicConfigSynonyms",
            "kafka.log.LogConfig$#TopicConfigSynonyms");
        if (!(synonyms instanceof Map)) {
            Class<?> converters = Class.forName("scala.jdk.javaapi.CollectionConverters");
            synonyms = converters.getMethod("asJava", Class.forName("scala.collection.Map"))
                .invoke(null, synonyms);
        }
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) synonyms).entrySet()) {
            String topicKey = (String) entry.getKey();
            if (entry.getValue() instanceof String) {
                print("synonym", topicKey, "1", (String) entry.getValue(), "1");
                continue;
            }
            int order = 1;
            for (Object synonym : (List<?>) entry.getValue()) {
                print("synonym", topicKey, String.valueOf(order++), (String) call(synonym, "name"),
                    factorOf(call(synonym, "converter")));
            }
        }
    }

    /** What the converter makes of one unit. */
    @SuppressWarnings("unchecked")
    private static String factorOf(Object converter) {
        return ((Function<String, String>) converter).apply("1");
    }

    // ---- constants --------------------------------------------------------------------------

    /** Name of ours, then the places of the static field (or of a method that returns it). */
    private static final String[][] CONSTANTS = {
        {"max-partitions-per-batch",
            "org.apache.kafka.controller.ReplicationControlManager#MAX_PARTITIONS_PER_BATCH"},
        {"max-elections-per-imbalance",
            "org.apache.kafka.controller.ReplicationControlManager#MAX_ELECTIONS_PER_IMBALANCE"},
        {"max-records-per-user-op",
            "org.apache.kafka.controller.QuorumController#MAX_RECORDS_PER_USER_OP"},
        {"max-records-per-batch",
            "org.apache.kafka.controller.QuorumController#DEFAULT_MAX_RECORDS_PER_BATCH",
            "org.apache.kafka.controller.QuorumController#MAX_RECORDS_PER_BATCH"},
        {"max-metadata-batch-bytes", "org.apache.kafka.raft.KafkaRaftClient#MAX_BATCH_SIZE_BYTES",
            "org.apache.kafka.raft.KafkaRaftClient#MAX_BATCH_SIZE"},
        {"max-scram-iterations", "org.apache.kafka.controller.ScramControlManager#MAX_ITERATIONS"},
        {"max-topic-name-length", "org.apache.kafka.common.internals.Topic#MAX_NAME_LENGTH"},
        {"max-in-flight-for-idempotence", CLIENTS
            + "producer.ProducerConfig#MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION_FOR_IDEMPOTENCE"},
        {"record-batch-overhead",
            "org.apache.kafka.common.record.internal.DefaultRecordBatch#RECORD_BATCH_OVERHEAD",
            "org.apache.kafka.common.record.DefaultRecordBatch#RECORD_BATCH_OVERHEAD"},
        {"max-record-overhead",
            "org.apache.kafka.common.record.internal.DefaultRecord#MAX_RECORD_OVERHEAD",
            "org.apache.kafka.common.record.DefaultRecord#MAX_RECORD_OVERHEAD"},
        {"log-overhead", "org.apache.kafka.common.record.internal.Records#LOG_OVERHEAD",
            "org.apache.kafka.common.record.Records#LOG_OVERHEAD"},
        {"offset-index-entry-size",
            "org.apache.kafka.storage.internals.log.OffsetIndex#ENTRY_SIZE",
            "kafka.log.OffsetIndex#entrySize"},
        {"time-index-entry-size", "org.apache.kafka.storage.internals.log.TimeIndex#ENTRY_SIZE",
            "kafka.log.TimeIndex#entrySize"},
    };

    private static void dumpConstant(String[] constant) throws Exception {
        for (String place : tail(constant)) {
            Object value = firstOf(place);
            if (value != null) {
                printConstant(constant[0], value, place);
                return;
            }
        }
    }

    // ---- classes ----------------------------------------------------------------------------

    /** What settings may ask of a class: the interfaces, by the name that the table gives them. */
    private static final String[] KINDS = {
        "common.serialization.Serializer", "common.serialization.Deserializer",
        "common.serialization.Serde", "common.metrics.MetricsReporter",
        "common.security.auth.AuthenticateCallbackHandler", "common.security.auth.Login",
        "common.security.auth.KafkaPrincipalBuilder",
        "clients.consumer.ConsumerPartitionAssignor", "clients.consumer.ConsumerInterceptor",
        "clients.producer.Partitioner", "clients.producer.ProducerInterceptor",
        "server.authorizer.Authorizer",
        "coordinator.group.api.assignor.ConsumerGroupPartitionAssignor",
        "coordinator.group.api.assignor.ShareGroupPartitionAssignor",
        "connect.storage.Converter", "connect.storage.HeaderConverter",
        "connect.transforms.Transformation", "connect.transforms.predicates.Predicate",
        "connect.connector.policy.ConnectorClientConfigOverridePolicy",
        "connect.connector.Connector",
        "connect.mirror.TopicFilter", "connect.mirror.GroupFilter",
        "connect.mirror.ConfigPropertyFilter", "connect.mirror.ReplicationPolicy",
        "streams.errors.DeserializationExceptionHandler",
        "streams.errors.ProductionExceptionHandler",
        "streams.errors.ProcessingExceptionHandler",
        "streams.processor.TimestampExtractor",
    };

    /** Every public class of Kafka that a setting may name, and what it can be. */
    private static void dumpClasses() throws Exception {
        List<Class<?>> kinds = new ArrayList<>();
        for (String kind : KINDS) {
            try {
                kinds.add(Class.forName("org.apache.kafka." + kind));
            } catch (ClassNotFoundException | NoClassDefFoundError absent) {
                // Not in this release, or in no jar of it.
            }
        }
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!new File(path).getName().matches("(kafka|connect)[-_].*\\.jar")) {
                continue;
            }
            try (JarFile jar = new JarFile(path)) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    if (entry.getName().matches("(org/apache/kafka|kafka)/.*[^0-9]\\.class")) {
                        String name = entry.getName().replace('/', '.');
                        dumpClass(name.substring(0, name.length() - 6), kinds);
                    }
                }
            }
        }
    }

    private static void dumpClass(String name, List<Class<?>> kinds) throws Exception {
        List<String> found = new ArrayList<>();
        try {
            Class<?> type = Class.forName(name, false, Dump.class.getClassLoader());
            int modifiers = type.getModifiers();
            if (!Modifier.isPublic(modifiers) || Modifier.isAbstract(modifiers)) {
                return;
            }
            // A plug-in is made by its constructor without arguments.
            type.getConstructor();
            for (Class<?> kind : kinds) {
                if (kind.isAssignableFrom(type)) {
                    found.add(kind.getSimpleName());
                }
            }
        } catch (ReflectiveOperationException | LinkageError unfit) {
            return;
        }
        if (!found.isEmpty()) {
            print("class", name, String.join(" ", found));
        }
        if (found.contains("Transformation") || found.contains("Predicate")) {
            dumpOwnKeys("transforms", name);
        }
        // Converters of headers tell their keys; all of Kafka's converters are such.
        if (found.contains("HeaderConverter")) {
            dumpOwnKeys("converters", name);
        }
    }

    /** The keys that a plug-in has itself; those of a transformation's two variants are the same. */
    private static void dumpOwnKeys(String table, String name) throws Exception {
        String simple = name.substring(name.lastIndexOf('.') + 1).replaceAll("\\$.*", "");
        if (name.endsWith("$Key")) {
            return;
        }
        Object step = Class.forName(name).getConstructor().newInstance();
        for (Object key : keysOf(call(step, "config")).values()) {
            printKey(table, simple + " " + field(key, "name"), key, "", Set.of(), "");
        }
    }

    /** An initial value of the trait KafkaBroker: run its initialiser on a listener. */
    private static void dumpFetchSessionShards() throws Exception {
        Class<?> broker = Class.forName("kafka.server.KafkaBroker");
        List<Object> heard = new ArrayList<>();
        Object listener = Proxy.newProxyInstance(broker.getClassLoader(), new Class<?>[] {broker},
            (self, method, arguments) -> {
                if (method.getName().endsWith("$NumFetchSessionCacheShards_$eq")) {
                    heard.add(arguments[0]);
                }
                return null;
            });
        try {
            broker.getMethod("$init$", broker).invoke(null, listener);
        } catch (InvocationTargetException | NoSuchMethodException e) {
            // whatever the initialiser wants after the number is not there, and not needed
        }
        if (!heard.isEmpty()) {
            printConstant("fetch-session-cache-shards", heard.get(0),
                "kafka.server.KafkaBroker#NumFetchSessionCacheShards");
        }
    }

    /** The number is compiled into the code; only the answer to a larger value still shows it. */
    private static void dumpConfigValueSize() throws Exception {
        String place = "org.apache.kafka.controller.ConfigurationControlManager"
            + "#DISALLOWED_CONFIG_VALUE_SIZE_ERROR";
        Object error = firstOf(place);
        if (error != null) {
            Matcher digits = Pattern.compile("\\d+").matcher((String) call(error, "message"));
            if (digits.find()) {
                printConstant("max-config-value-size", digits.group(), place);
            }
        }
    }

    private static void printConstant(String name, Object value, String place) {
        int hash = place.indexOf('#');
        print("constant", name, value.toString(), place.substring(0, hash),
            place.substring(hash + 1));
    }

    // ---- what is deprecated -----------------------------------------------------------------

    /** Deprecated constants of the class that holds the plane's definition and of its parents. */
    private static Set<String> deprecatedFor(String[] plane) throws Exception {
        if (plane[0].equals("topic")) {
            return deprecatedConstants(
                List.of(Class.forName("org.apache.kafka.common.config.TopicConfig")));
        }
        for (String place : tail(plane)) {
            List<Class<?>> family = new ArrayList<>();
            Class<?> type = classOrNull(place.substring(0, place.indexOf('#')));
            for (; type != null; type = type.getSuperclass()) {
                family.add(type);
            }
            if (!family.isEmpty()) {
                return deprecatedConstants(family);
            }
        }
        return Set.of();
    }

    private static List<Class<?>> brokerConstantClasses() throws Exception {
        List<Class<?>> found = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!new File(path).getName().matches("kafka.*\\.jar")) {
                continue;
            }
            try (JarFile jar = new JarFile(path)) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (BROKER_CONSTANTS.matcher(name).matches()) {
                        found.add(Class.forName(
                            name.substring(0, name.length() - 6).replace('/', '.'), false,
                            Dump.class.getClassLoader()));
                    }
                }
            }
        }
        return found;
    }

    /** Texts that only deprecated string constants of these classes hold. */
    private static Set<String> deprecatedConstants(List<Class<?>> types) throws Exception {
        Set<String> deprecated = new HashSet<>();
        Set<String> current = new HashSet<>();
        for (Class<?> type : types) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getType() == String.class
                        && Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    boolean old = field.isAnnotationPresent(Deprecated.class);
                    (old ? deprecated : current).add((String) field.get(null));
                }
            }
        }
        deprecated.removeAll(current);
        return deprecated;
    }

    // ---- one key ----------------------------------------------------------------------------

    private static void printKey(String plane, Object key, String mode, Set<String> deprecated,
            String flag) throws Exception {
        printKey(plane, (String) field(key, "name"), key, mode, deprecated, flag);
    }

    private static void printKey(String plane, String name, Object key, String mode,
            Set<String> deprecated, String flag) throws Exception {
        PRINTED.computeIfAbsent(plane, any -> new TreeMap<>()).put(name, key);
        String documentation = (String) field(key, "documentation");
        List<String> flags = new ArrayList<>();
        if ((Boolean) field(key, "internalConfig")) {
            flags.add("internal");
        }
        if (deprecated.contains(name)
                || documentation != null && DEPRECATED.matcher(documentation).find()) {
            flags.add("deprecated");
        }
        if (!flag.isEmpty()) {
            flags.add(flag);
        }
        print("key", plane, name, field(key, "type").toString().toLowerCase(Locale.ROOT),
            defaultOf(key), validOf(field(key, "validator")),
            field(key, "importance").toString().toLowerCase(Locale.ROOT), mode,
            String.join(" ", flags));
    }

    /** {@code required}, {@code null}, {@code platform} or {@code =text}. */
    private static String defaultOf(Object key) throws Exception {
        if (!(Boolean) call(key, "hasDefault")) {
            return "required";
        }
        Object value = field(key, "defaultValue");
        if (value == null) {
            return "null";
        }
        String text = textOf(value);
        return text.contains(PLATFORM) ? "platform" : "=" + text;
    }

    private static String textOf(Object value) throws Exception {
        if (value instanceof Collection) {
            List<String> parts = new ArrayList<>();
            for (Object part : (Collection<?>) value) {
                parts.add(textOf(part));
            }
            return String.join(",", parts);
        }
        if (value instanceof Class) {
            return ((Class<?>) value).getName();
        }
        if (value.getClass().getSimpleName().equals("Password")) {
            return (String) call(value, "value");
        }
        return number(value);
    }

    // ---- validators -------------------------------------------------------------------------

    private static String validOf(Object validator) throws Exception {
        List<String> words = new ArrayList<>();
        addValid(validator, words);
        return String.join(" ", words);
    }

    private static void addValid(Object validator, List<String> words) throws Exception {
        if (validator == null) {
            return;
        }
        switch (validator.getClass().getSimpleName()) {
            case "Range":
                words.add(bound(field(validator, "min")) + ".." + bound(field(validator, "max")));
                break;
            case "ValidString":
                words.add("enum:" + names(field(validator, "validStrings")));
                break;
            case "CaseInsensitiveValidString":
                words.add("enum-ci:" + names(field(validator, "validStrings")));
                break;
            case "ValidList":
                String elements = names(field(field(validator, "validString"), "validStrings"));
                if (!elements.isEmpty()) {
                    words.add("list:" + elements);
                }
                Object emptyAllowed = fieldOrNull(validator, "isEmptyAllowed");
                if (emptyAllowed != null) { // 4.2: KIP-1161 also refuses blanks and repetitions
                    words.add("noblank");
                    words.add("unique");
                    if (!(Boolean) emptyAllowed) {
                        words.add("nonempty");
                    }
                }
                break;
            case "NonEmptyString":
                words.add("nonempty");
                break;
            case "CompositeValidator":
                for (Object part : (Collection<?>) field(validator, "validators")) {
                    addValid(part, words);
                }
                break;
            default:
                words.add("name:" + validatorName(validator.getClass()));
        }
    }

    /** The class's own name; a nested class that is just called Validator brings its outer's. */
    private static String validatorName(Class<?> type) {
        String name = type.getSimpleName().replace("$", "");
        if (type.isSynthetic() || type.isHidden() || name.isEmpty()
                || name.equals("LambdaValidator")) {
            return "lambda";
        }
        boolean nested = name.equals("Validator") && type.getEnclosingClass() != null;
        return nested ? type.getEnclosingClass().getSimpleName() + "." + name : name;
    }

    private static String names(Object strings) {
        Set<String> sorted = new TreeSet<>();
        for (Object one : (Collection<?>) strings) {
            if (one != null) { // null is a value that no text can give
                sorted.add((String) one);
            }
        }
        return String.join("|", sorted);
    }

    /** The bound of a range, whole numbers without a fraction; empty for no bound. */
    private static String bound(Object value) {
        return value == null ? "" : number(value).replaceFirst("\\.0$", "");
    }

    private static String number(Object value) {
        if (value instanceof Double && Math.abs((Double) value) < 1e15) {
            return new BigDecimal(value.toString()).toPlainString(); // 2.147483647E9 and the like
        }
        return value.toString();
    }

    // ---- reflection -------------------------------------------------------------------------

    private static Map<String, Object> keysOf(Object def) throws Exception {
        Map<String, Object> keys = new TreeMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) call(def, "configKeys")).entrySet()) {
            keys.put((String) entry.getKey(), entry.getValue());
        }
        return keys;
    }

    private static String[] placesOf(String plane) {
        for (String[] one : PLANES) {
            if (one[0].equals(plane)) {
                return tail(one);
            }
        }
        throw new IllegalArgumentException(plane);
    }

    private static String[] tail(String[] nameAndPlaces) {
        return Arrays.copyOfRange(nameAndPlaces, 1, nameAndPlaces.length);
    }

    /** The value of the first {@code class#member} that this release has, or null. */
    private static Object firstOf(String... places) throws Exception {
        for (String place : places) {
            int hash = place.indexOf('#');
            Object value = memberOf(place.substring(0, hash), place.substring(hash + 1));
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    private static Class<?> classOrNull(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static Object memberOf(String className, String member) throws Exception {
        Class<?> type = classOrNull(className);
        if (type == null) {
            return null;
        }
        Object self = className.endsWith("$") ? type.getField("MODULE$").get(null) : null;
        for (Method method : type.getDeclaredMethods()) {
            if (!method.getName().equals(member)) {
                continue;
            }
            method.setAccessible(true);
            if (method.getParameterCount() == 0) {
                boolean needsObject =
                    self == null && !Modifier.isStatic(method.getModifiers());
                return method.invoke(needsObject ? blank(type) : self);
            }
            // DistributedConfig.config(Crypto), which wants the algorithms of the JVM
            Class<?> parameter = method.getParameterTypes()[0];
            if (method.getParameterCount() == 1 && parameter.getSimpleName().equals("Crypto")) {
                Field system = parameter.getDeclaredField("SYSTEM");
                system.setAccessible(true);
                return method.invoke(self, system.get(null));
            }
        }
        Field field = declared(type, member);
        return field == null ? null : field.get(self);
    }

    /** An object without a constructor run, enough for a method that answers with a constant. */
    private static Object blank(Class<?> type) throws Exception {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field instance = unsafe.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        return unsafe.getMethod("allocateInstance", Class.class).invoke(instance.get(null), type);
    }

    private static Field declared(Class<?> type, String name) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        return null;
    }

    private static Object fieldOrNull(Object target, String name) throws Exception {
        Field field = declared(target.getClass(), name);
        return field == null ? null : field.get(target);
    }

    private static Object field(Object target, String name) throws Exception {
        Field field = declared(target.getClass(), name);
        if (field == null) {
            throw new NoSuchFieldException(target.getClass() + "." + name);
        }
        return field.get(target);
    }

    private static Object call(Object target, String name) throws Exception {
        for (Class<?> c = target.getClass(); c != null; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == 0) {
                    method.setAccessible(true);
                    return method.invoke(target);
                }
            }
        }
        throw new NoSuchMethodException(target.getClass() + "." + name);
    }

    private static void print(String... fields) {
        for (String field : fields) {
            if (field.matches("(?s).*[\t\n\r].*")) {
                throw new IllegalStateException("not fit for a table: " + String.join("|", fields));
            }
        }
        OUT.println(String.join("\t", fields));
    }
}
