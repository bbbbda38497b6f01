"use strict";
// The report's behaviour: full results unpacked on demand, sorting, filters, search, enlarged figures. No network.
// Every word comes from DATA.words, so that both languages are complete.
const DATA = JSON.parse(document.getElementById("data").textContent);
const W = DATA.words;
const PAGE = 100;

// --- small tools ---------------------------------------------------------------------------------------------------
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value; else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
const fill = (word, values) => W[word].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const spoken = (text) => DATA.comma ? text.replace(".", ",") : text;
const plain = (text) => text.toLowerCase().replace(/−/g, "-").replace(/∞/g, "inf");

// A number as people write it, with a point or a comma; null if the text is no number.
function numberIn(text) {
  const written = plain(String(text).trim()).replace(",", ".").replace(/%$/, "");
  if (written === "inf" || written === "-inf") return written === "inf" ? Infinity : -Infinity;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(written) ? Number(written) : null;
}

// One spelling of what people write in several: eps, épsilon, ϵ and ε are epsilon, and so on. For the search.
const GREEK = { "α": "alpha", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "λ": "lambda", "ρ": "rho", "σ": "sigma", "τ": "tau" };
const SHORT = { alfa: "alpha", eps: "epsilon", "épsilon": "epsilon" };
const canonical = (text) => plain(text).replace(/[αδεϵλρστ]/g, (sign) => GREEK[sign])
  .replace(/(?<![\p{L}_])(alfa|eps|épsilon)(?![\p{L}_])/gu, (word) => SHORT[word]);
const near = (a, b) => a === b || (Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 2e-6 * Math.max(Math.abs(a), Math.abs(b)));

function compare(a, b) {
  const x = numberIn(a), y = numberIn(b);
  if (x !== null && y !== null) return x - y;
  if ((x === null) !== (y === null)) return x === null ? 1 : -1;
  return String(a).localeCompare(String(b));
}

// --- full results --------------------------------------------------------------------------------------------------
function parseCsv(text) {
  const rows = [];
  let row = [], cell = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[i + 1] === '"') { cell += sign; i++; }
      else quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === ",") { row.push(cell); cell = ""; }
    else if (sign === "\n") { row.push(cell); rows.push(row); row = []; cell = ""; }
    else cell += sign;
  }
  return rows;
}

const unpacked = new Map();
async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById("csv-" + id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  const [heads, ...rows] = parseCsv(text);
  const about = DATA.results[id];
  return { id, text, heads, rows, about, shown: (column, cell) => about.values[heads[column]]?.[cell] ?? spoken(cell) };
}
function result(id) {
  if (!unpacked.has(id)) unpacked.set(id, unpack(id));
  return unpacked.get(id);
}

// What a reader may write over a column: 0.5, >0.9, 0.1..0.5, or part of a word.
function test(wanted, cell, shown) {
  const text = plain(wanted.trim());
  if (!text) return true;
  const value = numberIn(cell);
  const range = text.match(/^(.+)\.\.(.+)$/);
  if (range) return value !== null && value >= numberIn(range[1]) && value <= numberIn(range[2]);
  const bound = text.match(/^(<=|>=|<|>)(.+)$/);
  if (bound) {
    const limit = numberIn(bound[2]);
    if (value === null || limit === null) return false;
    return { "<": value < limit, ">": value > limit, "<=": value <= limit, ">=": value >= limit }[bound[1]];
  }
  const number = numberIn(text.replace(/^=/, ""));
  if (number !== null && value !== null) return near(value, number);
  return plain(cell).includes(text) || plain(shown).includes(text);
}

// Does a cell meet a condition of a claim: a value, a list of values, or {min, max}?
function meets(wanted, cell) {
  if (Array.isArray(wanted)) return wanted.some((each) => meets(each, cell));
  const value = numberIn(cell);
  if (wanted !== null && typeof wanted === "object") {
    return value !== null && value >= (wanted.min ?? -Infinity) && value <= (wanted.max ?? Infinity);
  }
  const number = numberIn(wanted ?? "");
  return number !== null && value !== null ? near(number, value) : String(wanted ?? "") === cell;
}

function headCell(table, column, sort) {
  const name = table.heads[column], word = table.about.heads[name];
  const cell = make("th", { scope: "col" }, ...breakable(word ?? name));
  if (sort) {
    const button = make("button", { type: "button" }, ...cell.childNodes);
    button.addEventListener("click", () => sort(column));
    cell.append(button);
  }
  if (word && word !== name) cell.append(make("code", { translate: false }, ...breakable(name)));
  return cell;
}
// A name such as epsilon_validation breaks after its underscores, nowhere else.
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, i) => i ? [make("wbr"), part] : [part]);
}

