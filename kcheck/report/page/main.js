// The page as a whole: reads the tables, offers the views, follows the address.

class Report {
  constructor(facts, clusters, rules, findings) {
    this.facts = facts;
    this.clusters = clusters;
    this.rules = rules;
    this.findings = findings;
    this.families = [...new Set(rules.rows ? rules.strings("family") : [])].sort();
    this.rulesByCode = Array.from({ length: rules.rows }, (_, row) => [rules.text("code", row), rules.text("name", row)]);
    this.counts = SEVERITIES.map((name) => clusters.numbers(name));
  }

  /** A cluster's findings of each severity. */
  clusterCounts(row) {
    return this.counts.map((numbers) => numbers[row]);
  }

  /** The different owners, environments … of the clusters, in the order of the alphabet. */
  groupValues(name) {
    const strings = [...this.clusters.strings(name)];
    const order = places(strings);
    return strings.map((text, at) => [order[at], text]).sort(([a], [b]) => a - b).map(([, text]) => text);
  }

  go(view, filter) {
    const next = address(view, filter);
    // Typing into a filter is one step back, not one per letter.
    if (readAddress().view === view) {
      history.replaceState(null, "", next);
      this.show();
    } else location.hash = next;
  }

  show() {
    const { view, filter } = readAddress();
    const chosen = this.views.find(({ id }) => id === view) || this.views[0];
    chosen.made ||= new chosen.make(this);
    for (const tab of document.querySelectorAll("#views a")) {
      if (tab.dataset.view === chosen.id) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    const main = document.getElementById("main");
    if (main.firstElementChild !== chosen.made.element) {
      main.replaceChildren(chosen.made.element);
      main.scrollTop = 0;
    }
    return chosen.made.update(filter);
  }

  header() {
    const { facts } = this;
    const told = [
      ["run", facts.run],
      ["started", facts.started.replace("T", " ").replace(/Z$/, " UTC")],
      ["took", facts.seconds === null ? null : `${count(Math.round(facts.seconds * 10) / 10)} s`],
      // A page of one project is of no run.
      ["compared with", facts.run && (facts.previous || "nothing: this is the first run")],
      ["inputs", shortened(facts.inputs.join(", "), 60)],
    ].filter(([, value]) => value);
    document.getElementById("top").replaceChildren(
      h("h1", {}, h("b", {}, "kcheck"), " ", facts.title),
      h("dl", {}, told.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, data(value))))),
      h("span.tool", {}, `${facts.tool.name} ${facts.tool.version}`),
    );
  }

  start() {
    const { facts } = this;
    const views = [
      ["overview", "Overview", Overview],
      ["findings", "Findings", FindingsView, SEVERITIES.reduce((sum, name) => sum + facts.findings[name], 0)],
      ["clusters", "Clusters", ClustersView, this.clusters.rows],
      ["rules", "Rules", RulesView, this.rules.rows],
      ["heat", "Heat map", has("heat") && HeatView],
      ["drift", "Drift", has("strays") && DriftView, facts.totals.strays],
      ["resolved", "Resolved", facts.previous && has("resolved") && ResolvedView, facts.totals.resolved],
      ["errors", "Errors", has("errors") && ErrorsView, facts.totals.errors],
    ];
    if (facts.opens) views.sort(([a], [b]) => Number(b === facts.opens) - Number(a === facts.opens));
    this.views = views.filter(([, , make]) => make).map(([id, title, make, number]) => ({ id, title, make, number }));
    this.header();
    document.getElementById("views").replaceChildren(
      ...this.views.map(({ id, title, number }) => h("a", { href: `#${id}`, "data-view": id }, title, number === undefined ? null : h("span.badge", {}, count(number)))),
    );
    addEventListener("hashchange", () => this.show());
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.closest("input, select")) return;
      const search = document.querySelector("#main input[name=q], #main input[name=cluster]");
      if (!search) return;
      search.focus();
      event.preventDefault();
    });
    return this.show();
  }
}

async function start() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old for this report: it needs DecompressionStream (2023).");
  }
  const [facts, clusters, rules, keys] = await Promise.all([readFacts(), table("clusters"), table("rules"), table("findings")]);
  await new Report(facts, clusters, rules, new Findings(keys)).start();
  performance.mark("kcheck-interactive");
}

start().catch((error) => {
  document.getElementById("main").replaceChildren(h("p.loading", { role: "alert" }, `The report cannot be shown. ${error.message}`));
  console.error(error);
});
