// Who strays: norms of groups of clusters, and brokers that differ from the rest of their cluster.

/** The group that a norm is of: "Kafka 4.1", "payments, owner". */
function peers(norms, row) {
  const dimension = norms.text("dimension", row);
  const group = data(norms.text("group", row));
  if (dimension === "version") return h("span", {}, h("span.muted", {}, "Kafka "), group);
  return h("span", {}, group, h("span.muted", {}, ` ${dimension}`));
}

class DriftView {
  constructor(report) {
    this.report = report;
    const { clusters } = report;
    this.element = h("div.view.fill");
    this.bar = new FilterBar(report, ["q", "cluster", "environment", "owner", "region", "version"], (filter) => report.go("drift", filter), "key");
    this.within = false;
    this.norm = -1;
    this.tabs = [["Among clusters", false], ["Within a cluster", true]].map(([title, within]) =>
      h("button.toggle", { type: "button", "aria-pressed": "false", onclick: () => {
        this.within = within;
        this.norm = -1;
        this.draw();
      } }, title));
    this.told = h("span.note");
    this.ready = Promise.all([table("norms"), table("strays")]).then(([norms, strays]) => {
      this.norms = norms;
      this.strays = strays;
      this.normGrid = new Grid({
        label: "Norms",
        empty: "No value is common enough to be a norm.",
        sorted: { key: "gravity", descending: false },
        columns: [
          { key: "key", title: "Key", width: "minmax(150px, 1.6fr)", cell: (row) => code(norms.text("key", row)) },
          { key: "value", title: "Norm", width: "minmax(70px, 1fr)", cell: (row) => code(norms.text("value", row)) },
          { key: "group", title: "Among", width: "minmax(110px, 1.3fr)", above: 440, cell: (row) => peers(norms, row) },
          { key: "share", title: "Share", width: "104px", above: 640, cell: (row) => share(norms.number("support", row), norms.number("of", row)) },
          { key: "support", title: "Support", width: "120px", kind: "number", above: 480, cell: (row) => `${count(norms.number("support", row))} of ${count(norms.number("of", row))}` },
          { key: "confidence", title: "At least", width: "72px", kind: "number", above: 760, cell: (row) => h("span", { title: "The share in the group with 95% confidence (Wilson)" }, `${Math.round(norms.number("confidence", row) / 10)}%`) },
          { key: "strays", title: "Strays", width: "70px", kind: "number", cell: (row) => count(norms.number("strays", row)) },
        ],
        onOpen: (row) => {
          this.norm = this.norm === row ? -1 : row;
          this.drawStrays();
        },
      });
      this.strayGrid = new Grid({
        label: "Strays",
        empty: "No deviations.",
        columns: [
          { key: "cluster", title: "Cluster", width: "minmax(110px, 1.3fr)", cell: (row) => link("findings", { cluster: clusters.text("name", strays.number("cluster", row)) }, data(clusters.text("name", strays.number("cluster", row)))) },
          { key: "key", title: "Key", width: "minmax(116px, 1.4fr)", cell: (row) => code(strays.text("key", row)) },
          { key: "value", title: "Value", width: "minmax(70px, 0.9fr)", cell: (row) => h("span", {}, code(strays.text("value", row)), strays.text("origin", row) === "default" ? h("span.muted", {}, " default") : null) },
          { key: "usual", title: "Norm", width: "minmax(70px, 0.9fr)", above: 440, cell: (row) => (strays.text("usual", row) === null ? h("span.muted", {}, "none") : code(strays.text("usual", row))) },
          { key: "among", title: "Among", width: "minmax(90px, 1fr)", above: 700, cell: (row) => this.among(row) },
          { key: "support", title: "Support", width: "110px", kind: "number", above: 560, cell: (row) => `${count(strays.number("support", row))} of ${count(strays.number("of", row))}` },
          { key: "place", title: "Place", width: "minmax(0, 1.4fr)", above: 900, cell: (row) => inside(place(strays.text("path", row), strays.number("line", row)), clusters.text("name", strays.number("cluster", row))) },
        ],
      });
      this.normTitle = h("h2", {}, "Norms");
      this.strayTitle = h("h2", {}, "Strays");
      this.upper = h("div.half", {}, this.normTitle, this.normGrid.element);
      this.element.append(this.bar.element, h("div.filters.second", {}, this.tabs, this.told), this.upper, h("div.half", {}, this.strayTitle, this.strayGrid.element));
    });
  }

  among(row) {
    const norm = this.strays.number("norm", row);
    if (norm) return peers(this.norms, norm - 1);
    const resource = this.strays.text("resource", row);
    return resource ? h("span", {}, h("span.muted", {}, "broker "), data(resource)) : "";
  }

  async update(filter) {
    await this.ready;
    this.bar.set(filter);
    this.filter = filter;
    this.norm = -1;
    this.draw();
  }

  draw() {
    this.tabs.forEach((tab, at) => tab.setAttribute("aria-pressed", String(this.within === Boolean(at))));
    this.upper.hidden = this.within;
    const { norms, strays, report, filter } = this;
    const { totals } = report.facts;
    this.told.textContent = this.within
      ? "Brokers whose value differs from that of most brokers of their cluster."
      : "The most frequent value of a key among clusters of one environment, Kafka version or owner; choose a norm to see only its deviations.";
    if (totals.strays > strays.rows) this.told.textContent += ` This page contains ${count(strays.rows)} of ${count(totals.strays)} deviations.`;
    const mask = clusterMask(report, filter);
    const query = filter.q.toLowerCase();
    const keys = strays.rows ? strays.strings("key").map((key) => key.toLowerCase().includes(query)) : [];
    this.shown = [];
    const touched = new Set();
    for (let row = 0; row < strays.rows; row++) {
      if (!mask[strays.number("cluster", row)] || !keys[strays.columns.key.values[row]]) continue;
      if (Boolean(strays.number("norm", row)) === this.within) continue;
      this.shown.push(row);
      touched.add(strays.number("norm", row));
    }
    const filtered = mask.includes(0);
    const listed = [];
    for (let row = 0; row < norms.rows; row++) {
      if (query && !norms.text("key", row).toLowerCase().includes(query)) continue;
      if (filtered && !touched.has(row + 1)) continue;
      listed.push(row);
    }
    this.normTitle.replaceChildren("Norms", h("span.note", {}, plural(listed.length, "norm")));
    this.normGrid.show(listed);
    this.bar.status.textContent = plural(this.shown.length, "deviating value");
    this.drawStrays();
  }

  drawStrays() {
    const rows = this.norm < 0 ? this.shown : this.shown.filter((row) => this.strays.number("norm", row) === this.norm + 1);
    const of = this.norm < 0 ? "" : ` from ${this.norms.text("key", this.norm)}=${this.norms.text("value", this.norm)} in ${this.norms.text("dimension", this.norm)} ${this.norms.text("group", this.norm)}`;
    this.strayTitle.replaceChildren("Strays", data(of), h("span.note", {}, plural(rows.length, "value")));
    this.strayGrid.show(rows);
  }
}