// A promise, since opening and a search may both ask before the table is unpacked.
function explore(details) {
  details.explorer ??= explorerOf(details);
  return details.explorer;
}
async function explorerOf(details) {
  const place = details.querySelector(".explorer");
  const table = await result(details.id);
  const state = { filters: table.heads.map(() => ""), exact: {}, where: null, sought: [], column: null, up: true, limit: PAGE };
  const body = make("tbody"), heads = make("tr"), fields = make("tr"), line = make("p", { className: "quiet" });
  line.setAttribute("role", "status");
  const more = make("button", { type: "button" }, W.more_rows), clear = make("button", { type: "button" }, W.clear);

  function rows() {
    const kept = table.rows.filter((row) => state.filters.every((wanted, i) => state.exact[i]
      ? wanted === "" || row[i] === wanted : test(wanted, row[i], table.shown(i, row[i])))
      && (!state.where || Object.entries(state.where).every(([name, wanted]) =>
        meets(wanted, row[table.heads.indexOf(name)]))));
    if (state.column !== null) {
      kept.sort((a, b) => compare(a[state.column], b[state.column]) * (state.up ? 1 : -1));
    }
    return kept;
  }
  function draw() {
    const kept = rows();
    body.replaceChildren(...kept.slice(0, state.limit).map((row) => make("tr", {}, ...row.map((cell, i) =>
      make("td", { className: (numberIn(cell) === null ? "" : "number") + (state.sought.includes(i) ? " sought" : "") },
        table.shown(i, cell))))));
    line.textContent = fill("rows_shown", { shown: Math.min(kept.length, state.limit), kept: kept.length, all: table.rows.length });
    more.hidden = kept.length <= state.limit;
    [...heads.children].forEach((head, i) => {
      head.classList.toggle("sought", state.sought.includes(i));
      if (i === state.column) head.setAttribute("aria-sort", state.up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }
  function sort(column) {
    state.up = state.column === column ? !state.up : true;
    state.column = column;
    draw();
  }
  table.heads.forEach((name, i) => {
    heads.append(headCell(table, i, sort));
    const values = [...new Set(table.rows.map((row) => row[i]))].sort(compare);
    const label = { "aria-label": fill("filter_column", { column: table.about.heads[name] ?? name }) };
    state.exact[i] = values.length > 1 && values.length <= 12;
    const field = state.exact[i]
      ? make("select", label, make("option", { value: "" }, W.all), ...values.filter((each) => each !== "").map((each) =>
        make("option", { value: each }, table.shown(i, each))))
      : make("input", { type: "search", placeholder: W.filter_example, ...label });
    field.dataset.column = name;
    field.addEventListener("input", () => { state.filters[i] = field.value; state.limit = PAGE; draw(); });
    fields.append(make("td", {}, field));
  });
  more.addEventListener("click", () => { state.limit += 10 * PAGE; draw(); });
  function set(conditions, where, sought = []) {
    state.where = where ?? null;
    state.sought = sought.map((name) => table.heads.indexOf(name)).filter((i) => i >= 0);
    state.limit = PAGE;
    fields.querySelectorAll("input, select").forEach((field, i) => {
      const wanted = conditions[field.dataset.column];
      const exact = wanted === undefined || !state.exact[i] ? undefined
        : [...field.options].find((option) => option.value && (option.value === wanted || test(wanted, option.value, option.text)));
      field.value = exact ? exact.value : wanted ?? "";
      state.filters[i] = field.value;
    });
    draw();
    box.scrollLeft = 0;
    if (state.sought.length) show(heads.children[state.sought[0]]);
  }
  // As little as needed, sideways only: the columns of the conditions stay in view if they can.
  function show(head) {
    const over = head.getBoundingClientRect().right - box.getBoundingClientRect().right + 8;
    if (over > 0) box.scrollLeft = over;
  }
  clear.addEventListener("click", () => set({}));
  const box = make("div",
    { className: "scroll", tabIndex: 0, role: "region", "aria-label": table.about.title + ", " + table.about.name },
    make("table", {}, make("thead", {}, heads, fields), body));
  place.append(make("div", { className: "tools" }, line, clear), box, more);
  draw();
  return { set };
}

// Open a full result at some rows; `sought` names the columns that the reader came for, the first is scrolled into view.
async function open(id, conditions, where, sought) {
  const details = document.getElementById(id);
  details.open = true;
  (await explore(details)).set(conditions, where, sought);
  details.scrollIntoView();
  details.querySelector("summary").focus({ preventScroll: true });
}

document.querySelectorAll("details.result").forEach((details) => {
  details.addEventListener("toggle", () => { if (details.open) explore(details); });
  details.querySelector(".download").addEventListener("click", async () => {
    const table = await result(details.id);
    const address = URL.createObjectURL(new Blob([table.text], { type: "text/csv" }));
    make("a", { href: address, download: details.id.replace("results-", "") + ".csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
});
document.addEventListener("click", (event) => {
  const button = event.target.closest(".evidence");
  if (button) open(button.dataset.table, {}, JSON.parse(button.dataset.where), button.dataset.columns.split(" "));
});

// --- tables of the thesis and of the claims ---------------------------------------------------------------------------
document.querySelectorAll("table.sortable").forEach((table) => {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.raw ?? row.cells[column].textContent.trim();
      body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b)) * (up ? 1 : -1)));
    });
  });
});
function filterRows(block) {
  const words = plain(block.querySelector(".row-filter").value).split(/\s+/).filter(Boolean);
  const verdict = block.querySelector("select")?.value ?? "";
  block.querySelectorAll("table.sortable > tbody > tr").forEach((row) => {
    const cells = [...row.cells];
    const fits = (word) => numberIn(word) !== null
      ? cells.some((cell) => [cell.dataset.raw, cell.textContent].some((text) => text && numberIn(text) !== null
        && near(numberIn(text), numberIn(word))))
      : plain(row.textContent).includes(word);
    row.hidden = !words.every(fits) || (verdict !== "" && row.dataset.verdict !== verdict);
  });
}
document.querySelectorAll(".row-filter").forEach((field) => {
  field.addEventListener("input", () => filterRows(field.closest("details, section")));
});
const verdictFilter = document.getElementById("verdict-filter");
verdictFilter.addEventListener("input", () => filterRows(document.getElementById("claims")));
document.querySelectorAll(".pick").forEach((button) => button.addEventListener("click", () => {
  verdictFilter.value = button.dataset.verdict;
  filterRows(document.getElementById("claims"));
  document.getElementById("claims").scrollIntoView();
  verdictFilter.focus({ preventScroll: true });
}));

