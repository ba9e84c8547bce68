"use strict";
(() => {
  const body = document.querySelector("#sites tbody");
  const rows = [...body.querySelectorAll("tr.site")];
  const heads = [...document.querySelectorAll("#sites thead th")];
  const chips = [...document.querySelectorAll(".chip")];
  const find = document.getElementById("find");
  const order = document.getElementById("order");
  const group = document.getElementById("group");
  const details = new Map();
  const value = (row, column) => row.cells[column].dataset.value;

  // ---- sort
  function sort(column, down) {
    const number = "number" in heads[column].firstElementChild.dataset;
    const sign = down ? -1 : 1;
    const compare = number
      ? (a, b) => value(a, column) - value(b, column)
      : (a, b) => value(a, column).localeCompare(value(b, column), undefined, { numeric: true });
    const sorted = [...rows].sort((a, b) => sign * compare(a, b) || rows.indexOf(a) - rows.indexOf(b));
    body.append(...sorted.flatMap((row) => (details.has(row) ? [row, details.get(row)] : [row])));
    heads.forEach((head, at) => {
      if (at === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    order.value = String(column);
  }
  heads.forEach((head, column) =>
    head.firstElementChild.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending"))
  );
  order.addEventListener("change", () => sort(Number(order.value), false));

  // ---- filter
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const levels = chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.level);
    let shown = 0;
    for (const row of rows) {
      const fits = (!levels.length || levels.includes(row.dataset.level)) && (!group?.value || group.value === row.dataset.group) && words.every((word) => texts.get(row).includes(word));
      row.hidden = !fits;
      if (details.has(row)) details.get(row).hidden = !fits || !row.classList.contains("opened");
      shown += fits;
    }
    const all = rows.length === 1 ? "1 site" : `${rows.length} sites`;
    document.getElementById("count").textContent = shown === rows.length ? all : `${shown} of ${all}`;
    document.querySelector(".none").hidden = shown > 0;
  }
  find.addEventListener("input", filter);
  group?.addEventListener("change", filter);
  for (const chip of chips)
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filter();
    });
  document.getElementById("all").addEventListener("click", () => {
    find.value = "";
    if (group) group.value = "";
    chips.forEach((chip) => chip.setAttribute("aria-pressed", "false"));
    filter();
    find.focus();
  });

  // ---- the details of a site are packed until somebody asks for them
  async function unpack(row) {
    if (document.readyState === "loading") await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
    const packed = document.getElementById("d" + row.id.slice(1)).textContent;
    const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }
  async function detail(row) {
    const line = document.createElement("tr");
    line.className = "detail";
    line.setAttribute("role", "row");
    const cell = line.insertCell();
    cell.setAttribute("role", "cell");
    cell.colSpan = heads.length;
    cell.innerHTML = await unpack(row);
    details.set(row, line);
    row.after(line);
    return line;
  }
  async function toggle(row, open) {
    const button = row.querySelector(".open");
    const wanted = open ?? !row.classList.contains("opened");
    row.classList.toggle("opened", wanted);
    button.setAttribute("aria-expanded", String(wanted));
    const line = details.get(row) ?? (wanted ? await detail(row) : null);
    if (line) line.hidden = !wanted;
    history.replaceState(null, "", wanted ? "#" + encodeURIComponent(button.textContent) : " ");
  }
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr.site");
    if (row && !event.target.closest("a") && !String(getSelection())) toggle(row);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) {
      event.preventDefault();
      find.focus();
    } else if (event.key === "Escape") {
      const line = event.target.closest?.("tr.detail");
      const row = line ? line.previousElementSibling : event.target.closest?.("tr.site.opened");
      if (row) {
        toggle(row, false);
        row.querySelector(".open").focus();
      }
    }
  });
  const named = decodeURIComponent(location.hash.slice(1)) || document.body.dataset.opened;
  const asked = named && rows.find((row) => value(row, 1) === named);
  if (asked) toggle(asked, true).then(() => asked.scrollIntoView());
})();
