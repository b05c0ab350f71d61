// All findings: filtered, searched, sorted, one of them in full.

/** The findings of the page: what is filtered by in memory, the rest in parts. */
class Findings {
  constructor(keys) {
    this.rows = keys.rows;
    for (const name of ["cluster", "rule", "severity"]) this[name] = keys.numbers(name);
    this.fresh = keys.numbers("new");
    this.first = keys.columns.seen;
    this.ids = keys.columns.id;
    // The row that leads each row's cause, where the page tells causes.
    this.lead = keys.columns.lead ? keys.numbers("lead") : null;
    this.text = new Parts("findings.text");
    this.more = new Parts("findings.more");
    this.orders = new Map();
  }

  /** The other rows of a row's cause, the leading one first. */
  same(row) {
    const found = [];
    if (!this.lead) return found;
    const lead = this.lead[row];
    for (let other = 0; other < this.rows; other++) if (this.lead[other] === lead && other !== row) found.push(other);
    return found;
  }

  /** What the address of a row says; "" where findings have none. */
  id(row) {
    return this.ids ? this.ids.strings[this.ids.values[row]] : "";
  }

  /** The row of an address, -1 where there is none. */
  find(id) {
    const at = this.ids && id ? this.ids.strings.indexOf(id) : -1;
    return at < 0 ? -1 : this.ids.values.indexOf(at);
  }

  seen(row) {
    return this.first.strings[this.first.values[row]];
  }

  /** All rows in an order: "gravity" puts the gravest first, new before old. */
  order(key, descending, report) {
    const name = `${key} ${descending}`;
    if (this.orders.has(name)) return this.orders.get(name);
    const clusters = report.clusters.rows;
    const rules = report.rules.rows;
    const gravity = (row) => (2 - this.severity[row]) * 2 + (1 - this.fresh[row]);
    const room = 6 * clusters * rules < 4294967295;
    const seen = key === "seen" ? places(this.first.strings) : null;
    const byName = key === "cluster" ? places(report.clusters.strings("name")) : null;
    const cluster = report.clusters.columns.name.values;
    const keys = {
      // From the gravest down, which is what "descending" means here.
      gravity: (row) => (gravity(row) * rules + this.rule[row]) * (room ? clusters : 1) + (room ? this.cluster[row] : 0),
      rule: (row) => this.rule[row] * (room ? clusters : 1) + (room ? this.cluster[row] : 0),
      cluster: (row) => byName[cluster[this.cluster[row]]] * 6 + gravity(row),
      seen: (row) => seen[this.first.values[row]],
    };
    const rows = new Uint32Array(this.rows);
    for (let row = 0; row < rows.length; row++) rows[row] = row;
    const sorted = sortedBy(rows, keys[key], key === "gravity" ? !descending : descending);
    this.orders.set(name, sorted);
    return sorted;
  }
}

/** Searches the texts of findings, part after part; a newer search ends an older one. */
class Search {
  constructor(report) {
    this.report = report;
    this.query = null;
    this.hits = null;
  }

  /** 1 for each finding in which all words occur, or null where another search has begun. */
  async run(query, progress) {
    if (this.query === query && this.hits) return this.hits;
    this.query = query;
    this.hits = null;
    const { findings, rules, clusters } = this.report;
    const words = query.toLowerCase().split(/\s+/);
    const within = (strings, word) => strings.map((text) => Number((text || "").toLowerCase().includes(word)));
    const of = (column, word) => {
      const found = within(column.strings, word);
      return Uint8Array.from(column.values, (place) => found[place]);
    };
    const known = words.map((word) => {
      const code = of(rules.columns.code, word);
      const name = of(rules.columns.name, word);
      return { rule: code.map((hit, row) => hit | name[row]), cluster: of(clusters.columns.name, word) };
    });
    const hits = new Uint8Array(findings.rows).fill(1);
    const parts = findings.text.sources.length;
    let drawn = performance.now();
    for (let part = 0; part < parts; part++) {
      const text = await findings.text.load(part);
      if (this.query !== query) return null;
      const start = findings.text.starts[part];
      const columns = ["message", "path", "resource", "keys"].map((name) => text.columns[name]);
      words.forEach((word, number) => {
        const { rule, cluster } = known[number];
        const found = columns.map(({ strings }) => within(strings, word));
        for (let row = 0; row < text.rows; row++) {
          const at = start + row;
          if (!hits[at] || rule[findings.rule[at]] || cluster[findings.cluster[at]]) continue;
          if (!columns.some(({ values }, column) => found[column][values[row]])) hits[at] = 0;
        }
      });
      if (performance.now() - drawn > 40) {
        progress((part + 1) / parts);
        await new Promise((resume) => setTimeout(resume));
        drawn = performance.now();
      }
    }
    if (this.query === query) this.hits = hits;
    return this.query === query ? hits : null;
  }
}

