// What the browser does in a page: "text" tells whether its text is there, "read" gives the document and its HTML; and of GrowingPage (scrolling.py)
// in a listing page: "links" lists the links, "scroll" goes to the end, "click" clicks the last control that promises more and tells whether there is one.
// WORDS are those of sitecrawl/links/vocabulary.json, of the languages in which we have seen such buttons.
what => {
  if (what === "text") {  // characters and links that no frame of a page has whose text is still to come
    let rest = document.body ? document.body.innerText.length : 0;
    for (const one of document.links) if (one.getClientRects().length) rest -= one.innerText.length;
    return rest > 300 || document.links.length > 40;
  }
  // with the texts of shadow trees, which outerHTML leaves out
  const whole = root => {
    const shadows = [], enter = tree => { for (const one of tree.querySelectorAll("*")) if (one.shadowRoot) { shadows.push(one.shadowRoot); enter(one.shadowRoot); } };
    enter(document);
    if (!shadows.length || !root.getHTML) return root.outerHTML;
    return root.cloneNode(false).outerHTML.replace("</html>", () => root.getHTML({shadowRoots: shadows}) + "</html>");
  };
  const names = /load-?_?more|show-?_?more|view-?_?more|more-?_?(?:posts|articles|news|stories|button|btn)|btn-?_?more|ajax-?_?more/i;
  const links = Array.from(document.links, one => one.href).join("\n");
  if (what === "links") return links;
  // another document has another origin of time
  if (what === "read") return [performance.timeOrigin, document.documentElement ? whole(document.documentElement) : ""];
  if (what === "scroll") {
    // up a little first: an observer that has fired already fires again only when the end comes into view anew
    const down = one => { one.scrollTop = Math.max(0, one.scrollHeight - 2 * one.clientHeight); one.scrollTop = one.scrollHeight; };
    for (const one of document.querySelectorAll("div, main, section, ul, ol"))
      if (one.scrollHeight > one.clientHeight + 100 && /auto|scroll/.test(getComputedStyle(one).overflowY)) down(one);
    down(document.scrollingElement || document.documentElement);
    return true;
  }
  const told = new RegExp(WORDS, "i");
  const tried = document.sitecrawlTried ??= new WeakMap();  // controls, and the links when they were clicked
  const leads = one => one.matches("a[href]") && !/^(#|javascript:|$)/i.test(one.getAttribute("href").trim());
  const last = [...document.querySelectorAll("button, [role=button], input[type=button], input[type=submit], a, div, span")].filter(one => {
    const text = (one.innerText || one.value || one.getAttribute("aria-label") || "").trim();
    const fits = text.length <= 40 && (told.test(text) || names.test(`${one.id} ${one.className}`));
    return fits && tried.get(one) !== links && !one.disabled && one.getClientRects().length && !leads(one) && !one.querySelector("a[href], button");
  }).pop();
  if (last) { tried.set(last, links); last.click(); }
  return Boolean(last);
}
