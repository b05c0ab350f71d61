// The clusters and the rules as lists: who is worst, what is most frequent.

class ClustersView {
  constructor(report) {
    this.report = report;
    const { clusters, facts } = report;
    this.bar = new FilterBar(report, ["cluster", "environment", "owner", "region", "version"], (filter) => report.go("clusters", filter));
    const text = (key, title, width, above) => ({ key, title, width, above, sort: true, cell: (row) => clusters.text(key, row) });
    const number = (key, title, width, above) => ({
      key, title, width, above, kind: "number", sort: true,
      cell: (row) => {
        const value = clusters.number(key, row);
        return value ? count(value) : h("span.zero", {}, "0");
      },
    });
    const most = this.most();
    this.grid = new Grid({
      label: "Clusters",
      empty: "No cluster matches these filters.",
      sorted: { key: "error", descending: true },
      columns: [
        { ...text("name", "Cluster", "minmax(150px, 2fr)"), cell: (row) => this.name(row) },
        text("environment", "Environment", "110px", 700),
        text("owner", "Owner", "minmax(80px, 1fr)", 560),
        text("region", "Region", "minmax(80px, 0.8fr)", 1100),
        text("version", "Kafka", "70px", 900),
        number("brokers", "Brokers", "70px", 1000),
        number("topics", "Topics", "70px", 1000),
        { key: "bar", unseen: "Findings by severity", width: "120px", above: 820, cell: (row) => severityBar(report.clusterCounts(row), most) },
        number("error", "Errors", "76px"),
        number("warning", "Warnings", "84px", 370),
        number("info", "Info", "70px", 640),
        facts.previous ? number("new", "New", "70px", 380) : null,
        has("strays") ? number("strays", "Strays", "72px", 760) : null,
      ].filter(Boolean),
      onOpen: (row) => report.go("findings", { ...NO_FILTER, cluster: clusters.text("name", row) }),
      onSort: () => this.list(),
    });
    this.element = h("div.view.fill", {}, this.bar.element, this.grid.element);
  }

  most() {
    let most = 0;
    for (let row = 0; row < this.report.clusters.rows; row++) {
      most = Math.max(most, this.report.clusterCounts(row).reduce((a, b) => a + b));
    }
    return most;
  }

  name(row) {
    const { clusters } = this.report;
    const failed = clusters.text("status", row) === "failed";
    return h("span", {}, data(clusters.text("name", row)), failed ? h("span.tag.error", {}, "not audited") : null);
  }

  update(filter) {
    this.bar.set(filter);
    this.mask = clusterMask(this.report, filter);
    this.list();
  }

  list() {
    const { clusters } = this.report;
    const { key, descending } = this.grid.sorted;
    const rows = [];
    for (let row = 0; row < clusters.rows; row++) if (this.mask[row]) rows.push(row);
    const { values, strings } = clusters.columns[key];
    const order = strings ? places(strings) : null;
    const sorted = sortedBy(Uint32Array.from(rows), (row) => (order ? order[values[row]] : values[row]), descending);
    this.grid.show(sorted);
    this.bar.status.textContent = rows.length === clusters.rows ? plural(rows.length, "cluster") : `${count(rows.length)} of ${plural(clusters.rows, "cluster")}`;
    this.bar.status.dataset.count = rows.length;
  }
}

class RulesView {
  constructor(report) {
    this.report = report;
    const { rules, facts, clusters } = report;
    this.bar = new FilterBar(report, ["family"], (filter) => report.go("rules", filter));
    const number = (key, title, width, above) => ({
      key, title, width, above, kind: "number", sort: true,
      cell: (row) => (rules.number(key, row) ? count(rules.number(key, row)) : h("span.zero", {}, "0")),
    });
    this.grid = new Grid({
      label: "Rules",
      sorted: { key: "severity", descending: true },
      columns: [
        { key: "severity", title: "Gravest", width: "78px", sort: true, kind: "text", cell: (row) => severityTag(rules.number("severity", row)) },
        { key: "code", title: "Rule", width: "66px", sort: true, cell: (row) => code(rules.text("code", row)) },
        { key: "name", title: "Name", width: "minmax(120px, 1fr)", sort: true, cell: (row) => rules.text("name", row) },
        { key: "summary", title: "Summary", width: "minmax(0, 2.2fr)", above: 1000, cell: (row) => rules.text("summary", row) },
        { key: "family", title: "Family", width: "110px", sort: true, above: 620, cell: (row) => rules.text("family", row) },
        { key: "clusters", title: "Clusters", width: "84px", kind: "number", sort: true, above: 375, cell: (row) => count(rules.number("clusters", row)) },
        { key: "share", unseen: "Share of clusters", width: "96px", above: 820, cell: (row) => share(rules.number("clusters", row), clusters.rows) },
        number("error", "Errors", "76px", 380),
        number("warning", "Warnings", "84px", 385),
        number("info", "Info", "70px", 700),
        facts.previous ? number("new", "New", "70px", 390) : null,
        facts.previous ? number("resolved", "Resolved", "84px", 760) : null,
      ].filter(Boolean),
      onOpen: (row) => report.go("findings", { ...NO_FILTER, rule: rules.text("code", row) }),
      onSort: () => this.list(),
    });
    this.element = h("div.view.fill", {}, this.bar.element, this.grid.element);
  }

  update(filter) {
    this.bar.set(filter);
    this.mask = ruleMask(this.report, filter);
    this.list();
  }

  list() {
    const { rules } = this.report;
    const { key, descending } = this.grid.sorted;
    const rows = [];
    for (let row = 0; row < rules.rows; row++) if (this.mask[row]) rows.push(row);
    const { values, strings } = rules.columns[key];
    const order = strings ? places(strings) : null;
    const clusters = rules.numbers("clusters");
    const most = clusters.reduce((a, b) => Math.max(a, b), 1) + 1;
    // Of one severity the most widespread first.
    const value = key === "severity" ? (row) => values[row] * most + clusters[row] : (row) => (order ? order[values[row]] : values[row]);
    this.grid.show(sortedBy(Uint32Array.from(rows), value, descending));
    this.bar.status.textContent = plural(rows.length, "rule");
  }
}