class FindingsView {
  constructor(report) {
    this.report = report;
    this.search = new Search(report);
    this.folded = new Map();
    const fields = ["q", "cluster", "severity", report.facts.previous ? "state" : null, "family", "rule", "environment", "owner", "region", "version"];
    this.bar = new FilterBar(report, fields.filter(Boolean), (filter) => report.go("findings", filter));
    this.detail = new Detail(report, () => {
      this.grid.follows = false;
      this.named("");
      this.grid.body.focus();
      this.split.classList.remove("open");
    });
    const { findings, rules, clusters } = report;
    const redraw = () => this.grid.soon();
    const lazily = (row, show) => {
      const found = findings.text.at(row, redraw);
      return found ? show(...found) : "…";
    };
    this.grid = new Grid({
      label: "Findings",
      empty: "No finding matches these filters.",
      sorted: { key: "gravity", descending: true },
      columns: [
        { key: "gravity", title: "Severity", width: "78px", sort: true, cell: (row) => severityTag(findings.severity[row]) },
        report.facts.previous
          ? { key: "new", unseen: "New", width: "46px", cell: (row) => (findings.fresh[row] ? newTag() : "") }
          : null,
        { key: "rule", title: "Rule", width: "72px", sort: true, cell: (row) => h("code", { title: rules.text("name", findings.rule[row]) }, data(rules.text("code", findings.rule[row]))) },
        { key: "message", title: "Finding", width: "minmax(0, 3fr)", cell: (row) => lazily(row, (text, at) => this.titled(row, text.text("message", at))) },
        clusters.rows > 1 && { key: "cluster", title: "Cluster", width: "minmax(110px, 0.9fr)", sort: true, cell: (row) => clusters.text("name", findings.cluster[row]) },
        clusters.strings("owner").some(Boolean) && { key: "owner", title: "Owner", width: "110px", above: 1180, cell: (row) => clusters.text("owner", findings.cluster[row]) },
        { key: "place", title: "Place", kind: "path", width: "minmax(0, 1.4fr)", above: 900, cell: (row) => lazily(row, (text, at) => inside(place(text.text("path", at), text.number("line", at)), clusters.text("name", findings.cluster[row]))) },
        report.facts.previous
          ? { key: "seen", title: "First seen", width: "110px", sort: true, above: 1020, cell: (row) => findings.seen(row) }
          : null,
      ].filter(Boolean),
      onOpen: (row) => this.open(row),
      onSort: () => this.list(),
      card: (row) => this.card(row),
    });
    this.split = h("div.split", {}, this.grid.element, this.detail.element);
    this.element = h("div.view.fill", {}, this.bar.element, this.cut(), this.split);
    this.grid.element.addEventListener("keydown", (event) => event.key === "Escape" && this.detail.open && this.detail.hide());
  }

  /** What is said where the page has not all findings of the run. */
  cut() {
    const { facts, findings } = this.report;
    if (facts.totals.findings <= findings.rows) return null;
    return h("p.cut", {}, `This page contains ${count(findings.rows)} of the run’s ${count(facts.totals.findings)} findings, the most severe and newest first. All counts elsewhere are of the whole run; every finding is in ${facts.elsewhere}.`);
  }

