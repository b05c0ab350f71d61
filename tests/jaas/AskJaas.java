import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;

/**
 * What Kafka makes of the sasl.jaas.config in each line of standard input (UTF-8 in hex): "!" where it
 * refuses it, else the login module, the control flag and the options in hex.
 */
public final class AskJaas {
    public static void main(String[] arguments) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8)));
        }
    }

    private static String answer(String text) {
        try {
            JaasContext context = JaasContext.loadClientContext(Map.of("sasl.jaas.config", new Password(text)));
            AppConfigurationEntry entry = context.configurationEntries().get(0);
            var told = new StringBuilder(hex(entry.getLoginModuleName()));
            var sorted = new TreeMap<String, Object>(Comparator.nullsFirst(Comparator.naturalOrder()));
            sorted.putAll(entry.getOptions());
            sorted.forEach((name, value) -> told.append(' ').append(hex(name)).append('=').append(hex((String) value)));
            return told.toString();
        } catch (RuntimeException refused) {
            return "!";
        }
    }

    private static String hex(String text) {
        return text == null ? "" : HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
