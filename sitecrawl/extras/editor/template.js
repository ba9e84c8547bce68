import { connect, make } from "./editor.js";

const main = document.getElementById("page");
const places = new Map([...main.querySelectorAll("[data-n]")].map((element) => [Number(element.dataset.n), element]));
const buttons = [...document.querySelectorAll("[data-role]")];
const keys = new Map(buttons.map((button) => [button.querySelector("kbd").textContent, button]));
const ask = connect(show);
const SHOWN = 400;
let chosen = null;
let way = 0;
let isOpen = false;

// ---- show what the server says
function show(state) {
  for (const element of places.values()) element.classList.remove(...[...element.classList].filter((name) => name.startsWith("f-")));
  for (const [role, numbers] of Object.entries(state.marks)) {
    for (const number of numbers) places.get(number)?.classList.add(`f-${role.replace(" ", "-")}`);
  }
  const changed = state.pages.filter((page) => page.changes.length).length;
  document.getElementById("score").textContent = `${changed} of ${state.pages.length} pages change`;
  document.getElementById("undo").disabled = !state.undo;
  document.getElementById("save").disabled = !state.undo;
  document.getElementById("told").textContent = state.told;
  document.getElementById("ways").hidden = !state.ways.length;
  document.querySelector("#ways ol").replaceChildren(...state.ways.map((one, at) => wayOut(one, at, at === way)));
  document.getElementById("unsaved").hidden = !state.undo;
  const [old, draft] = [lines("", state.saved), lines("", state.draft)];
  const marked = (sign, some, others) => some.filter((line) => !others.includes(line)).map((line) => make(sign === "-" ? "del" : "ins", `${sign} ${line}\n`));
  document.querySelector("#unsaved pre").replaceChildren(...marked("-", old, draft), ...marked("+", draft, old));
  document.getElementById("document").textContent = state.document;
  document.querySelector("#counts tbody").replaceChildren(...state.fields.map((field) => {
    const found = [0, 1].map((when) => state.pages.filter((page) => page.found[when].includes(field)).length);
    const different = state.pages.filter((page) => page.changes.some((change) => change.field === field)).length;
    return make("tr", "", ...[field, ...found, different].map((cell) => make("td", cell)));
  }));
  document.getElementById("values").replaceChildren(...Object.entries(state.values).flatMap(([name, value]) =>
    [make("dt", name), make("dd", value.length > SHOWN ? `${value.slice(0, SHOWN)}… (${value.length} characters)` : value || "nothing")]));
  document.querySelectorAll("#pages .changes").forEach((place, at) => place.replaceChildren(...state.pages[at].changes.map(difference)));
  document.getElementById("versions").replaceChildren(...state.versions.map(version));
  if (!isOpen) open(state.marks);
}
/** Begin at the article: menus may fill the first screens of a page. */
function open(marks) {
  isOpen = true;
  const [first] = [marks.headline, marks.body].flat();
  places.get(first)?.scrollIntoView({ block: "center" });
}
/** An address as people write it: classes behind a stop, ids behind a hash. */
const readable = (text) => text.replace(/\[contains\(concat\(" ", @class, " "\), " ([^"]+) "\)\]/g, ".$1").replace(/\[@id="([^"]+)"\]|id\("([^"]+)"\)/g, "#$1$2");
/** The parts of a document in lines of a name and one value. */
function lines(name, part) {
  if (part === null || typeof part !== "object") return [`${name}: ${readable(String(part))}`];
  return Object.entries(part).flatMap(([key, inner]) => lines(Array.isArray(part) ? name : `${name} ${key}`.trim(), inner));
}
function wayOut(one, at, chosen) {
  const button = make("button", one.is_text ? `the text “${one.rule}”` : readable(one.rule));
  button.setAttribute("aria-pressed", String(chosen));
  button.addEventListener("click", () => ask("choose", { way: (way = at) }));
  return make("li", "", button, make("p", `${one.elements} element${one.elements === 1 ? "" : "s"} on ${one.pages} page${one.pages === 1 ? "" : "s"}`));
}
function difference(change) {
  const lines = change.lines.map(([sign, text]) => make("li", "", make(sign === "-" ? "del" : "ins", text)));
  return make("div", "", make("p", `${change.field}: ${change.gone} characters went, ${change.come} came`), make("ul", "", ...lines));
}
function version(one) {
  const line = make("li", `v${one.version}, ${one.state}${one.locked ? ", locked" : ""} `);
  if (one.answers) line.append(make("strong", "answers"));
  else {
    const button = make("button", `Roll back to v${one.version}`);
    button.addEventListener("click", () => ask("rollback", { version: one.version }));
    line.append(button);
  }
  return line;
}

// ---- hear the person
function choose(element) {
  chosen?.classList.remove("chosen");
  chosen = element ?? null;
  chosen?.classList.add("chosen");
  chosen?.scrollIntoView({ block: "nearest" });
  for (const button of buttons) button.disabled = !chosen;
  const text = chosen?.textContent.trim() ?? "";
  document.getElementById("chosen").textContent = chosen
    ? `Chosen: “${text.slice(0, 80)}${text.length > 80 ? "…" : ""}” (${text.length} characters)`
    : "Click an element of the page, then say what it is.";
}
const drawn = (element, way) => {
  let found = element?.[way];
  while (found && found !== main && !found.dataset.n) found = found[way];
  return found === main ? null : found;
};
const MOVES = {
  ArrowUp: () => drawn(chosen, "parentElement"),
  ArrowDown: () => chosen?.querySelector("[data-n]"),
  ArrowLeft: () => drawn(chosen, "previousElementSibling"),
  ArrowRight: () => drawn(chosen, "nextElementSibling"),
};
main.addEventListener("click", (event) => {
  choose(event.target.closest("[data-n]"));
  main.focus({ preventScroll: true });
});
function say(button) {
  way = 0;
  if (chosen) ask("say", { element: Number(chosen.dataset.n), role: button.dataset.role });
}
for (const button of buttons) button.addEventListener("click", () => say(button));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inside = event.target === main;
  if (event.key === "Escape") choose(null);
  else if (inside && event.key in MOVES) choose(MOVES[event.key]() ?? chosen ?? places.values().next().value);
  else if (keys.has(event.key)) say(keys.get(event.key));
  else if (event.key === "u") ask("undo");
  else return;
  event.preventDefault();
});
for (const action of ["undo", "save"]) document.getElementById(action).addEventListener("click", () => ask(action));
ask("state");
