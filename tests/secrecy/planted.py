"""Files of every format with a canary in each place where a secret may stand.

A *kind* is a key and a value with ``{}`` where the secret is; a *format* writes pairs of keys and
values into a file that kcheck reads, next to something that it finds fault with.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable, Iterable, Mapping

LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
PEM = "-----BEGIN PRIVATE KEY----- {} -----END PRIVATE KEY-----"

#: Names that are secret, whatever their value is.
_NAMES = """
ssl.keystore.password ssl.key.password ssl.truststore.password ssl.keystore.key
ssl.keystore.certificate.chain ssl.truststore.certificates sasl.jaas.config
password.encoder.secret password.encoder.old.secret delegation.token.secret.key
delegation.token.master.key sasl.oauthbearer.client.credentials.client.secret
sasl.oauthbearer.assertion.private.key.passphrase
listener.name.internal.plain.sasl.jaas.config listener.name.internal.ssl.key.password
producer.override.sasl.jaas.config consumer.ssl.keystore.password admin.ssl.key.password
schema.registry.basic.auth.user.info basic.auth.user.info bearer.auth.token
value.converter.schema.registry.basic.auth.user.info confluent.license
sasl.password ssl.key.pem ssl.keystore.pem.key.password
database.password connection.password aws.secret.access.key azure.account.key
gcs.credentials.json s3.secret.key api.key.password apiKey api_token clientSecret
http.authorization.header proxy.authorization.header http.auth.header connection.pw
storepass keypass keyPass store.pass DB_PASS MYSQL_ROOT_PASSWORD PGPASSWORD ORACLE_PWD
KAFKA_CLIENT_PASSWORDS client.passwords client.password.1 client.passwords.2 password1
KAFKA_PASSWD admin.passwd KAFKA_CONTROLLER_PASSPHRASE ssl.key.passcode vault.secret.value
github.token slack.token OAUTH_ACCESS_TOKEN refresh.token auth.tokens session.cookie
shared.access.key signing.key encryption.key decryption.key hmac.key license.key
account.credentials service.credentials aws.credentials ldap.java.naming.security.credentials
credentials.default db.password.new db.password.base64
ssl.keystore.pasword ssl.keystore.passwrod ssl.keystore.paswrd ssl.keystore.passwordd
ssl.key.pasword ssl.key.passwort ssl.truststore.passw0rd ssl.truststorepassword sll.key.pssword
sasl.jaas.confg sasl.jaas.cofnig sasl.jass.config sasl.jaas.conf saslJaasConfig
password.encoder.secrt password.encoder.secert password.encoder.old.sekret
ssl.keystore.kye ssl.keystore.kay ssl.trustore.certificates ssl.keystore.certificat.chain
delegation.token.secret.kei delegation.token.mastre.key client.credentals
sasl.oauthbearer.client.credentials.client.secrte basic.auth.user.inf basic.auth.userinfo
bearer.auth.tokn bearer.auth.tooken github_tokne aws.secret.acess.key azure.acount.key
private.kye connection.pasword conection.passwordl database.paswword database.passphase
KAFKA_SSL_KEYSTORE_PASWORD KAFKA_SSL_TRUSTORE_PASSWORT KAFKA_SASL_JAAS_CONFG SPRING_PASWORD
http.authorisation.header client.pasphrase db.credentialz
"""
NAMES = _NAMES.split()

#: Values that give themselves away, under keys that say nothing.
VALUES: dict[str, tuple[str, str]] = {
    "url": ("connection.url", "jdbc:postgresql://app:{}@db:5432/ledger"),
    "url with the password asked for": ("connection.uri", "jdbc:mysql://db/x?user=a&password={}"),
    "url of several hosts": ("hosts.url", "mongodb://u:{}@h1:27017,u:{}@h2:27017/db?w=1"),
    "urls": ("peers", "http://u:{}@h1,http://u:{}@h2"),
    "url with a slash": ("registry", "https://u:{}/x@sr.example.net"),
    "url with a comma": ("registry.two", "https://u:{},x@sr.example.net"),
    "url with an @": ("registry.three", "https://u:a@{}@sr.example.net/subjects"),
    "signature": ("blob", "https://x.example.net/c?sv=2022&sig={}&se=2027"),
    "signature of S3": ("s3.link", "https://b.s3.example.net/k?X-Amz-Signature={}&X-Amz-Date=1"),
    "token of a url": ("hook", "https://ci.example.net/build?access_token={}"),
    "key of a url": ("maps", "https://maps.example.net/q?key={}"),
    "oracle": ("dsn", "jdbc:oracle:thin:scott/{}@db:1521/x"),
    "sql server": ("mssql", "jdbc:sqlserver://db:1433;user=sa;password={};encrypt=true"),
    "event hub": ("hub", "Endpoint=sb://x.example.net/;SharedAccessKeyName=r;SharedAccessKey={}"),
    "java options": ("opts", "-Xmx1g -Djavax.net.ssl.keyStorePassword={} -Dx=y"),
    "java options, misspelt": ("more.opts", "-Djavax.net.ssl.trustStorePasword={} -Dx=y"),
    "producer property": ("command", "run --producer-property=ssl.key.password={} --topic t"),
    "flag": ("entry", "tool --user app --password {} --verbose"),
    "flag in quotes": ("entry.two", "tool --db-password '{}' x"),
    "keytool": ("init", "keytool -storepass {} -keypass {} -list"),
    "curl": ("probe", "curl -u admin:{} http://connect:8083"),
    "curl, long": ("probe.two", "curl --user admin:{} http://connect:8083"),
    "header": ("headers", "Authorization: Basic {}9A=="),
    "header of a bearer": ("call", "curl -H 'Authorization: Bearer {}' http://connect:8083"),
    "jaas": ("login", LOGIN + ' required username="u" password="{}";'),
    "users of jaas": ("logins", LOGIN + ' required user_alice="{}" user_bob="{}";'),
    "jaas behind an option": ("java", "-Dsasl.jaas.config=" + LOGIN + " required password={};"),
    "scram": ("scram", "SCRAM-SHA-512=[iterations=8192,password={}]"),
    "pem": ("store", PEM),
    "glued": ("path", "/etc/kafka/client.jksssl.keystore.password={}"),
    "hash rocket": ("ruby", "user => 'a', password => '{}'"),
    "nested json": ("inner", '{{"user": "a", "db.password": "{}"}}'),
    "nested yaml": ("block", "user: a, client_secret: {}"),
    "librdkafka": ("kcat", "kcat -b h:9092 -X sasl.password={} -L"),
    "openssl": ("make", "openssl pkcs12 -passin pass:{} -in a"),
    "numbered": ("several", "user=a;password1={};password2={}"),
}

#: Values that nothing but their letters give away; the canary is of another sort there.
LOOKS: dict[str, tuple[str, str]] = {
    "letters": ("some.thing", "{}"),
    "behind a path": ("webhook", "https://hooks.example.net/services/T0/B0/{}"),
    "alone before a host": ("remote", "https://{}@git.example.net/x.git"),
    "of a cloud": ("cloud", "ghp_{}"),
}


class Canaries:
    """Makes canaries, and knows them all: lowercase words, so that no look gives them away."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.planted: dict[str, str] = {}
        self._letters: list[str] = []

    def word(self, why: str) -> str:
        made = "zq" + "".join(self._random.choices(string.ascii_lowercase, k=9)) + "xj"
        self.planted[made] = why
        return made

    def letters(self, why: str) -> str:
        made = ""
        while sum(map(str.isdecimal, made)) < 5:
            made = "".join(self._random.choices(string.ascii_letters + string.digits, k=44))
        self.planted[made] = why
        self._letters.append(made)
        return made

    def filled(self, why: str, value: str, letters: bool = False) -> str:
        parts = value.replace("{{", "\1").replace("}}", "\2").split("{}")
        made = parts[0]
        for part in parts[1:]:
            made += (self.letters(why) if letters else self.word(why)) + part
        return made.replace("\1", "{").replace("\2", "}")

    def found_in(self, text: str) -> list[str]:
        seen = self.planted.keys() & set(re.findall(r"zq[a-z]{9}xj", text))
        seen |= {letters for letters in self._letters if letters in text}
        return sorted(f"{self.planted[canary]}: {canary}" for canary in seen)

    def pairs(self, where: str) -> dict[str, str]:
        """Each kind once, its canary fresh."""
        made = {name: self.filled(f"{where}, {name}", "{}") for name in NAMES}
        for kind, (key, value) in VALUES.items():
            made[key] = self.filled(f"{where}, {kind}", value)
        for kind, (key, value) in LOOKS.items():
            made[key] = self.filled(f"{where}, {kind}", value, True)
        return made


