import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;

/**
 * Does with running nodes what clients do, one step per line of standard input.
 *
 * <p>A line is {@code step TAB argument …}; properties are {@code key U+0002 value} separated by
 * U+0001. The answer is one line: {@code ok}, or the exception with its causes.
 */
public final class Steps {
    private static final Duration POLL = Duration.ofMillis(200);

    private Steps() { }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String answer;
            try {
                answer = step(line.split("\t", -1));
            } catch (Throwable thrown) {
                answer = text(thrown);
            }
            answers.println(answer.replace('\n', ' '));
        }
        Runtime.getRuntime().halt(0);
    }

    private static String step(String[] cells) throws Exception {
        switch (cells[0]) {
            case "create":
                return create(properties(cells[1]), cells[2], cells[3], cells[4], properties(cells[5]));
            case "alter":
                return alter(properties(cells[1]), cells[2], cells[3], properties(cells[4]));
            case "grow":
                return grow(properties(cells[1]), cells[2], cells[3]);
            case "quota":
                return quota(properties(cells[1]), properties(cells[2]), properties(cells[3]));
            case "send":
                return send(properties(cells[1]), cells[2], Integer.parseInt(cells[3]), Integer.parseInt(cells[4]));
            case "transact":
                return transact(properties(cells[1]), cells[2]);
            case "join":
                return join(cells);
            case "read":
                return read(properties(cells[1]), cells[2], Integer.parseInt(cells[3]));
            case "stream":
                return stream(properties(cells[1]), cells[2], cells[3]);
            default:
                throw new IllegalArgumentException(cells[0]);
        }
    }

    private static String create(Properties how, String topic, String partitions, String replicas, Properties configs)
            throws Exception {
        try (Admin admin = Admin.create(how)) {
            Optional<Integer> count = partitions.isEmpty() ? Optional.empty() : Optional.of(Integer.valueOf(partitions));
            Optional<Short> copies = replicas.isEmpty() ? Optional.empty() : Optional.of(Short.valueOf(replicas));
            Map<String, String> values = new HashMap<>();
            configs.forEach((key, value) -> values.put((String) key, (String) value));
            admin.createTopics(List.of(new NewTopic(topic, count, copies).configs(values))).all().get(60, TimeUnit.SECONDS);
        }
        return "ok";
    }

    private static String alter(Properties how, String type, String name, Properties configs) throws Exception {
        try (Admin admin = Admin.create(how)) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.valueOf(type), name);
            Collection<AlterConfigOp> changes = new ArrayList<>();
            configs.forEach((key, value) -> changes.add(new AlterConfigOp(
                new ConfigEntry((String) key, (String) value), AlterConfigOp.OpType.SET)));
            admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get(60, TimeUnit.SECONDS);
        }
        return "ok";
    }

    private static String grow(Properties how, String topic, String count) throws Exception {
        try (Admin admin = Admin.create(how)) {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(Integer.parseInt(count)))).all().get(60, TimeUnit.SECONDS);
        }
        return "ok";
    }

    private static String quota(Properties how, Properties entity, Properties limits) throws Exception {
        try (Admin admin = Admin.create(how)) {
            Map<String, String> who = new HashMap<>();
            entity.forEach((key, value) -> who.put((String) key, (String) value));
            List<ClientQuotaAlteration.Op> changes = new ArrayList<>();
            limits.forEach((key, value) -> changes.add(
                new ClientQuotaAlteration.Op((String) key, Double.valueOf((String) value))));
            admin.alterClientQuotas(List.of(new ClientQuotaAlteration(new ClientQuotaEntity(who), changes)))
                .all().get(60, TimeUnit.SECONDS);
        }
        return "ok";
    }

    private static String send(Properties how, String topic, int bytes, int count) throws Exception {
        byte[] value = new byte[bytes];
        // What does not compress.
        new java.util.Random(1).nextBytes(value);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(how, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            List<java.util.concurrent.Future<?>> sent = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                sent.add(producer.send(new ProducerRecord<>(topic, value)));
            }
            for (java.util.concurrent.Future<?> one : sent) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            producer.close(Duration.ZERO);
        }
        return "ok";
    }

    private static String transact(Properties how, String topic) throws Exception {
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(how, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, new byte[10])).get(60, TimeUnit.SECONDS);
            producer.commitTransaction();
        } finally {
            producer.close(Duration.ZERO);
        }
        return "ok";
    }

    /** All consumers in one group, each in a thread of its own, until each of them has joined. */
    private static String join(String[] cells) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(cells[2]));
        int members = cells.length - 3;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        boolean[] joined = new boolean[members];
        List<Thread> threads = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            int mine = member;
            Properties how = properties(cells[member + 3]);
            Thread thread = new Thread(() -> {
                KafkaConsumer<byte[], byte[]> consumer = null;
                try {
                    consumer = new KafkaConsumer<>(how, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                    consumer.subscribe(List.of(cells[1]));
                    long settled = 0;
                    while (System.nanoTime() < end && failure.get() == null) {
                        consumer.poll(POLL);
                        joined[mine] = !consumer.assignment().isEmpty();
                        boolean all = true;
                        for (boolean one : joined) {
                            all &= one;
                        }
                        settled = all ? settled + 1 : 0;
                        // One look is not enough: who comes last may throw another out.
                        if (settled > 25) {
                            break;
                        }
                    }
                } catch (Throwable thrown) {
                    failure.compareAndSet(null, thrown);
                } finally {
                    if (consumer != null) {
                        consumer.close(Duration.ZERO);
                    }
                }
            });
            thread.start();
            threads.add(thread);
            // One after the other, as processes start.
            Thread.sleep(1500);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            return text(failure.get());
        }
        for (boolean one : joined) {
            if (!one) {
                return "not all members have an assignment: " + Arrays.toString(joined);
            }
        }
        return "ok";
    }

    private static String read(Properties how, String topic, int count) throws Exception {
        int seen = 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(how, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            consumer.subscribe(List.of(topic));
            while (seen < count && System.nanoTime() < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    seen++;
                }
            }
        } finally {
            consumer.close(Duration.ZERO);
        }
        return seen < count ? "read " + seen + " of " + count + " records in 25 s" : "ok";
    }

    /** Counts by key, so that there are a state store with its changelog and a repartitioned topic. */
    private static String stream(Properties how, String source, String target) throws Exception {
        how.putIfAbsent("default.key.serde", Serdes.StringSerde.class.getName());
        how.putIfAbsent("default.value.serde", Serdes.StringSerde.class.getName());
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(source).groupBy((key, value) -> value).count()
            .toStream().mapValues(String::valueOf).to(target);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        KafkaStreams streams = new KafkaStreams(builder.build(), how);
        streams.setUncaughtExceptionHandler(thrown -> {
            failure.compareAndSet(null, thrown);
            return StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        try {
            streams.start();
            Properties plain = new Properties();
            plain.put("bootstrap.servers", how.get("bootstrap.servers"));
            String sent = send(plain, source, 10, 1);
            if (!sent.equals("ok")) {
                return sent;
            }
            plain.put("group.id", how.get("application.id") + "-reader");
            plain.put("auto.offset.reset", "earliest");
            String answer = read(plain, target, 1);
            return failure.get() == null ? answer : text(failure.get());
        } finally {
            streams.close(Duration.ofSeconds(10));
        }
    }

    private static Properties properties(String cell) {
        Properties read = new Properties();
        for (String pair : cell.split("\u0001")) {
            int mark = pair.indexOf('\u0002');
            if (mark > 0) {
                read.put(pair.substring(0, mark), pair.substring(mark + 1));
            }
        }
        return read;
    }

    private static String text(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable one = thrown; one != null; one = one.getCause()) {
            if (!(one instanceof ExecutionException)) {
                text.append(text.length() == 0 ? "" : " <- ").append(one.getClass().getSimpleName()).append(": ").append(one.getMessage());
            }
        }
        return text.toString();
    }
}
