// What is resolved since the run before, and what could not be read or judged.

class ResolvedView {
  constructor(report) {
    this.report = report;
    const { clusters, rules } = report;
    this.bar = new FilterBar(report, ["q", "cluster", "severity", "family", "rule", "environment", "owner", "region", "version"], (filter) => report.go("resolved", filter), "message, file");
    this.element = h("div.view.fill");
    this.ready = table("resolved").then((resolved) => {
      this.resolved = resolved;
      this.grid = new Grid({
        label: "Resolved findings",
        empty: "No resolved findings.",
        columns: [
          { key: "severity", title: "Severity", width: "78px", cell: (row) => severityTag(resolved.number("severity", row)) },
          { key: "rule", title: "Rule", width: "72px", cell: (row) => code(rules.text("code", resolved.number("rule", row))) },
          { key: "message", title: "Finding of an earlier run", width: "minmax(0, 3fr)", cell: (row) => resolved.text("message", row) || "" },
          { key: "cluster", title: "Cluster", width: "minmax(110px, 1fr)", cell: (row) => clusters.text("name", resolved.number("cluster", row)) },
          { key: "path", title: "File", width: "minmax(0, 1.3fr)", above: 900, cell: (row) => inside(resolved.text("path", row) || "", clusters.text("name", resolved.number("cluster", row))) },
          { key: "seen", title: "First seen", width: "120px", above: 760, cell: (row) => resolved.text("seen", row) || "" },
        ],
      });
      this.element.append(this.bar.element, this.grid.element);
    });
  }

  async update(filter) {
    await this.ready;
    this.bar.set(filter);
    const { resolved, report } = this;
    const clusters = clusterMask(report, filter);
    const rules = ruleMask(report, filter);
    const severities = severityMask(filter);
    const query = filter.q.toLowerCase();
    const rows = [];
    for (let row = 0; row < resolved.rows; row++) {
      if (!clusters[resolved.number("cluster", row)] || !rules[resolved.number("rule", row)] || !severities[resolved.number("severity", row)]) continue;
      if (query && !`${resolved.text("message", row)} ${resolved.text("path", row)}`.toLowerCase().includes(query)) continue;
      rows.push(row);
    }
    this.grid.show(rows);
    const total = report.facts.totals.resolved;
    const cut = total > resolved.rows ? ` (the run resolved ${count(total)})` : "";
    this.bar.status.textContent = `${count(rows.length)} of ${plural(resolved.rows, "resolved finding")}${cut}`;
  }
}

class ErrorsView {
  constructor(report) {
    this.report = report;
    const { clusters } = report;
    this.bar = new FilterBar(report, ["q", "cluster", "environment", "owner", "region"], (filter) => report.go("errors", filter), "input, reason");
    this.element = h("div.view.fill");
    this.ready = table("errors").then((errors) => {
      this.errors = errors;
      this.grid = new Grid({
        label: "Inputs that could not be read or checked",
        empty: "All inputs were read and checked.",
        columns: [
          { key: "stage", title: "Stage", width: "72px", cell: (row) => errors.text("stage", row) || "" },
          { key: "fatal", unseen: "Not audited", width: "104px", cell: (row) => (errors.number("fatal", row) ? h("span.tag.error", {}, "not audited") : "") },
          { key: "cluster", title: "Cluster", width: "minmax(110px, 1fr)", cell: (row) => clusters.text("name", errors.number("cluster", row)) },
          { key: "path", title: "Input", width: "minmax(0, 1.6fr)", above: 620, cell: (row) => inside(errors.text("path", row) || "", clusters.text("name", errors.number("cluster", row))) },
          { key: "error", title: "Error", width: "150px", above: 900, cell: (row) => errors.text("error", row) || "" },
          { key: "reason", title: "Reason", width: "minmax(0, 2.4fr)", cell: (row) => errors.text("reason", row) || "" },
        ],
      });
      this.element.append(this.bar.element, this.grid.element);
    });
  }

  async update(filter) {
    await this.ready;
    this.bar.set(filter);
    const { errors, report } = this;
    const clusters = clusterMask(report, filter);
    const query = filter.q.toLowerCase();
    const rows = [];
    for (let row = 0; row < errors.rows; row++) {
      if (!clusters[errors.number("cluster", row)]) continue;
      const text = ["path", "stage", "error", "reason"].map((name) => errors.text(name, row)).join(" ");
      if (query && !text.toLowerCase().includes(query)) continue;
      rows.push(row);
    }
    this.grid.show(rows);
    const total = report.facts.totals.errors;
    this.bar.status.textContent = `${count(rows.length)} of ${plural(total, "input")}`;
  }
}