def _double(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _lines(pairs: Mapping[str, str], line: Callable[[str, str], str]) -> str:
    return "".join(line(key, value) for key, value in pairs.items())


def _variable(key: str) -> str:
    return key if key.isupper() else "KAFKA_" + key.upper().replace(".", "_").replace("-", "_")


Pairs = Mapping[str, str]


def _broker(pairs: Pairs, sep: str = "=") -> str:
    head = "broker.id=x\nzookeeper.connect=zk:2181\nlisteners=PLAINTEXT://:9092\n"
    return head + _lines(pairs, lambda k, v: f"{k}{sep}{v}\nnum.io.threads=0\n")


def _client(pairs: Pairs, sep: str = "=") -> str:
    return "bootstrap.servers=h:9092\nacks=2\n" + _lines(pairs, lambda k, v: f"{k}{sep}{v}\n")


def _worker(pairs: Pairs) -> str:
    head = "bootstrap.servers=h:9092\ngroup.id=w\nconfig.storage.topic=c\noffset.storage.topic=c\n"
    return head + _lines(pairs, lambda k, v: f"{k}={v}\n")


def _connector(pairs: Pairs) -> str:
    head = {"connector.class": "io.debezium.connector.mysql.MySqlConnector", "tasks.max": "0"}
    config = {**head, "errors.tolerence": "all", **pairs}
    return json.dumps({"name": "sink", "config": config}, indent=1)


def _compose(pairs: Pairs, flow: str) -> str:
    head = (
        "services:\n  kb:\n    image: apache/kafka:3.9.0\n    environment:\n"
        if flow != "command"
        else "services:\n  kb:\n    image: apache/kafka:3.9.0\n    command:\n"
    )
    if flow == "list":
        fault = "      - KAFKA_NUM_IO_THREADS=0\n"
        return (
            head
            + fault
            + _lines(pairs, lambda k, v: f"      - {_single(_variable(k) + '=' + v)}\n")
        )
    fault = "      KAFKA_NUM_IO_THREADS: 0\n"
    quote = _double if flow == "double" else _single
    return head + fault + _lines(pairs, lambda k, v: f"      {_variable(k)}: {quote(v)}\n")


def _dotenv(pairs: Pairs) -> str:
    return "KAFKA_NUM_IO_THREADS=0\n" + _lines(pairs, lambda k, v: f"{_variable(k)}={v}\n")


def _config_map(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"    {k}={v}\n")
    return (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kafka}\ndata:\n"
        f"  server.properties: |\n    broker.id=x\n    log.dirs=/d\n{body}"
    )


