// The run on one screen: how much, how grave, where, and what changed.

const FEW = 12;

class Overview {
  constructor(report) {
    this.report = report;
    this.element = h("div.view.overview", {}, this.figures(), h("div.columns", {}, this.worst(), this.widest(), this.families(), this.groups(), this.changes()));
  }

  update() {}

  figures() {
    const { facts, clusters } = this.report;
    const figure = (number, title, note, href, kind) =>
      h("li", {}, h(`a.${kind || "plain"}`, { href }, h("b", {}, count(number)), h("span", {}, title), h("small", {}, note || "\u00a0")));
    const since = facts.previous;
    const states = facts.lifecycle || {};
    const fresh = Object.values(facts.new).reduce((a, b) => a + b);
    return h(
      "ul.figures",
      { "aria-label": "Summary" },
      figure(clusters.rows, clusters.rows === 1 ? "cluster" : "clusters", facts.failed ? `${count(facts.failed)} not audited` : has("errors") ? "all audited" : null, "#clusters"),
      ...GRAVEST.map((severity) => {
        const name = SEVERITIES[severity];
        return figure(facts.findings[name], name === "info" ? "info" : facts.findings[name] === 1 ? name : `${name}s`, since ? `${count(facts.new[name])} new` : null, address("findings", { severity: name }), name);
      }),
      since ? figure(fresh, "new", `since run ${since}`, address("findings", { state: "new" }), "new") : null,
      since ? figure(facts.totals.findings - fresh, "persisting", states.unchecked || states.absent ? `${count((states.unchecked || 0) + (states.absent || 0))} not looked at` : null, "#findings") : null,
      since ? figure(states.resolved || 0, "resolved", `since run ${since}`, "#resolved", "resolved") : null,
      has("strays") ? figure(facts.totals.strays, "deviating values", "compared with their peers", "#drift") : null,
      has("errors") ? figure(facts.totals.errors, "unreadable inputs", facts.totals.errors ? "or failed checks" : null, "#errors") : null,
    );
  }

  worst() {
    const { report } = this;
    const { clusters } = report;
    const rows = [];
    for (let row = 0; row < Math.min(FEW, clusters.rows); row++) if (report.clusterCounts(row).some(Boolean)) rows.push(row);
    const most = Math.max(...rows.map((row) => report.clusterCounts(row).reduce((a, b) => a + b)), 1);
    return section(
      "Worst clusters",
      link("clusters", {}, "all clusters"),
      plainTable(
        "Worst clusters",
        [["Cluster"], ["Owner", "wide"], [unseen("Findings by severity"), "chart"], ["Errors", "number"], ["Warnings", "number"], ["Info", "number"]],
        rows.map((row) => {
          const counts = report.clusterCounts(row);
          const name = clusters.text("name", row);
          return [link("findings", { cluster: name }, data(name)), data(clusters.text("owner", row)), severityBar(counts, most), ...GRAVEST.map((severity) => this.number(counts[severity]))];
        }),
      ),
    );
  }

  number(value) {
    return value ? count(value) : h("span.zero", {}, "0");
  }

  widest() {
    const { rules, clusters, facts } = this.report;
    const order = Array.from({ length: rules.rows }, (_, row) => row).filter((row) => rules.number("clusters", row));
    order.sort((a, b) => rules.number("severity", b) - rules.number("severity", a) || rules.number("clusters", b) - rules.number("clusters", a));
    return section(
      "Most severe rules",
      link("rules", {}, "all rules"),
      plainTable(
        "Most severe rules by affected clusters",
        [[unseen("Severity")], ["Rule"], ["Clusters", "number"], [unseen("Share of clusters"), "chart"], ["Findings", "number"], ...(facts.previous ? [["New", "number"]] : [])],
        order.slice(0, FEW).map((row) => [
          severityTag(rules.number("severity", row)),
          link("findings", { rule: rules.text("code", row) }, code(rules.text("code", row)), " ", data(rules.text("name", row))),
          count(rules.number("clusters", row)),
          share(rules.number("clusters", row), clusters.rows),
          count(SEVERITIES.reduce((sum, name) => sum + rules.number(name, row), 0)),
          ...(facts.previous ? [this.number(rules.number("new", row))] : []),
        ]),
      ),
    );
  }

