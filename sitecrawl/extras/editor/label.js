import { connect, make } from "./editor.js";

const spans = new Map([...document.querySelectorAll("#page [data-link]")].map((span) => [Number(span.dataset.link), span]));
const list = document.getElementById("groups");
const rows = [...list.querySelectorAll("li")];
const groups = rows.map((row) => row.dataset.links.split(" ").map(Number));
const groupOf = new Map(groups.flatMap((links) => links.map((link) => [link, links])));
const KEYS = { a: "article", s: "section", o: "other", x: null };
const told = document.getElementById("told");
const page = document.getElementById("page");
const ask = connect(show);
const pages = [...document.querySelectorAll("nav a")];
let links = [];
let urls = [];
let sures = [];
let waiting = 0;

const say = (chosen, label) => ask("say", { links: chosen, label });

// ---- show its answer
function show(state) {
  links = state.links;
  urls = state.urls ?? urls;
  links.forEach(([label, sure, said], link) => {
    const span = spans.get(link);
    if (!span) return;
    const how = sure === null ? "none" : said ? "said" : sure > 0.9 ? "high" : sure > 0.6 ? "mid" : "low";
    span.className = `link ${label} ${how}`;
    const why = sure === null ? "other by rule: no page of this site" : said ? `${label}: you said so` : `${label}, ${Math.round(100 * sure)} % sure`;
    span.title = `${urls[link]}\n${why}`;
    span.setAttribute("aria-pressed", String(said));
  });
  rows.forEach((row, at) => {
    const found = groups[at].map((link) => links[link]);
    const said = found.filter((one) => one[2]).length;
    const sure = sureness(at);
    row.classList.toggle("done", said === found.length);
    const kinds = [...new Set(found.map((one) => one[0]))].join(", ");
    row.querySelector(".how").textContent = `${kinds}; ${said} of ${found.length} link${found.length === 1 ? "" : "s"}, the least certain ${Math.round(100 * sure)} % sure`;
  });
  const order = rows.map((_, at) => at).sort((one, other) => sureness(one) - sureness(other));
  list.replaceChildren(...order.map((at) => rows[at]));
  const right = state.said ? `; the model had ${state.right} of them right (${Math.round((100 * state.right) / state.said)} %)` : "";
  document.getElementById("score").textContent = `${state.said} of ${state.of} labelled${right}`;
  sures = state.pages.map((page) => page.sure);
  state.pages.forEach((page, at) => {
    pages[at].querySelector("small").textContent = page.said < page.of ? `${page.said} of ${page.of}, the least certain ${Math.round(100 * page.sure)} % sure` : "done";
  });
  document.getElementById("undo").disabled = !state.undo;
  document.getElementById("save").disabled = state.saved;
  if (state.told !== null) told.textContent = state.told;
  compare(state.trial);
  if (state.families) listFamilies(state.families);
  if (state.taught) listTaught(state.taught);
}
/** The pages with labels in the folder, each with a button that takes them back. */
function listTaught(taught) {
  document.getElementById("taught").hidden = !taught.length;
  document.querySelector("#taught tbody").replaceChildren(...taught.map((one) => {
    const button = make("button", "Take back");
    button.type = "button";
    button.setAttribute("aria-label", `Take back the labels of ${one.url}`);
    button.addEventListener("click", () => ask("taught", { url: one.url }));
    return make("tr", "", make("td", "", button), make("td", one.url), make("td", one.labels));
  }));
}
/** The page families, each with a button that keeps it and one that drops it; a second click takes the word back. */
function listFamilies(families) {
  document.getElementById("families").hidden = !families.length;
  document.querySelector("#families tbody").replaceChildren(...families.map((one) => {
    const buttons = ["keep", "drop"].map((word) => {
      const button = make("button", word === "keep" ? "Keep" : "Drop");
      button.type = "button";
      button.setAttribute("aria-pressed", String(one.said === word));
      button.setAttribute("aria-label", `${button.textContent} ${one.family}`);
      button.addEventListener("click", () => ask("families", { family: one.family, said: one.said === word ? "" : word }));
      return button;
    });
    const cells = [`${one.number}: ${one.like}`, one.pages, one.doubtful ? `${one.fate}, doubtful` : one.fate, one.why, one.headlines.join(" · ")];
    return make("tr", "", make("td", "", ...buttons), ...cells.map((cell) => make("td", cell)));
  }));
}
/** Probability of the least certain link of a group that nobody labelled; 1 where all are. */
function sureness(at) {
  return Math.min(1, ...groups[at].filter((link) => !links[link][2]).map((link) => links[link][1]));
}
function compare(trial) {
  const body = document.querySelector("#trial tbody");
  document.getElementById("trial").hidden = !(trial.running || trial.fault || trial.rows.length);
  document.getElementById("train").disabled = trial.running;
  document.querySelector("#trial table").hidden = !trial.rows.length;
  for (const name of ["use", "use-here"]) document.getElementById(name).hidden = !trial.usable;
  document.getElementById("use").textContent = `Use it: write ${trial.target}`;
  document.getElementById("going").textContent = trial.running ? "Training; go on labelling meanwhile …" : trial.fault;
  body.replaceChildren(...trial.rows.map((row) =>
    make("tr", "", ...[row.name, row.pages, ...row.article, ...row.section].map((cell) => make("td", cell)))));
  clearTimeout(waiting);
  if (trial.running) waiting = setTimeout(() => ask("state"), 1000);
}