def _deployment(pairs: Pairs) -> str:
    body = _lines(
        pairs,
        lambda k, v: f"        - name: {_variable(k)}\n          value: {_double(v)}\n",
    )
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: kafka}\nspec:\n  template:\n"
        "    spec:\n      containers:\n      - name: kafka\n        image: apache/kafka:3.9.0\n"
        f"        env:\n        - {{name: KAFKA_NUM_IO_THREADS, value: '0'}}\n{body}"
    )


def _strimzi(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"      {k}: {_double(v)}\n")
    return (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: c}\nspec:\n"
        f"  kafka:\n    replicas: 3\n    config:\n      num.io.threads: 0\n{body}"
    )


def _strimzi_connector(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"    {k}: {_single(v)}\n")
    return (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnector\n"
        "metadata: {name: sink, labels: {strimzi.io/cluster: c}}\nspec:\n"
        "  class: io.debezium.connector.mysql.MySqlConnector\n  tasksMax: 0\n"
        f"  config:\n{body}"
    )


def _spring(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"      {k}: {_double(v)}\n")
    return (
        "spring:\n  kafka:\n    bootstrap-servers: h:9092\n    consumer: {heartbeat-interval: 60s}\n"
        f"    ssl: {{key-store-pasword: {next(iter(pairs.values()))}}}\n    properties:\n{body}"
    )