  /** The message, with the number of findings that are folded under it. */
  titled(row, message) {
    const more = this.folded.get(row);
    return more ? h("span", {}, h("span.tag.more", { title: `${plural(more, "more finding")} of the same cause` }, `+${more}`), " ", data(message)) : message;
  }

  /** A finding where there is no room for columns: what and where, then the sentence. */
  card(row) {
    const { findings, rules, clusters } = this.report;
    const [text, at] = findings.text.at(row, () => this.grid.soon()) || [null, 0];
    const where = text ? place(text.text("path", at), text.number("line", at)) : "…";
    return [
      h("div.card-head", {}, severityTag(findings.severity[row]), code(rules.text("code", findings.rule[row])), this.report.facts.previous && findings.fresh[row] ? newTag() : null, clusters.rows > 1 ? h("span.muted", {}, data(clusters.text("name", findings.cluster[row]))) : null),
      h("div.card-text", {}, text ? this.titled(row, text.text("message", at)) : "…"),
      h("div.path.muted", { title: where }, data(where)),
    ];
  }

  /** Put the finding's id into the address of the page, or take it out. */
  named(id) {
    if (!this.report.findings.ids) return;
    const { view, filter } = readAddress();
    if (view === "findings" || id) history.replaceState(null, "", address("findings", { ...filter, finding: id }));
  }

  open(row) {
    this.split.classList.add("open");
    this.named(this.report.findings.id(row));
    this.grid.follows = true;
    this.detail.show(row).then(() => this.grid.reveal());
  }

  async update(filter) {
    this.bar.set(filter);
    const { findings } = this.report;
    let hits = null;
    if (filter.q) {
      hits = await this.search.run(filter.q, (share) => {
        this.bar.status.textContent = `Searching … ${Math.round(100 * share)}%`;
      });
      if (!hits) return;
    } else this.search.query = null;
    const clusters = clusterMask(this.report, filter);
    const rules = ruleMask(this.report, filter);
    const severities = severityMask(filter);
    const mask = new Uint8Array(findings.rows);
    const { cluster, rule, severity, fresh } = findings;
    const wantNew = filter.state === "new";
    for (let row = 0; row < mask.length; row++) {
      mask[row] = clusters[cluster[row]] & rules[rule[row]] & severities[severity[row]] & (wantNew ? fresh[row] : 1) & (hits ? hits[row] : 1);
    }
    this.mask = mask;
    const { finding } = readAddress();
    this.list();
    const row = findings.find(finding);
    if (row < 0) return;
    // What is folded under another finding is opened below that one.
    const at = this.grid.rows.indexOf(row);
    this.grid.choose(at < 0 && findings.lead ? this.grid.rows.indexOf(findings.lead[row]) : at, false);
    this.open(row);
  }

  list() {
    const { findings } = this.report;
    const { key, descending } = this.grid.sorted;
    const order = findings.order(key, descending, this.report);
    const rows = new Uint32Array(order.length);
    let found = 0;
    let shown = 0;
    this.folded.clear();
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      if (!this.mask[row]) continue;
      found++;
      // What a shown finding leads is folded under it; what leads nothing here stands for itself.
      const lead = findings.lead ? findings.lead[row] : row;
      if (lead !== row && this.mask[lead]) this.folded.set(lead, (this.folded.get(lead) || 0) + 1);
      else rows[shown++] = row;
    }
    if (this.detail.open) this.detail.hide();
    this.grid.show(rows.subarray(0, shown));
    this.bar.status.textContent = found === findings.rows ? plural(found, "finding") : `${count(found)} of ${plural(findings.rows, "finding")}`;
    this.bar.status.dataset.count = found;
  }
}

/** A place without the folders that lead to its cluster, which stand beside it. */
function inside(text, cluster) {
  const at = text.indexOf(`${cluster}/`);
  return h("span", { title: text }, data(at < 0 ? text : text.slice(at + cluster.length + 1)));
}
