import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Where Kafka itself puts keys and groups.
 *
 * Standard input has lines of kind TAB written; the arguments are numbers of partitions. The answer
 * to a key is its bytes and a partition for each number; to a group the partitions of
 * __consumer_offsets, then those of __transaction_state for the same name.
 */
public class Partitions {
    public static void main(String[] numbers) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            String kind = line.substring(0, line.indexOf('\t'));
            String written = line.substring(kind.length() + 1);
            StringBuilder answer = new StringBuilder();
            if (kind.equals("group")) {
                for (String number : numbers) answer.append(group(written, Integer.parseInt(number))).append('\t');
                for (String number : numbers) answer.append(transaction(written, Integer.parseInt(number))).append('\t');
            } else {
                byte[] key = serialized(kind, written);
                answer.append(HexFormat.of().formatHex(key)).append('\t');
                for (String number : numbers) answer.append(partition(key, Integer.parseInt(number))).append('\t');
            }
            out.println(answer.toString().strip());
        }
        out.flush();
    }

    private static byte[] serialized(String kind, String written) {
        switch (kind) {
            case "int": return new IntegerSerializer().serialize("t", Integer.valueOf(written));
            case "long": return new LongSerializer().serialize("t", Long.valueOf(written));
            case "text": return new StringSerializer().serialize("t", written);
            default: return HexFormat.of().parseHex(written);
        }
    }

    private static int partition(byte[] key, int partitions) throws Exception {
        try {
            Class<?> builtIn = Class.forName("org.apache.kafka.clients.producer.internals.BuiltInPartitioner");
            return (int) builtIn.getMethod("partitionForKey", byte[].class, int.class).invoke(null, key, partitions);
        } catch (ClassNotFoundException e) {
            // Before 3.3 DefaultPartitioner has this line in a method that wants a whole cluster.
            return Utils.toPositive(Utils.murmur2(key)) % partitions;
        }
    }

    private static int group(String name, int partitions) throws Exception {
        Class<?> service = Class.forName("org.apache.kafka.coordinator.group.GroupCoordinatorService");
        Object bare = bare(service);
        set(service, bare, "isActive", new AtomicBoolean(true));
        set(service, bare, "numPartitions", partitions);
        return (int) service.getMethod("partitionFor", String.class).invoke(bare, name);
    }

    private static int transaction(String name, int partitions) throws Exception {
        Class<?> manager = Class.forName("kafka.coordinator.transaction.TransactionStateManager");
        Object bare = bare(manager);
        set(manager, bare, "transactionTopicPartitionCount", partitions);
        return (int) manager.getMethod("partitionFor", String.class).invoke(bare, name);
    }

    /** An object whose constructor, which wants half a broker, has not run. */
    private static Object bare(Class<?> type) throws Exception {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field the = unsafe.getDeclaredField("theUnsafe");
        the.setAccessible(true);
        Method allocate = unsafe.getMethod("allocateInstance", Class.class);
        return allocate.invoke(the.get(null), type);
    }

    private static void set(Class<?> type, Object object, String name, Object value) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        field.set(object, value);
    }
}