def _spring_properties(pairs: Pairs) -> str:
    head = "spring.kafka.bootstrap-servers=h:9092\nspring.kafka.producer.acks=7\n"
    return head + _lines(pairs, lambda k, v: f"spring.kafka.properties.{k}={v}\n")


def _declaration(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"    {_double(k)}: {_double(v)}\n")
    return f"kcheck: 1\nproducers:\n- name: p\n  bogus: 1\n  config:\n    acks: 7\n{body}"


def _terraform(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"    {_double(k)} = {_double(v)}\n")
    return (
        'resource "kafka_topic" "t" {\n  name = "t"\n  partitions = 1\n  replication_factor = 1\n'
        f'  config = {{\n    "retention.ms" = "x"\n{body}  }}\n}}\n'
    )


def _terraform_connector(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"    {_double(k)} = {_double(v)}\n")
    return (
        'resource "confluent_connector" "c" {\n  config_sensitive = {\n'
        f'{body}  }}\n  config_nonsensitive = {{\n    "tasks.max" = "x"\n{body}  }}\n}}\n'
    )


def _msk(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"{k}={v}\n")
    return (
        'resource "aws_msk_configuration" "m" {\n  kafka_versions = ["3.6.0"]\n  name = "m"\n'
        f"  server_properties = <<EOT\nnum.io.threads=0\n{body}EOT\n}}\n"
    )


def _helm(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"    {k}={v}\n")
    return f"kafka:\n  extraConfig: |\n    num.io.threads=0\n{body}"


def _ecs(pairs: Pairs) -> str:
    env = [{"name": "KAFKA_NUM_IO_THREADS", "value": "0"}]
    env += [{"name": _variable(k), "value": v} for k, v in pairs.items()]
    made = [{"name": "kafka", "image": "apache/kafka:3.9.0", "environment": env}]
    return json.dumps({"family": "kafka", "containerDefinitions": made}, indent=2)


def _hiera(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"  {_single(k)}: {_single(v)}\n")
    return f"kafka::broker::config:\n  num.io.threads: 0\n{body}"


def _puppet(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: "    '{}' => '{}',\n".format(k, v.replace("'", "\\'")))
    return f"class {{ 'kafka::broker':\n  config => {{\n{body}  }},\n}}\n"


def _ansible(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"      {k}: {_double(v)}\n")
    return "all:\n  vars:\n    kafka_broker_custom_properties:\n      num.io.threads: 0\n" + body


def _logstash(pairs: Pairs) -> str:
    body = _lines(
        pairs,
        lambda k, v: "    {} => '{}'\n".format(k.replace(".", "_"), v.replace("'", "")),
    )
    return f'output {{\n  kafka {{\n    topic_id => "t"\n    acks => "7"\n{body}  }}\n}}\n'


def _dockerfile(pairs: Pairs) -> str:
    body = _lines(pairs, lambda k, v: f"ENV {_variable(k)}={_double(v)}\n")
    named = {k: v for k, v in pairs.items() if " " not in v and v.isalpha()}
    blank = _lines(named, lambda k, v: f"ENV {_variable(k)} {v}\n")
    return f"FROM apache/kafka:3.9.0\nENV KAFKA_NUM_IO_THREADS=0\n{body}{blank}"


def _toml(pairs: Pairs) -> str:
    return '[kafka]\n"acks" = "7"\n' + _lines(pairs, lambda k, v: f"{_double(k)} = {_double(v)}\n")


def _command(pairs: Pairs) -> str:
    """Arguments of a container, as flags: the value behind a blank, or the next in the list."""
    flags = {k: v for k, v in pairs.items() if v.isalpha() and "." in k}
    body = _lines(flags, lambda k, v: f"    - --{k.replace('.', '-')}\n    - {v}\n")
    more = _lines(flags, lambda k, v: f"    - --override={k}={v}\n")
    flow = ", ".join(f'"--{k.replace(".", "-")}", "{v}"' for k, v in flags.items())
    return (
        "services:\n  kb:\n    image: apache/kafka:3.9.0\n    command:\n"
        f"{body}{more}  b:\n    command: [{flow}]\n"
    )


