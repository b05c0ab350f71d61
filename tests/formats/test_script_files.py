"""Configuration files that the commands of a shell write, and variables that scripts export."""

from __future__ import annotations

import textwrap

import pytest

from kcheck import engine, formats
from kcheck.model import Derived, Document, Position
from kcheck.settings import Settings


def read(text: str, path: str = "install.sh") -> Document:
    return formats.read(path, textwrap.dedent(text).encode(), lambda _: None)


def told(document: Document, number: int = 0) -> dict[str, str | None]:
    return {key: one.text for key, one in document.resources[number].settings.items()}


def stands(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def codes(**texts: str) -> set[str]:
    """The codes that files of these names are given."""
    documents = [
        formats.read(f"{name}.sh", textwrap.dedent(text).encode(), lambda _: None)
        for name, text in texts.items()
    ]
    return {one.code for one in engine.lint_documents(documents, [], Settings()).findings}


HERE = """\
#!/bin/bash
ID=${BROKER_ID:-3}
cat > /opt/kafka/config/server.properties <<EOF
broker.id=$ID
log.dirs=/data/$HOSTNAME
min.insync.replicas=two
EOF
"""


def test_a_here_document() -> None:
    document = read(HERE)
    assert document.format == "script-files"
    (broker,) = document.resources
    assert (broker.kind, broker.name, broker.traits.fragment) == ("broker", "3", False)
    assert told(document) == {
        "broker.id": "3",
        "log.dirs": "/data/${HOSTNAME}",
        "min.insync.replicas": "two",
    } | {"log.dirs": None}
    setting = broker.settings["min.insync.replicas"]
    assert stands(HERE, setting.key_at) == "min.insync.replicas"
    assert stands(HERE, setting.at) == "two"
    # The value of a variable stands where that is set, and can be edited there.
    identity = broker.settings["broker.id"]
    assert stands(HERE, identity.at) == "3"
    assert stands(HERE, identity.key_at) == "broker.id"
    assert not isinstance(identity, Derived)


@pytest.mark.parametrize(
    "written",
    [
        "echo 'broker.id=1' >> $F/server.properties\n"
        'echo "zookeeper.connect=zk:2181" >> $F/server.properties\n',
        "printf '%s=%s\\n' broker.id 1 zookeeper.connect zk:2181 >> server.properties\n",
        'echo -e "broker.id=1\\nzookeeper.connect=zk:2181" | sudo tee -a conf/server.properties\n',
        "{ echo broker.id=1; echo zookeeper.connect=zk:2181; } >> server.properties\n",
        "for one in broker.id=1 zookeeper.connect=zk:2181; do\n"
        "  echo $one\ndone >> server.properties\n",
        "sudo bash -c 'cat >> /etc/kafka/server.properties <<EOF\n"
        "broker.id=1\nzookeeper.connect=zk:2181\nEOF'\n",
        "sed -i -e 's/^broker.id=.*/broker.id=1/' "
        "-e 's|zookeeper.connect=localhost:2181|zookeeper.connect=zk:2181|' server.properties\n",
        "sed -ri 's/(broker.id)=(.*)/\\1=1/; s/^(zookeeper.connect=).*/\\1zk:2181/' "
        "server.properties\n",
        "cat in.properties | sed 's/broker.id=0/broker.id=1/' \\\n"
        "  | sed 's,zookeeper.connect=.*,zookeeper.connect=zk:2181,' > server.properties\n",
        "sed -i '/^broker.id=/c\\broker.id=1' server.properties\n"
        "sed -i '$a zookeeper.connect=zk:2181' server.properties\n",
    ],
)
def test_lines_of_a_file_that_has_others(written: str) -> None:
    document = read(written)
    assert told(document) == {"broker.id": "1", "zookeeper.connect": "zk:2181"}
    (broker,) = document.resources
    assert broker.kind == "broker"
    assert broker.traits.fragment
    assert broker.traits.partial
    assert broker.traits.apart


@pytest.mark.parametrize(
    "edit",
    [
        "s/broker.id=/broker.id=1/",
        "s/^#*broker.id=\\(.*\\)/broker.id=1\\1/",
        "s/broker.id=.*/broker.id=$ID/",
        "s/broker.id=.*/broker.id=$(hostname)/",
        "s/broker.id=0/&1/",
    ],
)
def test_what_the_line_before_or_the_shell_tells_is_unknown(edit: str) -> None:
    document = read(f'sed -i "{edit}" server.properties\n')
    assert told(document) == {"broker.id": None}


@pytest.mark.parametrize(
    "text",
    [
        "echo 'broker.id=1'\n",
        "# echo broker.id=1 >> server.properties\n",
        "sed -i 's/broker.id=1/#broker.id=1/' server.properties\n",
        "sed 's/broker.id=0/broker.id=1/' server.properties\n",
        "echo broker.id=1 > /dev/null; cat server.properties\n",
        "grep -q broker.id=1 server.properties > found.properties\n",
        "echo 'broker.id=1 >> server.properties'\n",
        "cat > server.properties < other\n",
        "sed -i 's/broker.id=0/broker.id=1' server.properties\n",
    ],
)
def test_what_writes_nothing(text: str) -> None:
    assert not read(text).resources


def test_what_hangs_on_a_condition_is_unknown() -> None:
    document = read("""\
        echo num.partitions=3 >> server.properties
        if [ -n "$HOST" ]; then
          echo "min.insync.replicas=two" >> server.properties
        fi
        [ -z "$ID" ] || echo "num.io.threads=8" >> server.properties
        """)
    assert told(document)["num.partitions"] == "3"
    assert told(document)["min.insync.replicas"] is None


def test_a_file_written_whole_where_a_condition_holds_is_one_all_the_same() -> None:
    document = read("""\
        if [ ! -f server.properties ]; then
          cat > server.properties <<EOF
        broker.id=1
        zookeeper.connect=zk:2181
        EOF
        fi
        """)
    assert told(document)["broker.id"] == "1"
    assert document.resources[0].traits.conditional


def test_nodes_of_a_loop() -> None:
    document = read("""\
        for i in 1 2 3; do
          cat > server-$i.properties <<EOF
        broker.id=$i
        zookeeper.connect=zk:2181
        EOF
        done
        """)
    assert [one.name for one in document.resources] == ["1", "2", "3"]


def test_the_same_node_once_more_is_told_not_read() -> None:
    """Branches for two releases write the same node: no cluster has both."""
    text = """\
        if [ "$KRAFT" ]; then
          printf 'node.id=1\\nprocess.roles=broker\\n' > server.properties
        else
          printf 'node.id=1\\nmin.insync.replicas=2\\n' > server.properties
        fi
        """
    document = read(text)
    assert [one.name for one in document.resources] == ["1"]


def test_findings_and_silence() -> None:
    found = codes(install="echo min.insync.replicas=two >> server.properties\n")
    assert found == {"KC0103"}
    # What lacks in a part of a file stands in the rest, and a lone part is no cluster of one broker.
    assert not codes(
        install="""\
            echo "listeners=PLAINTEXT://:9092" >> server.properties
            echo "default.replication.factor=3" >> server.properties
            """
    )


def test_exported_variables_are_those_of_a_node() -> None:
    text = """\
        export KAFKA_ZOOKEEPER_CONNECT="${KAFKA_ZOOKEEPER_CONNECT:-localhost:2181}"
        export KAFKA_BROKER_ID=1
        export KAFKA_LOG_DIRS=${KAFKA_LOG_DIRS:-}
        export KAFKA_MESSAGE_MAX_BYTES=two
        if [ -z "$KAFKA_LISTENERS" ]; then
          export KAFKA_LISTENERS=PLAINTEXT://:9092
        fi
        exec start-kafka.sh
        """
    document = read(text)
    (broker,) = document.resources
    assert broker.traits.fragment
    assert told(document) == {
        "zookeeper.connect": "localhost:2181",
        "broker.id": "1",
        "log.dirs": None,
        "message.max.bytes": "two",
        "listeners": None,
    }
    plain = textwrap.dedent(text)
    assert stands(plain, broker.settings["message.max.bytes"].at) == "two"
    assert stands(plain, broker.settings["message.max.bytes"].key_at) == "KAFKA_MESSAGE_MAX_BYTES"


def test_a_comment_in_backticks_is_nothing() -> None:
    document = read("""\
        docker run -d -e KAFKA_NODE_ID=1 `# the id` \\
          -e KAFKA_PROCESS_ROLES=broker `# its role` \\
          apache/kafka:3.9.0
        """)
    assert told(document) == {"node.id": "1", "process.roles": "broker"}


@pytest.mark.parametrize(
    "text",
    [
        "sed -i '" + "s/a=b/" * 20_000 + "' server.properties\n",
        "sed -i 's/" + "\\(" * 20_000 + "/x=1/' server.properties\n",
        "echo " + "{" * 5_000 + " >> server.properties\n",
        "cat > server.properties <<EOF\n" + "a=b\n" * 50_000 + "EOF\n",
        "printf '" + "%s" * 20_000 + "' x > server.properties\n",
        "echo -e '" + "\\" * 50_000 + "' > server.properties\n",
        "".join(f"echo broker.id={i} >> server.properties\n" for i in range(3_000)),
        "cat > server.properties <<EOF\r\nbroker.id=1\r\nEOF\r\n",
        "cat > server.properties <<EOF\nlog.dirs=\\u00zz\nbroker.id=1\nEOF\n",
        "sed -i -e server.properties\nsed\nsed -i\ntee\ntee -a\necho >> a.properties\n",
    ],
)
def test_hostile_texts(text: str) -> None:
    document = formats.read("install.sh", text.encode(), lambda _: None)
    assert document.status in ("read", "passed-over", "skipped", "error")


HOLDERS = {
    "Makefile": "install:\n\techo 'broker.id=1' >> server.properties\n",
    "Vagrantfile": 'c.vm.provision "shell", inline: <<-SHELL\n'
    "  echo 'broker.id=1' >> server.properties\nSHELL\n",
    "main.tf": 'resource "null_resource" "k" {\n  provisioner "remote-exec" {\n    inline = [\n'
    '      "echo host=${var.host}",\n'
    '      "echo broker.id=1 >> /opt/kafka/config/server.properties",\n    ]\n  }\n}\n',
    "user_data.tf": 'resource "aws_instance" "k" {\n  user_data = <<-EOT\n    #!/bin/bash\n'
    "    echo 'broker.id=1' >> /opt/kafka/server.properties\n  EOT\n}\n",
    "Dockerfile": "FROM alpine\nENV KAFKA_HOME=/kafka\nRUN apk add bash && \\\n"
    '  echo "broker.id=1" >> $KAFKA_HOME/config/server.properties\n',
    "pipeline.yml": "jobs:\n  a:\n    steps:\n      - run: |\n"
    "          echo 'broker.id=1' >> server.properties\n",
    "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\ndata:\n  init.sh: |\n"
    "    echo 'broker.id=1' >> server.properties\n"
    "    exec kafka-server-start.sh server.properties\n",
    "compose.yml": "services:\n  kafka:\n    image: example/kafka\n    command: |\n"
    "      bash -c 'echo broker.id=1 >> server.properties'\n",
}


@pytest.mark.parametrize("name", sorted(HOLDERS))
def test_texts_of_other_files(name: str) -> None:
    text = HOLDERS[name]
    document = read(text, name)
    (broker,) = document.resources
    setting = broker.settings["broker.id"]
    assert (broker.kind, setting.text, setting.path) == ("broker", "1", name)
    assert stands(text, setting.key_at) == "broker.id"
    assert stands(text, setting.at) == "1"


def test_machines_of_one_terraform_file() -> None:
    """Each list of commands is for another machine; what Terraform fills in is unknown."""
    text = "".join(
        f'resource "null_resource" "k{number}" {{\n  provisioner "remote-exec" {{\n    inline = [\n'
        f"      \"sed -i 's/broker.id=0/broker.id={number}/' kafka/server.properties\",\n"
        '      "echo \\"log.dirs=${var.data}\\" >> kafka/server.properties"\n    ]\n  }\n}\n'
        for number in range(3)
    )
    document = read(text, "main.tf")
    assert [one.name for one in document.resources] == ["0", "1", "2"]
    assert told(document, 2) == {"broker.id": "2", "log.dirs": None}


@pytest.mark.parametrize(
    "text",
    [
        "inline = [" * 5_000 + '".properties" >',
        'inline = ["' + "\\" * 50_000 + ".properties > x",
        "x = <<A\n" * 5_000 + "echo a=b > kafka/server.properties\n",
        "x = <<A\n" + "${" * 50_000 + "\necho a=b > kafka/server.properties\nA\n",
        'inline = ["echo broker.id=1 > server.properties"',
    ],
)
@pytest.mark.parametrize("name", ["main.tf", "Vagrantfile"])
def test_hostile_provisioners(name: str, text: str) -> None:
    document = formats.read(name, text.encode(), lambda _: None)
    assert document.status in ("read", "passed-over", "skipped", "error")


def test_a_text_in_a_text_of_terraforms() -> None:
    """Terraform takes away the indent, so that the shell finds where its own text ends."""
    text = """\
data "template_file" "user_data" {
  template = <<-EOF
    #!/bin/bash
    cat <<EOT > /opt/kafka/client.properties
    bootstrap.servers=a:9092
    security.protocol=SSL
    EOT
    cat <<EOT > /opt/kafka/config/server.properties
    broker.id=${var.id}
    log.dirs=/data/$${HOSTNAME}
    min.insync.replicas=2
    EOT
  EOF
}
"""
    document = read(text, "main.tf")
    assert [one.kind for one in document.resources] == ["client", "broker"]
    broker = document.resources[1]
    assert told(document, 1) == {"broker.id": None, "log.dirs": None, "min.insync.replicas": "2"}
    assert stands(text, broker.settings["min.insync.replicas"].at) == "2"
    assert not broker.earlier


def test_tags_of_a_template_are_no_words() -> None:
    document = read(
        "docker run -d \\\n{% if port %} -p 9092:9092 \\\n{% endif %} -e KAFKA_NODE_ID=1 \\\n"
        "  -e KAFKA_PROCESS_ROLES='{{ roles }}' \\\n  apache/kafka:3.9.0\n",
        "run.sh.j2",
    )
    assert told(document) == {"node.id": "1", "process.roles": None}


@pytest.mark.parametrize(
    "command",
    [
        "HOST=`hostname`",
        'HOST="`hostname -f`:9092"',
        'echo "$(docker port `hostname` 9092 | sed -r "s/.*:(.*)/\\1/g")"',
        "for one in `env`; do echo $one; done",
    ],
)
def test_commands_in_backticks_end(command: str) -> None:
    document = read(f"{command}\necho min.insync.replicas=2 >> server.properties\n")
    assert told(document) == {"min.insync.replicas": "2"}


def test_keys_that_a_shell_fills_in_are_none() -> None:
    document = read('echo "$key=$value" >> server.properties\n')
    assert not document.resources


def test_variables_that_are_unset_again_are_not_handed_on() -> None:
    document = read("""\
        export KAFKA_BROKER_ID=1
        export KAFKA_ZOOKEEPER_CONNECT=zk:2181
        export KAFKA_ADVERTISED_PORT=9092
        if [ -n "$X" ]; then
          unset KAFKA_ADVERTISED_PORT
        fi
        """)
    assert told(document) == {"broker.id": "1", "zookeeper.connect": "zk:2181"}


def test_the_command_that_another_runs_writes_the_file() -> None:
    document = read("sudo " + HERE.partition("\n")[2].partition("\n")[2])
    (broker,) = document.resources
    assert broker.settings["min.insync.replicas"].text == "two"
    assert read("sudo echo broker.id=1 > /opt/kafka/config/server.properties").resources