// --- figures -----------------------------------------------------------------------------------------------------------
const large = document.getElementById("large");
document.querySelectorAll(".enlarge").forEach((button) => button.addEventListener("click", () => {
  const image = button.querySelector("img");
  large.querySelector("img").src = image.src;
  large.querySelector("img").alt = image.alt;
  large.querySelector("p").textContent = button.closest("figure").querySelector("figcaption").textContent;
  large.showModal();
}));
large.addEventListener("click", (event) => { if (event.target === large) large.close(); });

// --- search ------------------------------------------------------------------------------------------------------------
// A query is words, numbers, and conditions "column = number" (the sign may be left out). A table is found if every part
// is: a condition or a number by rows, a word by rows or, failing that, by the table's name and columns.
function parseQuery(query, columns) {
  const text = canonical(query).replace(/\s*(<=|>=|=|<|>)\s*/g, "$1");
  const tokens = text.split(/[\s;?]+|,(?=\s|$)|:(?=\s|$)/).filter((token) => token && !DATA.ignored.includes(token));
  const parts = [];
  for (let i = 0; i < tokens.length; i++) {
    const condition = tokens[i].match(/^(.+?)(<=|>=|=|<|>)(.+)$/);
    if (condition) {
      parts.push({ column: condition[1], wanted: (condition[2] === "=" ? "" : condition[2]) + condition[3] });
    } else if (columns.has(tokens[i]) && i + 1 < tokens.length && numberIn(tokens[i + 1]) !== null) {
      parts.push({ column: tokens[i], wanted: tokens[++i] });
    } else if (numberIn(tokens[i]) !== null) parts.push({ number: numberIn(tokens[i]) });
    else parts.push({ word: tokens[i] });
  }
  return parts;
}

