"""What is lost when a declaration of an example is written as another carrier."""
from __future__ import annotations
import sys, collections, json
from pathlib import Path
import yaml
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "rules"), str(HERE)]
from carriers import *
import carriers
from trial import NOW, examples_of
from kcheck import rules
from kcheck.engine import lint_project
from kcheck.settings import Settings
GOOD = len(sys.argv) > 3
SETTINGS = Settings(sets=("default", "advice", "preview"))
RANK = {"info": 0, "warning": 1, "error": 2}
def found(files):
    data = {n: t.encode() for n, t in files.items()}
    p = lint_project(sorted(data.items()), SETTINGS, data.get, circumstances=NOW)
    return p
from kcheck.syntax.properties import parse
def declared(name, body):
    base = name.rsplit("/", 1)[-1]
    if base == "kcheck.yaml":
        if FROM != "kcheck.yaml": return None
        try: return yaml.safe_load(body)
        except Exception: return None
    if FROM == "kcheck.yaml" or base != FROM: return None
    try: config = {x.key: x.value for x in parse(body)}
    except Exception as x: return None
    if "{{" in body or "${" in body: return None
    if base == "server.properties":
        own = config.pop("node.id", config.pop("broker.id", "1"))
        if not own.isdecimal(): return None
        alone = "advertised.listeners" in config or own != "1"
        return {"cluster": {"brokers": [{"id": int(own)}] if alone else 3, "config": config}}
    role = {"producer.properties": "producers", "consumer.properties": "consumers", "streams.properties": "streams"}.get(base)
    if role: return {role: [{"name": "app", "config": config}]}
    if base == "connect-distributed.properties": return {"worker": config}
    return None
import os
FROM = os.environ.get("FROM", "kcheck.yaml")
def main():
    table = getattr(carriers, sys.argv[1]); needs = set(sys.argv[2].split(","))
    lost = collections.defaultdict(lambda: collections.defaultdict(list)); tot = collections.Counter(); hit = collections.Counter(); fail=[]
    extra = collections.defaultdict(collections.Counter)
    for rule in rules.load().values():
        for n, e in enumerate(examples_of(rule)):
            if (e.bad == GOOD) or len(e.files) != 1: continue
            d = declared(*next(iter(e.files.items())))
            if not isinstance(d, dict) or not set(d) & needs or set(d) - needs - {"cluster"}: continue
            if sys.argv[1] in ("JOINED", "ADDRESSED") and len(set(d)) < 2: continue
            try:
                ref = found(e.files)
            except Exception: continue
            severities = [f.severity for f in ref.findings if f.code == rule.code]
            if bool(severities) == GOOD: continue
            base = {f.code for f in ref.findings}
            for name, c in table.items():
                try: files = c(d)
                except Exception as x: fail.append((rule.code, n, name, repr(x))); continue
                if files is None: continue
                tot[name] += 1
                p = found(files)
                if p.failures: fail.append((rule.code, n, name, p.failures[0][:300]))
                got = [f.severity for f in p.findings if f.code == rule.code]
                if GOOD:
                    if got: lost[rule.code][name].append((n, "false", got))
                    continue
                if got and max(RANK[str(s)] for s in got) >= max(RANK[str(s)] for s in severities) - 1: hit[name] += 1
                else: lost[rule.code][name].append((n, "weaker" if got else "absent", sorted({f.code for f in p.findings if f.severity!='info'} - base)))
                for f in p.findings:
                    if f.severity != "info" and f.code not in base: extra[f.code][name] += 1
    for name in table: print(name, hit[name], "of", tot[name], f"{hit[name]/max(1,tot[name]):.0%}")
    print("extra", {c: dict(v) for c, v in sorted(extra.items(), key=lambda kv: -sum(kv[1].values()))[:30]})
    print("fail", len(fail), fail[:5])
    for code in sorted(lost, key=lambda c: -sum(map(len, lost[c].values()))):
        print(code, {k: [(a, b[0], *c) for a, b, c in v][:2] + [len(v)] for k, v in lost[code].items()})
main()
