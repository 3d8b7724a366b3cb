"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const PAGE = 100; // failures drawn at a time
const AXES = ["layer", "dtype", "layout"];
const AXIS_TITLES = { layer: "layers", dtype: "dtypes", layout: "layouts" };
const CASES = 3, CLAIMED = 4, PASSED = 5, FAILED = 6, UNCLAIMED = 7, RATIO = 11; // places in a row of a cell
let shown = PAGE;
let cause = null;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const pairs = (entries) =>
  entries.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })]);

function drawHeader() {
  byId("backend").textContent = data.backend;
  const parts = ["select", "layers"].filter((name) => data.scope[name]).map((name) => `${name} ${data.scope[name].join(", ")}`);
  if (data.scope.shard && data.scope.shard !== "1/1") parts.push(`shard ${data.scope.shard}`);
  if (data.scope.sample < 1) parts.push(`sample ${data.scope.sample}`);
  byId("subtitle").textContent =
    `version ${data.version} · contract ${data.opset} · profile ${data.profile} · seed ${data.seed} · ${data.seconds.toFixed(1)} s` +
    (parts.length ? ` · partial: ${parts.join("; ")}` : "");
  const verdicts = {
    0: ["Passed", "good"],
    1: ["Failures", "bad"],
    3: [
      data.total.suite ? "Errors of the suite" : data.total.claimed ? "Too few cases to judge" : "Nothing ran on the backend",
      "warn",
    ],
  };
  const [text, style] = verdicts[data.exit];
  Object.assign(byId("verdict"), { textContent: text, className: style });
  const total = data.total;
  const share = total.cases ? Math.round((100 * total.claimed) / total.cases) : 0;
  const entries = [
    [total.passed, "passed"],
    [total.failed, "failed"],
    [total.waived, "waived"],
    [total.claimed, `claimed, ${share}% of the profile`],
    [total.unclaimed, "unclaimed"],
    [total.suite, "suite errors"],
    [total.eager, "eager defects"],
    [total.cases, "cases in the profile"],
    [total.ratio ?? "–", "largest error over bound"],
  ];
  byId("totals").replaceChildren(
    ...entries.map(([value, name]) => make("div", { className: "total" }, make("b", { textContent: value }), make("span", { textContent: name }))),
  );
  byId("environment").replaceChildren(...pairs(Object.entries(data.environment)));
  byId("leans").replaceChildren(...pairs(Object.entries(data.leans)));
  byId("leans-count").textContent = Object.keys(data.leans).length || "None.";
  byId("denominators").replaceChildren(
    ...pairs(Object.entries(data.denominators).map(([name, [part, all]]) => [name.replaceAll(" x ", " × "), `${part} of ${all}`])),
  );
}

const words = () => byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
const matches = (text, wanted) => wanted.every((word) => text.toLowerCase().includes(word));
const chosen = (axis) => byId(axis).value; // "" is all of them

function failureText(failure) {
  return `${failure.id} ${failure.dtype} ${failure.cause} ${failure.status} ${failure.label ?? ""} ${failure.message}`;
}

/** The rows of an operator that the choices of layer, dtype and layout leave. */
function rowsOf(op) {
  return data.ops[op].filter((row) => AXES.every((axis, i) => !chosen(axis) || data.axes[axis][row[i]] === chosen(axis)));
}

const isAbove = (a, b) => b === null || (a !== null && Number(a.toString().replace("inf", "Infinity")) > Number(b.toString().replace("inf", "Infinity")));

function sum(rows) {
  const total = { cases: 0, claimed: 0, passed: 0, failed: 0, unclaimed: 0, ratio: null };
  for (const row of rows) {
    total.cases += row[CASES];
    total.claimed += row[CLAIMED];
    total.passed += row[PASSED];
    total.failed += row[FAILED];
    total.unclaimed += row[UNCLAIMED];
    if (row[RATIO] !== null && isAbove(row[RATIO], total.ratio)) total.ratio = row[RATIO];
  }
  return total;
}

function visibleOps() {
  const show = document.querySelector("input[name=show]:checked").value;
  const wanted = words();
  const hit = new Set(data.failures.filter((f) => matches(failureText(f), wanted)).map((f) => f.op));
  return Object.keys(data.ops)
    .map((op) => ({ op, rows: rowsOf(op) }))
    .filter(({ op, rows }) => {
      const total = sum(rows);
      if (!total.cases || (show === "failed" && !total.failed) || (show === "claimed" && !total.claimed)) return false;
      const dtypes = [...new Set(rows.map((row) => data.axes.dtype[row[1]]))].join(" ");
      return hit.has(op) || matches(`${op} ${dtypes}`, wanted);
    });
}