// ---- hear the person
const brush = () => document.querySelector("input[name=brush]:checked").value;
const chosen = (span, whole) => {
  const link = Number(span.dataset.link);
  return whole ? (groupOf.get(link) ?? [link]) : [link];
};
const at = (event) => event.target.closest?.("#page [data-link]");
for (const kind of ["focusin", "mouseover"]) page.addEventListener(kind, (event) => {
  if (at(event)) document.getElementById("where").textContent = urls[Number(at(event).dataset.link)];
});
page.addEventListener("mousedown", (event) => {
  if (event.shiftKey && at(event)) event.preventDefault(); // the browser would select the text up to here
});
page.addEventListener("click", (event) => {
  const span = at(event);
  if (!span) return;
  span.focus();
  say(chosen(span, event.shiftKey), brush());
});
function next() {
  const ordered = [...list.children].flatMap((row) => groups[rows.indexOf(row)]);
  const open = ordered.filter((link) => !links[link][2] && links[link][1] !== null);
  const here = open.indexOf(Number(document.activeElement?.dataset?.link ?? -1));
  const least = sures.indexOf(Math.min(...sures));
  if (!open.length && sures[least] < 1) pages[least].click();
  else go(open[here + 1] ?? open[0]);
}
function go(link) {
  const span = spans.get(link);
  span?.focus();
  span?.scrollIntoView({ block: "center" });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = at(event);
  const key = event.key.toLowerCase();
  if (span && (key === "enter" || key === " ")) say(chosen(span, event.shiftKey), brush());
  else if (span && key in KEYS) say(chosen(span, event.shiftKey), KEYS[key]);
  else if (KEYS[key]) document.querySelector(`input[value=${KEYS[key]}]`).checked = true;
  else if (key === "u") ask("undo");
  else if (key === "n") next();
  else return;
  event.preventDefault();
});
for (const action of ["undo", "rest", "save", "teach", "train", "use", "use-here"]) document.getElementById(action).addEventListener("click", () => ask(action));
rows.forEach((row, place) => row.querySelector(".go").addEventListener("click", () => {
  for (const span of spans.values()) span.classList.remove("near");
  for (const link of groups[place]) spans.get(link)?.classList.add("near");
  go(groups[place][0]);
}));
ask("families");
ask("taught");
