// Rule × cluster: families, opened into their rules, against the worst clusters or groups of them.

const LEVELS = [0, 1, 2, 3, 4];

class HeatView {
  constructor(report) {
    this.report = report;
    this.open = new Set();
    this.by = "cluster";
    this.page = 0;
    this.bar = new FilterBar(
      report,
      ["cluster", "severity", report.facts.previous ? "state" : null, "environment", "owner", "region", "version"].filter(Boolean),
      (filter) => report.go("heat", filter),
    );
    const options = [["cluster", "Worst clusters"], ...["owner", "environment", "region", "version"].filter((name) => report.groupValues(name).length > 1).map((name) => [name, `By ${name}`])];
    this.choice = h("select.choose.set", { "aria-label": "Columns", onchange: () => {
      this.by = this.choice.value;
      this.page = 0;
      this.draw();
    } }, options.map(([value, title]) => h("option", { value }, title)));
    this.back = h("button.quiet", { type: "button", onclick: () => this.turn(-1) }, "‹ Worse");
    this.on = h("button.quiet", { type: "button", onclick: () => this.turn(1) }, "Better ›");
    this.all = h("button.quiet", { type: "button", onclick: () => this.openAll() }, "Open all families");
    this.told = h("span.note");
    this.table = h("table.heat", { "aria-label": "Findings by rule and cluster", onkeydown: (event) => this.key(event) });
    this.scroll = h("div.heat-scroll", {}, this.table);
    this.element = h("div.view.fill", {}, this.bar.element, h("div.filters.second", {}, this.choice, this.back, this.on, this.all, this.told), this.scroll);
    new ResizeObserver(() => {
      if (this.heat && this.columns() !== this.width) this.draw();
    }).observe(this.scroll);
  }

  /** How many columns there is room for. */
  columns() {
    return Math.max(8, Math.floor((this.scroll.clientWidth - 250) / 27));
  }

  turn(by) {
    this.page = Math.max(0, this.page + by);
    this.draw();
  }

  openAll() {
    if (this.open.size) this.open.clear();
    else for (const family of this.report.families) this.open.add(family);
    this.draw();
  }

  async update(filter) {
    this.bar.set(filter);
    this.filter = filter;
    this.page = 0;
    this.heat = await table("heat");
    this.draw();
  }

  draw() {
    this.width = this.columns();
    const mask = clusterMask(this.report, this.filter);
    if (this.by === "cluster") this.drawClusters(mask);
    else this.drawGroups(mask);
    this.all.textContent = this.open.size ? "Close all families" : "Open all families";
  }

  /** Calls `visit(cluster, rule, severity, count)` for all counts that the filter lets through. */
  each(mask, visit) {
    const [cluster, rule, severity, all, fresh] = ["cluster", "rule", "severity", "count", "new"].map((name) => this.heat.numbers(name));
    const severities = severityMask(this.filter);
    const counts = this.filter.state === "new" ? fresh : all;
    for (let at = 0; at < this.heat.rows; at++) {
      if (mask[cluster[at]] && severities[severity[at]] && counts[at]) visit(cluster[at], rule[at], severity[at], counts[at]);
    }
  }

  drawClusters(mask) {
    const { clusters, rules, facts } = this.report;
    const ranked = [];
    for (let row = 0; row < Math.min(clusters.rows, facts.heat_clusters); row++) if (mask[row]) ranked.push(row);
    const pages = Math.max(1, Math.ceil(ranked.length / this.width));
    this.page = Math.min(this.page, pages - 1);
    const shown = ranked.slice(this.page * this.width, (this.page + 1) * this.width);
    const place = new Map(shown.map((row, at) => [row, at]));
    const byRule = Array.from({ length: rules.rows }, () => shown.map(() => [0, 0]));
    this.each(mask, (cluster, rule, severity, n) => {
      const at = place.get(cluster);
      if (at === undefined) return;
      const cell = byRule[rule][at];
      cell[0] += n;
      cell[1] = Math.max(cell[1], severity);
    });
    this.back.hidden = this.on.hidden = pages === 1;
    this.back.disabled = this.page === 0;
    this.on.disabled = this.page === pages - 1;
    const from = this.page * this.width;
    this.told.textContent = ranked.length
      ? `Clusters ${count(from + 1)}–${count(from + shown.length)} of ${count(ranked.length)}, the worst first. Number of findings; colour: highest severity.`
      : "No cluster matches these filters.";
    this.fill(
      shown.map((row) => ({ title: clusters.text("name", row), filter: { cluster: clusters.text("name", row) } })),
      byRule,
      (cells) => shown.map((_, at) => cells.reduce((sum, row) => [sum[0] + row[at][0], Math.max(sum[1], row[at][1])], [0, 0])),
      ([n]) => (n > 999 ? "1k+" : String(n)),
      ([n]) => (n < 2 ? 0 : n < 5 ? 1 : n < 15 ? 2 : n < 50 ? 3 : 4),
      ([n]) => plural(n, "finding"),
    );
  }