function cell(op, axis, name, rows) {
  if (!rows.length) return make("td", { className: "none" });
  const counts = sum(rows);
  if (!counts.claimed) return make("td", { className: "none", textContent: "–", title: `${counts.cases} cases, none claimed` });
  const text = `${counts.passed}/${counts.claimed}`;
  const title = `${op} ${name}: ${counts.passed} of ${counts.claimed} claimed cases passed, ${counts.unclaimed} unclaimed, largest error over bound ${counts.ratio ?? "–"}`;
  if (!counts.failed) return make("td", {}, make("span", { className: "cell good", textContent: text, title }));
  const button = make("button", { className: "cell bad", textContent: text, title, type: "button" });
  button.addEventListener("click", () => {
    byId("filter").value = op;
    if (axis) byId(axis).value = name;
    cause = null;
    draw();
    byId("failures").focus();
  });
  return make("td", {}, button);
}

function drawMatrix(visible) {
  const axis = byId("columns").value;
  const place = AXES.indexOf(axis);
  const used = new Set(visible.flatMap(({ rows }) => rows.map((row) => row[place])));
  const columns = data.axes[axis].map((name, i) => ({ name, i })).filter(({ i }) => used.has(i));
  byId("axis-name").textContent = AXIS_TITLES[axis];
  const titles = ["operator", "all", ...columns.map(({ name }) => name), "error / bound"];
  const head = make("tr", {}, ...titles.map((text) => make("th", { scope: "col", textContent: text })));
  const body = visible.map(({ op, rows }) => {
    const why = data.refusals[op] ? Object.entries(data.refusals[op]).map(([text, count]) => `${count}: ${text}`).join("\n") : "";
    return make(
      "tr", {},
      make("th", { scope: "row", textContent: op, title: why ? `unclaimed\n${why}` : "" }),
      cell(op, "", "", rows),
      ...columns.map(({ name, i }) => cell(op, axis, name, rows.filter((row) => row[place] === i))),
      make("td", { textContent: sum(rows).ratio ?? "" }),
    );
  });
  byId("matrix").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
  byId("matrix-count").textContent = `${visible.length} of ${Object.keys(data.ops).length} operators`;
}

function drawHistogram(visible) {
  const counts = new Array(data.bins.length + 1).fill(0);
  for (const { op } of visible) data.histograms[op].forEach((count, i) => { counts[i] += count; });
  const most = Math.max(1, ...counts);
  const names = ["0", ...data.bins.map((limit) => (limit === "inf" ? "> 1" : `≤ ${limit}`))];
  byId("histogram").replaceChildren(
    ...counts.map((count, i) => {
      // A logarithmic height: a single wrong result among thousands must be seen.
      const height = count ? 6 + (94 * Math.log1p(count)) / Math.log1p(most) : 0;
      const bar = make("i", { title: `${names[i]}: ${count}` });
      bar.style.height = `${height * 0.75}%`;
      return make("div", { className: i === names.length - 1 ? "bin beyond" : "bin" }, count || "", bar, make("span", { textContent: names[i] }));
    }),
  );
  const judged = counts.reduce((a, b) => a + b, 0);
  byId("histogram").setAttribute("aria-label", names.map((name, i) => `${name}: ${counts[i]}`).join(", "));
  byId("histogram-count").textContent = `${judged} results compared`;
}

function drawCauses(found) {
  const counts = new Map();
  for (const failure of found) counts.set(failure.cause, (counts.get(failure.cause) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  byId("causes").replaceChildren(
    ...sorted.slice(0, 30).map(([name, count]) => {
      const button = make("button", { type: "button" }, make("b", { textContent: `${count} ` }), name || "other");
      button.setAttribute("aria-pressed", String(cause === name));
      button.addEventListener("click", () => {
        cause = cause === name ? null : name;
        shown = PAGE;
        drawFailures();
      });
      return button;
    }),
  );
}

function failureEntry(failure) {
  const copy = make("button", { type: "button", textContent: "Copy" });
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(failure.reproducer);
    copy.textContent = "Copied";
  });
  const facts = [
    ["call", failure.call],
    ["layer", failure.layer],
    ["contract label", failure.label],
    ["error / bound", failure.ratio],
    ["error in ulp", failure.ulp],
  ].filter(([, value]) => value !== null);
  const entry = make(
    "details", { className: "failure" },
    make(
      "summary", {},
      make("span", { className: "badge bad", textContent: failure.status }),
      make("code", { textContent: failure.id }),
      make("span", { className: "cause", textContent: failure.cause }),
    ),
  );
  entry.addEventListener("toggle", () => {
    if (!entry.open || entry.children.length > 1) return;
    entry.append(make(
      "div", { className: "body" },
      make("pre", { textContent: failure.message }),
      make("dl", { className: "pairs" }, ...pairs(facts)),
      make("div", { className: "repro" }, make("span", { className: "note", textContent: "Reproducer" }), copy),
      make("pre", { className: "reproducer", textContent: failure.reproducer }),
    ));
  });
  return entry;
}