function matchTable(table, parts) {
  const names = table.heads.map((name) => [name, canonical(table.about.heads[name] ?? name)]);
  const title = canonical(table.id.replace(/^results-/, "").replace(/[-_]/g, " ") + " " + table.about.title);
  let rows = table.rows, score = 0;
  const conditions = {}, shownFirst = new Set();
  for (const part of parts.filter((each) => each.column)) {
    const column = names.findIndex((pair) => pair.includes(part.column));
    if (column < 0) return null;
    rows = rows.filter((row) => test(part.wanted, row[column], table.shown(column, row[column])));
    conditions[table.heads[column]] = part.wanted;
    shownFirst.add(column);
  }
  for (const part of parts.filter((each) => !each.column)) {
    const places = new Set();
    const fits = (row) => row.map((cell, i) => {
      const value = part.word ? null : numberIn(cell);
      const hit = part.word ? plain(cell).includes(part.word) || plain(cell).replace(/_/g, " ").includes(part.word)
        || canonical(table.shown(i, cell)).includes(part.word) : value !== null && near(value, part.number);
      if (hit) places.add(i);
      return hit;
    }).some(Boolean);
    const exact = part.word ? names.findIndex((pair) => pair.includes(part.word)) : -1;
    const inTitle = Boolean(part.word) && title.includes(part.word);
    if (inTitle) score += 3;
    if (exact >= 0) { score += 2; shownFirst.add(exact); continue; }
    const kept = rows.filter(fits);
    const partly = part.word ? names.findIndex((pair) => pair.some((name) => name.includes(part.word))) : -1;
    if (kept.length) {
      rows = kept;
      const [place, ...others] = places;
      if (!others.length) conditions[table.heads[place]] = part.word ?? String(part.number);
      places.forEach((each) => shownFirst.add(each));
    } else if (partly >= 0) { score += 1; shownFirst.add(partly); } else if (!inTitle) return null;
  }
  return rows.length ? { table, rows, conditions, score, first: [...shownFirst] } : null;
}

function foundTable(found) {
  const { table, rows } = found;
  const order = [...found.first, ...table.heads.map((_, i) => i).filter((i) => !found.first.includes(i))];
  const button = make("button", { type: "button" }, W.open_table);
  const names = found.first.map((i) => table.heads[i]);
  const asked = names.filter((name) => !(name in found.conditions));
  button.addEventListener("click", () => open(table.id, found.conditions, null, asked));
  return make("section", {},
    make("h3", {}, table.about.title + " · ", make("code", { translate: false }, table.about.name)),
    make("p", { className: "tools" }, fill("rows_found", { found: rows.length }), button),
    make("div", { className: "scroll found-rows", tabIndex: 0, role: "region", "aria-label": table.about.name }, make("table", {},
      make("thead", {}, make("tr", {}, ...order.map((i) => headCell(table, i)))),
      make("tbody", {}, ...rows.slice(0, 8).map((row) => make("tr", {}, ...order.map((i) => make("td", {
        className: numberIn(row[i]) === null ? "" : "number" },
      ...(found.first.includes(i) ? [make("mark", {}, table.shown(i, row[i]))] : [table.shown(i, row[i])])))))))));
}

function foundTexts(parts) {
  const words = parts.map((part) => part.word ?? part.wanted ?? String(part.number));
  const seen = [...document.querySelectorAll("#chapters [data-search]")].filter((element) => {
    const text = canonical(element.id + " " + element.textContent);
    return !element.id.startsWith("claim-") && words.every((word) => text.includes(word));
  });
  return seen.slice(0, 12).map((element) => {
    const text = element.querySelector("figcaption, .caption")?.textContent ?? element.cells?.[0].textContent ?? element.textContent;
    const target = element.id ? element : element.closest("[id]");
    const link = make("a", { href: "#" + target.id }, text.trim().slice(0, 160));
    link.addEventListener("click", () => { if (target.tagName === "DETAILS") target.open = true; });
    return make("li", {}, link);
  });
}

let turn = 0;
async function search(query) {
  const mine = ++turn, place = document.getElementById("found");
  if (canonical(query.trim()).length < 2) return place.replaceChildren();
  const tables = await Promise.all(Object.keys(DATA.results).map(result));
  const columns = new Set(tables.flatMap((table) => table.heads.flatMap((name) => [name, canonical(table.about.heads[name] ?? name)])));
  const parts = parseQuery(query, columns);
  if (mine !== turn || !parts.length) return undefined;
  const found = tables.map((table) => matchTable(table, parts)).filter(Boolean)
    .sort((a, b) => b.score - a.score || a.rows.length - b.rows.length);
  const texts = foundTexts(parts);
  place.replaceChildren(...found.slice(0, 6).map(foundTable));
  if (found.length > 6) place.append(make("p", { className: "quiet" }, fill("more_tables", { more: found.length - 6 })));
  if (texts.length) place.append(make("h3", {}, W.texts_found), make("ul", {}, ...texts));
  if (!found.length && !texts.length) place.append(make("p", {}, W.nothing_found));
  return undefined;
}
const searchField = document.getElementById("search");
let pause;
searchField.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(() => search(searchField.value), 150);
});
searchField.form.addEventListener("submit", (event) => { event.preventDefault(); search(searchField.value); });
if (searchField.value) search(searchField.value);

// --- links into closed parts, and paper ----------------------------------------------------------------------------------
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", reveal);
if (location.hash) reveal();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details.table:not([open]), details.behind:not([open])")];
  closed.forEach((each) => { each.open = true; });
});
addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
