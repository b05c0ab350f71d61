#!/usr/bin/env bash
# Tries both hooks with the real pre-commit program on a throw-away repository: precommit.sh DIR
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$1/precommit
rm -rf "$work" && mkdir -p "$work/hooks" "$work/repo"

# pre-commit installs hooks from a git repository with a commit of its own.
(cd "$here" && tar cf - --exclude=.venv --exclude=.git .) | tar xf - -C "$work/hooks"
cd "$work/hooks"
git init --quiet && git add -A && git -c user.name=t -c user.email=t@example.com commit --quiet -m hooks

cd "$work/repo"
git init --quiet
cat > kcheck.yaml <<'Y'
kcheck: 1
cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {min.insync.replicas: 2}}
topics:
  - {name: orders, partitions: 6, replication_factor: 3}
Y
for hook in kcheck kcheck-all; do
  cat > .pre-commit-config.yaml <<Y
repos:
  - repo: $work/hooks
    rev: $(git -C "$work/hooks" rev-parse HEAD)
    hooks: [{id: $hook}]
Y
  git add -A
  pre-commit run --all-files
  printf 'topics:\n  - {name: wide, partitions: 6, replication_factor: 9}\n' > extra.yaml
  git add -A
  # The fault is in the new file, the fact that makes it one in the old: context must be read.
  if pre-commit run --files extra.yaml; then
    echo "hook $hook did not report the fault" >&2
    exit 1
  fi
  git rm --quiet --cached extra.yaml && rm extra.yaml
done

commit() { git -c user.name=t -c user.email=t@example.com commit --quiet --no-verify -m "$1"; }
cat > .pre-commit-config.yaml <<Y
repos:
  - repo: $work/hooks
    rev: $(git -C "$work/hooks" rev-parse HEAD)
    hooks: [{id: kcheck, args: [--select, KC0302, --fail-on, warning]}]
Y
mkdir topics && mv kcheck.yaml cluster.yaml
sed -i '/^topics/,$d' cluster.yaml
printf 'topics:\n  - {name: orders, partitions: 6, replication_factor: 3}\n' > topics/orders.yaml
git add -A && commit start
# The fault shows at a topic, and the broker's file alone has changed.
sed -i 's/min.insync.replicas: 2/min.insync.replicas: 4/' cluster.yaml
git add -A
if pre-commit run > "$work/told"; then
  echo "the hook did not tell what the change does to another file" >&2
  exit 1
fi
grep -q topics/orders.yaml "$work/told"
# What stood at HEAD is counted alone: a change of something else passes.
commit wrong
echo '# reviewed' >> cluster.yaml
git add -A
pre-commit run > "$work/told"
grep -q 'known in HEAD' "$work/told"
# A warning passes, and is seen.
sed -i 's/KC0302, --fail-on, warning/KC0303/; ' .pre-commit-config.yaml
sed -i 's/min.insync.replicas: 4/min.insync.replicas: 3/' cluster.yaml
git add -A
pre-commit run > "$work/told"
grep -q KC0303 "$work/told"
echo "both hooks work"
