// Making elements. Texts only ever become text nodes: nothing of the data is read as HTML.

function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const count = (number) => number.toLocaleString("en-US");
const percent = (part, whole) => {
  const share = whole ? (100 * part) / whole : 0;
  return share > 0 && share < 1 ? "<1%" : share > 99 && share < 100 ? ">99%" : `${Math.round(share)}%`;
};
/** A share as a bar and in percent. */
const share = (part, whole) =>
  h("span.share", {}, shareBar(whole ? part / whole : 0), h("span.part", {}, percent(part, whole)));
const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const SEVERITIES = ["info", "warning", "error"];
const GRAVEST = [2, 1, 0];

/** Text that others wrote: kept from turning the direction of what stands beside it. */
const data = (text) => h("bdi", {}, text === null || text === undefined ? "null" : String(text));
const code = (text) => h("code", {}, data(text));
const severityTag = (severity) => h(`span.tag.${SEVERITIES[severity]}`, {}, SEVERITIES[severity]);
const newTag = () => h("span.tag.new", {}, "new");

/** An address that a browser may go to, or nothing. */
const safeUrl = (url) => (/^https?:\/\//.test(url || "") ? url : null);

function place(path, line, column) {
  if (!path) return "";
  return path + (line ? `:${line}` : "") + (line && column ? `:${column}` : "");
}

/** A bar of numbers by severity, its length a share of `most`. */
function severityBar(numbers, most) {
  const bar = h("span.bar", { "aria-hidden": "true" });
  for (const severity of GRAVEST) {
    const part = h(`span.${SEVERITIES[severity]}`);
    part.style.width = `${most ? (100 * numbers[severity]) / most : 0}%`;
    bar.append(part);
  }
  return bar;
}

function shareBar(share) {
  const part = h("span.plain");
  part.style.width = `${100 * share}%`;
  return h("span.bar", { "aria-hidden": "true" }, part);
}

/** A title for those who do not see that the cells below tell what they are. */
const unseen = (title) => h("span.unseen", {}, title);

/** A plain table: `columns` are [title, class], rows are lists of cells. */
function plainTable(label, columns, rows) {
  return h(
    "div.scroll",
    {},
    h(
      "table",
      { "aria-label": label },
      h("thead", {}, h("tr", {}, columns.map(([title, kind]) => h(`th.${kind || "text"}`, { scope: "col" }, title)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, at) => h(`td.${columns[at][1] || "text"}`, {}, cell))))),
    ),
  );
}

const section = (title, note, ...content) =>
  h("section.panel", {}, h("h2", {}, title, note ? h("span.note", {}, note) : null), ...content);