def _blocks(pairs: Pairs) -> str:
    """Values that stand below their keys, in the ways of YAML."""
    named = {k: v for k, v in pairs.items() if v.isalpha() and "." in k}
    out = "kafka:\n  num.io.threads: 0\n"
    for at, (key, value) in enumerate(named.items()):
        how = at % 5
        if how == 0:
            out += f"  {key}: |\n    first line\n    {value}\n"
        elif how == 1:
            out += f"  {key}: >-\n      {value}\n      last line\n"
        elif how == 2:
            out += f"  {key}:\n    - {value}\n    - other\n"
        elif how == 3:
            out += f"  {key}:\n    {value}\n"
        else:
            out += f'  {key}: "one\n    {value}"\n'
    return out


def _continued(pairs: Pairs) -> str:
    """Values of properties that go on behind a backslash."""
    return "broker.id=x\n" + _lines(pairs, lambda k, v: f"{k}=\\\n    {v}\nlog.dirs=/a,\\\n  /b\n")


def _jaas(pairs: Pairs) -> str:
    """A JAAS text whose continuation is broken, so that its lines are keys of their own."""
    named = [v for v in pairs.values() if v.isalpha()]
    users = "".join(f'    user_{at}="{value}" \\\n\n' for at, value in enumerate(named[:40]))
    rest = "".join(f'    password="{value}"\n' for value in named[40:])
    return f"broker.id=x\nsasl.jaas.config={LOGIN} required \\\n\n{users}{rest}    x=y;\n"


def _pems(pairs: Pairs) -> str:
    values = [v for v in pairs.values() if v.isalpha()]
    body = "".join(f"    MIIE{value}\n" for value in values[:40])
    return (
        "kafka:\n  client.pem: |\n    -----BEGIN RSA PRIVATE KEY-----\n"
        f"{body}    -----END RSA PRIVATE KEY-----\n  num.io.threads: 0\n"
    )


#: Path, and what writes the file.
FORMATS: dict[str, Callable[[Pairs], str]] = {
    "broker/server.properties": _broker,
    "colons/server.properties": lambda pairs: _broker(pairs, ":"),
    "spaced/server.properties": lambda pairs: _broker(pairs, " = "),
    "clients/producer.properties": _client,
    "clients/blank/consumer.properties": lambda pairs: _client(pairs, ": "),
    "connect/connect-distributed.properties": _worker,
    "connect/sink.json": _connector,
    "one/compose.yaml": lambda pairs: _compose(pairs, "double"),
    "two/compose.yaml": lambda pairs: _compose(pairs, "single"),
    "three/compose.yaml": lambda pairs: _compose(pairs, "list"),
    "four/compose.yaml": _command,
    "env/kafka.env": _dotenv,
    "k8s/configmap.yaml": _config_map,
    "k8s/deployment.yaml": _deployment,
    "strimzi/kafka.yaml": _strimzi,
    "strimzi/connector.yaml": _strimzi_connector,
    "spring/application.yml": _spring,
    "spring2/application.properties": _spring_properties,
    "declared/kcheck.yaml": _declaration,
    "tf/topic.tf": _terraform,
    "tf2/connector.tf": _terraform_connector,
    "msk/msk.tf": _msk,
    "helm/values.yaml": _helm,
    "ecs/task.json": _ecs,
    "hiera/kafka.yaml": _hiera,
    "puppet/init.pp": _puppet,
    "ansible/vars.yml": _ansible,
    "logstash/out.conf": _logstash,
    "image/Dockerfile": _dockerfile,
    "toml/kafka.toml": _toml,
    "blocks/values.yaml": _blocks,
    "continued/server.properties": _continued,
    "jaas/server.properties": _jaas,
    "pem/values.yaml": _pems,
}


def project(canaries: Canaries, formats: Iterable[str] = FORMATS) -> dict[str, str]:
    """Files by path, each with every kind in it."""
    return {path: FORMATS[path](canaries.pairs(path)) for path in formats}