function drawFailures() {
  const wanted = words();
  const left = data.failures.filter((failure) => AXES.every((axis) => !chosen(axis) || failure[axis] === chosen(axis)));
  const matching = left.filter((failure) => matches(failureText(failure), wanted));
  drawCauses(matching);
  const found = matching.filter((failure) => cause === null || failure.cause === cause);
  const entries = found.slice(0, shown).map(failureEntry);
  if (found.length > shown) {
    const more = make("button", { type: "button", textContent: `Show ${Math.min(PAGE, found.length - shown)} more` });
    more.addEventListener("click", () => { shown += PAGE; drawFailures(); });
    entries.push(more);
  }
  byId("failures").replaceChildren(...entries);
  byId("failures-count").textContent = data.failures.length ? `${found.length} of ${data.failures.length}` : "None.";
}

function draw() {
  shown = PAGE;
  const visible = visibleOps();
  drawMatrix(visible);
  drawHistogram(visible);
  drawFailures();
}

function reset() {
  byId("filter").value = "";
  for (const axis of AXES) byId(axis).value = "";
  cause = null;
  draw();
}

/** Opens the failure after the one that has the focus, or the one before it. */
function openNext(step) {
  const entries = [...document.querySelectorAll("#failures details.failure")];
  if (!entries.length) return;
  const current = entries.findIndex((entry) => entry.contains(document.activeElement));
  const next = entries[Math.min(entries.length - 1, Math.max(0, current < 0 ? 0 : current + step))];
  next.open = true;
  next.querySelector("summary").focus();
}

/** Moves the focus from a failing cell to the nearest one in a direction. */
function moveInMatrix(from, key) {
  const row = from.closest("tr");
  const place = (button) => button.closest("td").cellIndex;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const buttons = [...row.querySelectorAll("button.cell")];
    buttons[buttons.indexOf(from) + (key === "ArrowRight" ? 1 : -1)]?.focus();
    return;
  }
  const step = key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling";
  for (let other = row[step]; other; other = other[step]) {
    const buttons = [...other.querySelectorAll("button.cell")];
    if (!buttons.length) continue;
    buttons.sort((a, b) => Math.abs(place(a) - place(from)) - Math.abs(place(b) - place(from)))[0].focus();
    return;
  }
}

for (const axis of AXES) {
  byId(axis).append(make("option", { value: "", textContent: "all" }), ...data.axes[axis].map((name) => make("option", { value: name, textContent: name })));
}
for (const id of ["columns", ...AXES]) byId(id).addEventListener("change", draw);
byId("filter").addEventListener("input", draw);
byId("reset").addEventListener("click", reset);
document.querySelectorAll("input[name=show]").forEach((input) => input.addEventListener("change", draw));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input[type=search], select");
  if (event.key === "Escape") reset();
  else if (typing) return;
  else if (event.key === "/") { event.preventDefault(); byId("filter").focus(); }
  else if (event.key === "j") openNext(1);
  else if (event.key === "k") openNext(-1);
  else if (event.key.startsWith("Arrow") && event.target.matches("button.cell")) { event.preventDefault(); moveInMatrix(event.target, event.key); }
});
if (data.total.failed) document.querySelector("input[value=failed]").checked = true;
drawHeader();
byId("remarks").replaceChildren(...data.remarks.map(failureEntry));
byId("excluded").replaceChildren(...Object.entries(data.excluded).map(([op, reason]) => make("li", { textContent: `${op}: ${reason}` })));
byId("excluded-count").textContent = Object.keys(data.excluded).length || "None.";
byId("remarks-count").textContent = data.remarks.length || "None.";
draw();
