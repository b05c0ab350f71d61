import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Prints which of the versions given as arguments a release takes for inter.broker.protocol.version. */
public class Protocols {
    public static void main(String[] names) throws Exception {
        Object target = null;
        Method method = null;
        try {
            Class<?> metadata = Class.forName("org.apache.kafka.server.common.MetadataVersion");
            for (Method one : metadata.getMethods())
                if (one.getName().equals("fromVersionString")) method = one;
        } catch (ClassNotFoundException before33) {
            Class<?> companion = Class.forName("kafka.api.ApiVersion$");
            target = companion.getField("MODULE$").get(null);
            method = companion.getMethod("apply", String.class);
        }
        for (String name : names) {
            try {
                // From 4.x on, the second argument asks for unstable versions, too.
                if (method.getParameterCount() == 1) method.invoke(target, name);
                else method.invoke(target, name, false);
                System.out.println(name);
            } catch (InvocationTargetException refused) {
                // not one of this release's
            }
        }
    }
}
