// One finding in full: what, what breaks, the evidence, what to set, where.

const ORIGINS = {
  set: () => "set",
  inherited: () => "inherited",
  default: (item) => (item.kafka_version ? `default of Kafka ${item.kafka_version}` : "default"),
  absent: () => "not set",
  fact: () => "fact",
};

const ANSWERS = {
  refuses: "refuses the configuration",
  fails: "accepts it and fails at run time",
  allows: "allows it",
  some: "depends on the version, or on a fact that no file states",
};

// So many other findings of a cause are listed.
const SAME = 20;

class Detail {
  constructor(report, onClose) {
    this.report = report;
    this.content = h("div.content");
    this.close = h("button.quiet", { type: "button", "aria-label": "Close (Escape)", onclick: () => this.hide() }, "Close");
    this.element = h("aside.detail", { "aria-label": "Finding", hidden: true }, h("div.bar-top", {}, h("span"), this.close), this.content);
    this.onClose = onClose;
    this.wanted = -1;
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  get open() {
    return !this.element.hidden;
  }

  hide() {
    this.element.hidden = true;
    this.wanted = -1;
    this.onClose();
  }

  async show(row) {
    this.wanted = row;
    const { findings } = this.report;
    const [[text, at], [more, also]] = await Promise.all([findings.text.wait(row), findings.more.wait(row)]);
    if (this.wanted !== row) return;
    this.content.replaceChildren(...this.parts(row, text, at, more, also));
    this.element.firstChild.firstChild.replaceChildren(severityTag(findings.severity[row]), findings.fresh[row] && this.report.facts.previous ? newTag() : "");
    this.element.hidden = false;
    this.content.scrollTop = 0;
  }

  parts(row, text, at, more, also) {
    const { findings, rules, clusters, facts } = this.report;
    const rule = findings.rule[row];
    const cluster = findings.cluster[row];
    const url = safeUrl(rules.text("url", rule));
    const title = [code(rules.text("code", rule)), " ", data(rules.text("name", rule))];
    const consequence = more.text("consequence", also);
    const evidence = more.list("evidence", also);
    const answer = ANSWERS[more.text("kafka", also)];
    const name = clusters.text("name", cluster);
    const own = evidence.some((item) => item.line === text.number("line", at) && item.path === text.text("path", at));
    const id = findings.id(row);
    const where = [
      ["Place", code(place(text.text("path", at), text.number("line", at), text.number("column", at)))],
      ["Resource", [`${text.text("kind", at)} `, code(text.text("resource", at))]],
      ["Cluster", link("findings", { cluster: name }, data(name))],
      ...["environment", "owner", "region", "version"].map((key) => [
        key === "version" ? "Kafka" : key[0].toUpperCase() + key.slice(1),
        data(clusters.text(key, cluster)),
      ]),
      ["Address", id ? link("findings", { finding: id }, "of this finding") : ""],
      ["Kafka's answer", answer ? data(answer) : ""],
      ["Version", data(more.text("inferred", also) || "")],
      facts.previous ? ["First seen", [`run `, code(findings.seen(row))]] : ["", ""],
    ].filter(([, value]) => value && value.textContent !== "");
    return [
      h("p.rule", {}, url ? h("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, title) : title),
      h("h2", {}, data(text.text("message", at))),
      !own && more.columns.source ? source(more.text("source", also), more.number("mark", also), more.number("marked", also), text.number("line", at)) : null,
      consequence ? h("p.consequence", {}, data(consequence)) : null,
      evidence.length ? h("h3", {}, "Evidence") : null,
      evidence.length ? h("ol.evidence", {}, evidence.map((item) => this.evidence(item))) : null,
      ...this.fix(more, also),
      ...this.same(row, more, also),
      h("h3", {}, "Where"),
      h("dl", {}, where.filter(([key]) => key).map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]).flat()),
    ].filter(Boolean);
  }

  /** The other findings of its cause: those of the page open in full. */
  same(row, more, also) {
    const { findings, rules } = this.report;
    const rows = findings.same(row);
    const others = more.columns.also ? more.list("also", also) : [];
    if (!rows.length && !others.length) return [];
    const item = (rule, message, at, open) =>
      h("li", {}, open ? h("button.quiet", { type: "button", onclick: open }, rule) : code(rule), " ", data(message), " ", h("span.muted", {}, code(at)));
    const list = h("ul.same", {}, others.map((other) => item(other.rule, other.message, place(other.path, other.line, other.column))));
    for (const other of rows.slice(0, SAME)) {
      const spot = h("span");
      list.append(spot);
      findings.text.wait(other).then(([text, at]) =>
        spot.replaceWith(item(rules.text("code", findings.rule[other]), text.text("message", at), place(text.text("path", at), text.number("line", at)), () => this.show(other))));
    }
    if (rows.length > SAME) list.append(h("li.muted", {}, `${count(rows.length - SAME)} more`));
    return [h("h3", {}, "Same cause"), list];
  }

  evidence(item) {
    const origin = (ORIGINS[item.origin] || (() => item.origin))(item);
    const through = item.from && item.from !== item.key ? ["through ", code(item.from), " "] : [];
    const at = place(item.path, item.line, item.column);
    const value = item.origin === "absent" && item.value === null ? [] : ["=", h("b", {}, data(item.value))];
    return h(
      "li",
      {},
      h("div.setting", {}, h("code", {}, data(item.key), ...value)),
      h("div.origin", {}, h(`span.kind.${item.origin === "set" ? "set" : "other"}`, {}, data(origin)), " ", ...through, item.kind ? [`on ${item.kind} `, data(item.resource)] : null),
      at ? h("div.place", {}, code(at)) : null,
      at ? source(item.source, item.mark, item.marked, item.line) : null,
    );
  }

  fix(more, also) {
    const text = more.text("fix", also);
    if (!text) return [];
    const edits = more.list("edits", also);
    return [
      h("h3", {}, "Fix", h("span.note", {}, applied(edits.length, more.number("safe", also) === 1))),
      h("p.fix", {}, data(text)),
      edits.length
        ? h("ul.edits", {}, edits.map((edit) => h("li", {}, code(place(edit.path, edit.line, edit.column)), " ", edit.text === "" ? h("span.muted", {}, "remove this") : ["→ ", h("ins", {}, code(edit.text))])))
        : null,
    ];
  }
}

/** What applies the edits of a fix. */
function applied(edits, safe) {
  if (!edits) return "";
  return safe ? "kcheck lint --fix applies it" : "kcheck lint --unsafe-fixes applies it";
}

/** A source line with its number, and the part of it that counts marked. */
function source(text, mark, marked, line) {
  if (!text) return null;
  // Columns are of a terminal: a wide character counts as two there, which is rare enough.
  const signs = [...text];
  const part = (from, to) => signs.slice(from, to).join("");
  return h("pre.source", { tabindex: 0 }, h("span.line", {}, `${line} `), part(0, mark), h("mark", {}, part(mark, mark + marked)), part(mark + marked));
}