  families() {
    const { rules, families } = this.report;
    const sums = new Map(families.map((name) => [name, [0, 0, 0]]));
    for (let row = 0; row < rules.rows; row++) {
      const sum = sums.get(rules.text("family", row));
      SEVERITIES.forEach((name, severity) => (sum[severity] += rules.number(name, row)));
    }
    const order = [...sums].filter(([, sum]) => sum.some(Boolean)).sort(([, a], [, b]) => b[2] - a[2] || b[1] - a[1] || b[0] - a[0]);
    const most = Math.max(...order.map(([, sum]) => sum.reduce((a, b) => a + b)), 1);
    return section(
      "Families",
      link("heat", {}, "heat map"),
      plainTable(
        "Findings by family",
        [["Family"], [unseen("Findings by severity"), "chart long"], ["Errors", "number"], ["Warnings", "number"], ["Info", "number"]],
        order.slice(0, 2 * FEW).map(([name, sum]) => [link("findings", { family: name }, data(name)), severityBar(sum, most), ...GRAVEST.map((severity) => this.number(sum[severity]))]),
      ),
    );
  }

  groups() {
    const { report } = this;
    const { clusters } = report;
    const names = ["owner", "environment", "version", "region"].filter((name) => report.groupValues(name).length > 1);
    if (!names.length) return null;
    const shown = h("div");
    const show = (name) => {
      const { values, strings } = clusters.columns[name];
      const sums = strings.map((text) => ({ text, clusters: 0, counts: [0, 0, 0], hit: 0 }));
      for (let row = 0; row < clusters.rows; row++) {
        const sum = sums[values[row]];
        const counts = report.clusterCounts(row);
        sum.clusters++;
        sum.hit += Number(counts[2] > 0);
        counts.forEach((n, severity) => (sum.counts[severity] += n));
      }
      sums.sort((a, b) => b.counts[2] - a.counts[2] || b.counts[1] - a.counts[1]);
      for (const button of choice.children) button.setAttribute("aria-pressed", String(button.dataset.name === name));
      shown.replaceChildren(
        plainTable(
          `Findings by ${name}`,
          [[TITLES[name]], ["Clusters", "number"], ["With errors", "number"], [unseen("Share with errors"), "chart"], ["Errors", "number"], ["Warnings", "number"], ["Per cluster", "number wide"]],
          sums.slice(0, FEW).map((sum) => [
            link("findings", { [name]: sum.text }, data(sum.text || "(none)")),
            count(sum.clusters),
            count(sum.hit),
            share(sum.hit, sum.clusters),
            this.number(sum.counts[2]),
            this.number(sum.counts[1]),
            (sum.counts.reduce((a, b) => a + b) / sum.clusters).toFixed(1),
          ]),
        ),
        sums.length > FEW ? h("p.note", {}, `${count(sums.length - FEW)} more`) : "",
      );
    };
    const choice = h("span.choice", { role: "group", "aria-label": "Group by" }, names.map((name) => h("button", { type: "button", "data-name": name, "aria-pressed": "false", onclick: () => show(name) }, TITLES[name])));
    show(names[0]);
    return section("Findings by group", choice, shown);
  }

  changes() {
    const { rules, facts } = this.report;
    if (!facts.previous) return null;
    const order = Array.from({ length: rules.rows }, (_, row) => row).filter((row) => rules.number("new", row) || rules.number("resolved", row));
    order.sort((a, b) => rules.number("new", b) - rules.number("new", a) || rules.number("resolved", b) - rules.number("resolved", a));
    return section(
      "Since the previous run",
      link("findings", { state: "new" }, "new findings"),
      plainTable(
        "New and resolved findings by rule",
        [["Rule"], ["New", "number"], ["Resolved", "number"]],
        order.slice(0, FEW).map((row) => [
          h("span", {}, code(rules.text("code", row)), " ", data(rules.text("name", row))),
          rules.number("new", row) ? link("findings", { rule: rules.text("code", row), state: "new" }, `+${count(rules.number("new", row))}`) : this.number(0),
          rules.number("resolved", row) ? link("resolved", { rule: rules.text("code", row) }, `−${count(rules.number("resolved", row))}`) : this.number(0),
        ]),
      ),
      order.length ? null : h("p.empty", {}, "No new and no resolved findings."),
    );
  }
}

const TITLES = { owner: "Owner", environment: "Environment", version: "Kafka", region: "Region" };