  drawGroups(mask) {
    const { clusters, rules } = this.report;
    const column = clusters.columns[this.by];
    const sizes = new Map();
    for (let row = 0; row < clusters.rows; row++) if (mask[row]) sizes.set(column.values[row], (sizes.get(column.values[row]) || 0) + 1);
    const groups = [...sizes.keys()].sort((a, b) => sizes.get(b) - sizes.get(a)).slice(0, 60);
    const place = new Map(groups.map((value, at) => [value, at]));
    const make = (length) => Array.from({ length }, () => groups.map(() => [0, 0, -1]));
    const byRule = make(rules.rows);
    const families = this.report.families;
    const familyOf = Array.from({ length: rules.rows }, (_, row) => families.indexOf(rules.text("family", row)));
    const byFamily = make(families.length);
    // The counts come by cluster: a cluster counts once, whatever the number of its findings.
    const add = (cell, cluster, severity) => {
      if (cell[2] !== cluster) cell[0]++;
      cell[2] = cluster;
      cell[1] = Math.max(cell[1], severity);
    };
    this.each(mask, (cluster, rule, severity) => {
      const at = place.get(column.values[cluster]);
      if (at === undefined) return;
      add(byRule[rule][at], cluster, severity);
      add(byFamily[familyOf[rule]][at], cluster, severity);
    });
    this.back.hidden = this.on.hidden = true;
    this.told.textContent = `Share of the clusters that have a finding, in percent; colour: highest severity.`;
    const share = (cell, at) => cell[0] / sizes.get(groups[at]);
    this.fill(
      groups.map((value) => ({ title: `${column.strings[value] || "(none)"} · ${count(sizes.get(value))}`, filter: { [this.by]: column.strings[value] } })),
      byRule,
      (_, family) => byFamily[families.indexOf(family)],
      (cell, at) => String(Math.max(1, Math.round(100 * share(cell, at)))),
      (cell, at) => LEVELS[Math.min(4, Math.floor(5 * share(cell, at)))],
      (cell, at) => `${plural(cell[0], "cluster")} of ${count(sizes.get(groups[at]))}`,
    );
  }

  /** Draw the table: `sum` makes the cells of a family, the others tell of a cell. */
  fill(columns, byRule, sum, text, level, title) {
    const { rules, families } = this.report;
    const cells = (row, filter, name) =>
      row.map((cell, at) => {
        if (!cell[0]) return h("td");
        const target = { ...NO_FILTER, severity: this.filter.severity, state: this.filter.state, ...columns[at].filter, ...filter };
        const told = `${columns[at].title}: ${name}: ${title(cell, at)}`;
        return h("td", { class: `${SEVERITIES[cell[1]]} l${level(cell, at)}` }, h("a", { href: address("findings", target), tabindex: -1, title: told, "aria-label": told }, text(cell, at)));
      });
    const body = [];
    for (const family of families) {
      const own = [];
      for (let rule = 0; rule < rules.rows; rule++) if (rules.text("family", rule) === family && byRule[rule].some(([n]) => n)) own.push(rule);
      if (!own.length) continue;
      const opened = this.open.has(family);
      const toggle = () => {
        if (!this.open.delete(family)) this.open.add(family);
        this.draw();
        this.table.querySelector(`button[data-family="${CSS.escape(family)}"]`)?.focus();
      };
      body.push(h("tr.family", {}, h("th", { scope: "row" }, h("button", { type: "button", "aria-expanded": String(opened), "data-family": family, onclick: toggle }, h("span.mark", { "aria-hidden": "true" }, opened ? "▾" : "▸"), data(family), h("span.note", {}, count(own.length)))), cells(sum(own.map((rule) => byRule[rule]), family), { family }, family)));
      if (!opened) continue;
      for (const rule of own) {
        const told = `${rules.text("code", rule)} ${rules.text("name", rule)}`;
        body.push(h("tr", {}, h("th", { scope: "row", title: told }, code(rules.text("code", rule)), " ", data(rules.text("name", rule))), cells(byRule[rule], { rule: rules.text("code", rule) }, told)));
      }
    }
    this.table.classList.toggle("groups", this.by !== "cluster");
    this.table.replaceChildren(
      h("thead", {}, h("tr", {}, h("td"), columns.map(({ title: name, filter }) => h("th", { scope: "col" }, h("a", { href: address("findings", filter), title: name, tabindex: -1 }, data(name)))))),
      h("tbody", {}, body.length ? body : h("tr", {}, h("td.empty", { colspan: columns.length + 1 }, "No findings."))),
    );
    const first = this.table.querySelector("tbody td a");
    if (first) first.tabIndex = 0;
  }

  /** Arrow keys go from cell to cell. */
  key(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const cell = event.target.closest("td, th");
    if (!(event.key in steps) || !cell) return;
    const [down, right] = steps[event.key];
    let row = cell.parentElement.rowIndex;
    let at = cell.cellIndex;
    for (;;) {
      row += down;
      at += right;
      const next = this.table.rows[row]?.cells[at];
      if (!next) break;
      const target = next.querySelector("a, button");
      if (!target) continue;
      event.target.tabIndex = event.target.matches("a") ? -1 : 0;
      target.tabIndex = 0;
      target.focus();
      break;
    }
    event.preventDefault();
  }
}
