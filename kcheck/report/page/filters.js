// What is asked for: a view and its filters, which live in the address, so that links and the
// browser's own Back work.

const NO_FILTER = {
  severity: "", state: "", family: "", rule: "", environment: "", owner: "", region: "",
  version: "", cluster: "", q: "",
};

function readAddress() {
  const [view, query] = location.hash.slice(1).split("?");
  const given = Object.fromEntries(new URLSearchParams(query || ""));
  const filter = { ...NO_FILTER };
  for (const key of Object.keys(filter)) if (given[key]) filter[key] = given[key];
  return { view, filter, finding: given.finding || "" };
}

function address(view, filter = {}) {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  const text = query.toString();
  return `#${view}${text ? `?${text}` : ""}`;
}

function link(view, filter, ...content) {
  return h("a", { href: address(view, filter) }, ...content);
}

/** The controls of a view. `fields` names them; `apply(filter)` is called with what they say. */
class FilterBar {
  constructor(report, fields, apply, searched = "message, key, path") {
    this.apply = apply;
    this.controls = {};
    this.filter = { ...NO_FILTER };
    this.status = h("output.status", { role: "status" });
    this.clear = h("button.quiet", { type: "button", onclick: () => this.change({ ...NO_FILTER }) }, "Clear");
    const make = {
      q: () => this.input("q", "Search", `search ${searched}`, "search"),
      cluster: () => this.input("cluster", "Cluster", "cluster, * for any", "cluster"),
      severity: () => this.severities(),
      state: () => this.toggle("state", "new", "Only new"),
      family: () => this.select("family", "Family", report.families.map((name) => [name, name])),
      rule: () => this.select("rule", "Rule", report.rulesByCode.map(([c, name]) => [c, `${c} ${name}`])),
    };
    for (const name of ["environment", "owner", "region", "version"]) {
      const values = report.groupValues(name);
      make[name] = () => (values.length > 1 ? this.select(name, TITLES[name], values.map((v) => [v, v || "(none)"])) : null);
    }
    this.element = h(
      "form.filters",
      { role: "search", "aria-label": "Filters", onsubmit: (event) => event.preventDefault() },
      fields.map((field) => make[field]()),
      this.clear,
      this.status,
    );
  }

  change(part) {
    this.filter = { ...this.filter, ...part };
    this.apply(this.filter);
  }

  input(name, title, placeholder, kind) {
    let timer = 0;
    const control = h(`input.${kind}`, {
      type: "search", name, placeholder, "aria-label": title, autocomplete: "off", spellcheck: "false",
      oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.change({ [name]: control.value.trim() }), 150);
      },
    });
    this.controls[name] = (value) => {
      if (document.activeElement !== control || control.value.trim() !== value) control.value = value;
    };
    return control;
  }

  select(name, title, options) {
    const control = h(
      "select",
      { name, "aria-label": title, onchange: () => this.change({ [name]: control.value }) },
      h("option", { value: "" }, title),
      options.map(([value, text]) => h("option", { value }, shortened(text, 60))),
    );
    this.controls[name] = (value) => {
      control.value = value;
      control.classList.toggle("set", Boolean(value));
    };
    return control;
  }

  severities() {
    const boxes = GRAVEST.map((severity) => {
      const name = SEVERITIES[severity];
      const box = h("button", {
        type: "button", "aria-pressed": "false", "data-severity": name,
        onclick: () => {
          const chosen = new Set(this.filter.severity.split(".").filter(Boolean));
          if (!chosen.delete(name)) chosen.add(name);
          this.change({ severity: [...chosen].join(".") });
        },
      }, name);
      return box;
    });
    this.controls.severity = (value) => {
      const chosen = value.split(".");
      for (const box of boxes) box.setAttribute("aria-pressed", String(chosen.includes(box.dataset.severity)));
    };
    return h("span.choice", { role: "group", "aria-label": "Severity" }, boxes);
  }

  toggle(name, value, title) {
    const control = h("button.toggle", {
      type: "button", "aria-pressed": "false", "data-state": value,
      onclick: () => this.change({ [name]: this.filter[name] ? "" : value }),
    }, title);
    this.controls[name] = (now) => control.setAttribute("aria-pressed", String(Boolean(now)));
    return control;
  }

  set(filter) {
    this.filter = { ...filter };
    for (const [name, put] of Object.entries(this.controls)) put(filter[name]);
    this.clear.hidden = !Object.keys(this.controls).some((name) => filter[name]);
  }
}

/** A test for names: the whole name where there is one like it, else a part; `*` stands for any. */
function nameTest(text, strings) {
  const wanted = text.toLowerCase();
  if (strings.some((name) => name.toLowerCase() === wanted)) return (name) => name.toLowerCase() === wanted;
  if (!wanted.includes("*")) return (name) => name.toLowerCase().includes(wanted);
  const pattern = wanted.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*");
  const regex = new RegExp(`^${pattern}$`);
  return (name) => regex.test(name.toLowerCase());
}

/** 1 for each cluster that the filter lets through. */
function clusterMask(report, filter) {
  const { clusters } = report;
  const mask = new Uint8Array(clusters.rows).fill(1);
  for (const name of ["environment", "owner", "region", "version"]) {
    if (!filter[name]) continue;
    const column = clusters.columns[name];
    const wanted = column.strings.map((text) => Number(text === filter[name]));
    for (let row = 0; row < mask.length; row++) mask[row] &= wanted[column.values[row]];
  }
  if (filter.cluster) {
    const column = clusters.columns.name;
    const test = nameTest(filter.cluster, column.strings);
    const wanted = column.strings.map((text) => Number(test(text)));
    for (let row = 0; row < mask.length; row++) mask[row] &= wanted[column.values[row]];
  }
  return mask;
}

/** 1 for each rule that the filter lets through. */
function ruleMask(report, filter) {
  const { rules } = report;
  const mask = new Uint8Array(rules.rows);
  for (let row = 0; row < rules.rows; row++) {
    mask[row] = Number(
      (!filter.family || rules.text("family", row) === filter.family) &&
        (!filter.rule || rules.text("code", row) === filter.rule),
    );
  }
  return mask;
}

/** 1 for each severity (0 to 2) that the filter lets through. */
function severityMask(filter) {
  const chosen = filter.severity.split(".");
  return SEVERITIES.map((name) => Number(!filter.severity || chosen.includes(name)));
}
