"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const PAGE = 100; // failures drawn at a time
let shown = PAGE;
let cause = null;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function drawHeader() {
  byId("backend").textContent = data.backend;
  byId("subtitle").textContent =
    `version ${data.version} · contract ${data.opset} · profile ${data.profile} · seed ${data.seed} · ${data.seconds.toFixed(1)} s`;
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
  byId("environment").replaceChildren(
    ...Object.entries(data.environment).flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })]),
  );
}

const words = () => byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
const matches = (text, wanted) => wanted.every((word) => text.toLowerCase().includes(word));

function failureText(failure) {
  return `${failure.id} ${failure.dtype} ${failure.cause} ${failure.status} ${failure.label ?? ""} ${failure.message}`;
}

function visibleOps() {
  const show = document.querySelector("input[name=show]:checked").value;
  const wanted = words();
  const hit = new Set(data.failures.filter((f) => matches(failureText(f), wanted)).map((f) => f.op));
  return Object.entries(data.ops).filter(([op, { total, dtypes }]) => {
    if (show === "failed" && !total.failed) return false;
    if (show === "claimed" && !total.claimed) return false;
    return hit.has(op) || matches(`${op} ${Object.keys(dtypes).join(" ")}`, wanted);
  });
}

function cell(op, dtype, counts) {
  if (!counts) return make("td", { className: "none" });
  if (!counts.claimed) return make("td", { className: "none", textContent: "–", title: `${counts.cases} cases, none claimed` });
  const text = `${counts.passed}/${counts.claimed}`;
  const title = `${op} ${dtype}: ${counts.passed} of ${counts.claimed} claimed cases passed, ${counts.unclaimed} unclaimed, largest error over bound ${counts.ratio ?? "–"}`;
  if (!counts.failed) return make("td", {}, make("span", { className: "cell good", textContent: text, title }));
  const button = make("button", { className: "cell bad", textContent: text, title, type: "button" });
  button.addEventListener("click", () => {
    byId("filter").value = dtype ? `${op} ${dtype}` : op;
    cause = null;
    draw();
    byId("failures").focus();
  });
  return make("td", {}, button);
}

function drawMatrix() {
  const rows = visibleOps();
  const head = make("tr", {}, ...["operator", "all", ...data.dtypes, "error / bound"].map((text) => make("th", { scope: "col", textContent: text })));
  const body = rows.map(([op, { total, dtypes }]) => {
    const why = data.refusals[op] ? Object.entries(data.refusals[op]).map(([text, count]) => `${count}: ${text}`).join("\n") : "";
    return make(
      "tr", {},
      make("th", { scope: "row", textContent: op, title: why ? `unclaimed\n${why}` : "" }),
      cell(op, "", total),
      ...data.dtypes.map((dtype) => cell(op, dtype, dtypes[dtype])),
      make("td", { textContent: total.ratio ?? "" }),
    );
  });
  byId("matrix").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
  byId("matrix-count").textContent = `${rows.length} of ${Object.keys(data.ops).length} operators`;
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
    ["contract label", failure.label],
    ["error / bound", failure.ratio],
    ["error in ulp", failure.ulp],
  ].filter(([, value]) => value !== null);
  const entry = make(
    "details", {},
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
      make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })])),
      make("div", { className: "repro" }, make("span", { className: "note", textContent: "Reproducer" }), copy),
      make("pre", { textContent: failure.reproducer }),
    ));
  });
  return entry;
}

function drawFailures() {
  const wanted = words();
  const matching = data.failures.filter((failure) => matches(failureText(failure), wanted));
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
  drawMatrix();
  drawFailures();
}

byId("filter").addEventListener("input", draw);
document.querySelectorAll("input[name=show]").forEach((input) => input.addEventListener("change", draw));
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !typing) { event.preventDefault(); byId("filter").focus(); }
  if (event.key === "Escape" && event.target === byId("filter")) { byId("filter").value = ""; cause = null; draw(); }
});
if (data.total.failed) document.querySelector("input[value=failed]").checked = true;
drawHeader();
byId("remarks").replaceChildren(...data.remarks.map(failureEntry));
byId("excluded").replaceChildren(...Object.entries(data.excluded).map(([op, reason]) => make("li", { textContent: `${op}: ${reason}` })));
byId("excluded-count").textContent = Object.keys(data.excluded).length || "None.";
byId("remarks-count").textContent = data.remarks.length || "None.";
draw();
