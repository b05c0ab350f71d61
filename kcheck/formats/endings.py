"""Which formats may read a file: by the ending of its name, its name, or without an ending its beginning."""

from __future__ import annotations

#: The formats by file ending, in the order in which they are asked.
YAML = ("strimzi.reader", "declarations.reader", "compose.reader", "cloud_init", "yaml_others")
PROPERTIES = ("properties.reader", "clients.files")
BY_ENDING = {
    ".yaml": YAML,
    ".yml": YAML,
    ".properties": PROPERTIES,
    ".config": ("containers.jaas_files", "clients.files", "properties.reader"),
    ".jaas": ("containers.jaas_files",),
    ".conf": (
        "containers.jaas_files",
        "observers.lag_exporter",
        "agents.logstash",
        "agents.conf",
        "agents.fluentd",
        "host",
        "clients.files",
        "properties.reader",
    ),
    ".hocon": ("observers.lag_exporter", "clients.files"),
    ".toml": ("agents.conf", "observers.burrow", "clients.files"),
    ".sql": ("sql.flink", "sql.clickhouse", "sql.ksql"),
    ".ksql": ("sql.ksql",),
    ".service": ("host",),
    ".cnf": PROPERTIES,
    ".cfg": ("cloud_init", "clients.ini", "properties.reader"),
    ".template": ("provisioned.stacks", *PROPERTIES),
    ".delta": PROPERTIES,
    ".json": ("json_others", "machine_data"),
    ".sls": ("machine_data",),
    ".pp": ("machine_data",),
    ".xml": ("xml_others",),
    ".ini": ("clients.ini",),
    ".env": ("containers.env",),
    ".tf": ("terraform.reader",),
    ".tofu": ("terraform.reader",),
    ".tfvars": ("terraform.vars",),
    ".hcl": ("containers.nomad", "terraform.terragrunt", "terraform.reader"),
    ".nomad": ("containers.nomad",),
    ".txt": ("described",),
    ".out": ("described",),
    ".sh": ("commands.scripts",),
    ".bash": ("commands.scripts",),
    ".mk": ("commands.scripts",),
    ".dockerfile": ("containers.dockerfiles",),
}
#: Files that have no ending, and are known by their names.
_BY_NAME = dict.fromkeys(
    ("makefile", "gnumakefile", "justfile", "jenkinsfile", "vagrantfile"), ("commands.scripts",)
) | dict.fromkeys(("user-data", "cloud-init", "cloud-config"), ("cloud_init",))
#: Files that are known by the beginning of their name: ``Dockerfile.broker``.
_DOCKERFILES = ("dockerfile", "containerfile")
#: What stands behind the real ending of a template or a sample.
_TEMPLATE_ENDINGS = frozenset(
    (".j2", ".jinja2", ".jinja", ".erb", ".tpl", ".tmpl", ".ctmpl", ".gotmpl", ".tftpl")
    + (".template", ".dist", ".example", ".sample")
)
#: Those of the tools whose templates are rendered as far as their variables are known.
_RENDERED = (".j2", ".jinja2", ".jinja", ".erb")
#: Those of which the lines count that hang on nothing; of the last only those of properties are read.
_LITERAL = (".tpl", ".tmpl", ".ctmpl", ".gotmpl", ".tftpl")
_SELDOM = (".ctmpl", ".tftpl")

#: So many bytes tell what a file without an ending is.
_BEGINNING = 100


def takes(name: str) -> bool:
    """Whether a file of this name is looked into: for its name, or because it has no ending."""
    return "." not in name or bool(modules_for(name))


def modules_of(path: str, data: bytes) -> tuple[str, ...]:
    """The format modules that may read this file: by its name, or without an ending by its beginning."""
    found = modules_for(path)
    if found or "." in path[path.rfind("/") + 1 :]:
        return found
    start = data[:_BEGINNING].lstrip()
    if start.startswith(b"{"):
        return BY_ENDING[".json"]
    shell = start.startswith(b"#!") and b"sh" in start.partition(b"\n")[0]
    return BY_ENDING[".sh"] if shell else ()


def modules_for(path: str) -> tuple[str, ...]:
    """The format modules that may read a file of this name."""
    if path.endswith((".yaml", ".yml")):  # asked twice for each of thousands of files
        return YAML
    name = path.rsplit("/", 1)[-1].lower()
    if name == "kustomization":
        return YAML
    if name.startswith(".env"):
        return BY_ENDING[".env"]
    if name.startswith(("docker-compose", "compose.", "compose-")) and (
        ".yml" in name or ".yaml" in name
    ):
        # docker-compose.yml.bak is one, too.
        return YAML
    if name.startswith(_DOCKERFILES) and name.partition(".")[0] in _DOCKERFILES:
        return BY_ENDING[".dockerfile"]
    ending = ending_of(name)
    if ending in _TEMPLATE_ENDINGS:
        stem = name.removesuffix(ending)
        return _of_template(ending, BY_ENDING.get(ending_of(stem) or f".{stem}"))
    if name.endswith(".properties") and "templates/" in path:
        return ("templates", *PROPERTIES)
    return BY_ENDING.get(ending, ()) or _BY_NAME.get(name, ())


def _of_template(ending: str, inner: tuple[str, ...] | None) -> tuple[str, ...]:
    """The modules for a template with that ending, whose name without it has ``inner``."""
    if ending in _RENDERED:
        return ("templates", *(inner or ()))
    if ending in _LITERAL and inner is not None and "properties.reader" in inner:
        return ("templates", *inner)
    if ending in _SELDOM:
        # What Terraform fills in of YAML is unknown, as in any template; what it repeats is no YAML.
        return YAML if inner is YAML and ending == ".tftpl" else ()
    return inner or BY_ENDING.get(ending, ())


def ending_of(name: str) -> str:
    """The ending of a file's name with its dot; "" without one."""
    dot = name.rfind(".")
    return name[dot:] if dot >= 0 else ""
