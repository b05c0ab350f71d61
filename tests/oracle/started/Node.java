import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/** A node of KRaft in one process: its folders are formatted for a cluster's id, then it starts. */
public final class Node {
    private Node() { }

    public static void main(String[] arguments) throws Exception {
        String[] format = {"format", "-t", arguments[1], "-c", arguments[0]};
        try {
            Object status = Class.forName("kafka.tools.StorageTool")
                .getMethod("execute", String[].class, PrintStream.class).invoke(null, format, System.out);
            if (!status.equals(0)) {
                Runtime.getRuntime().halt(1);
            }
        } catch (InvocationTargetException thrown) {
            System.out.println(thrown.getCause());
            Runtime.getRuntime().halt(1);
        }
        Class.forName("kafka.Kafka").getMethod("main", String[].class)
            .invoke(null, (Object) new String[] {arguments[0]});
    }
}
