// What GrowingPage (scrolling.py) does in a listing page: "links" counts links, "read" gives the document and its HTML,
// "scroll" goes to the end, "click" clicks the last control that promises more and tells whether there is one.
what => {
  const words = [
    "load more|show more|view more|see more|more articles|more stories|more news|more posts|more results|more entries|older posts|",
    "older articles|mehr laden|mehr anzeigen|mehr artikel|weitere artikel|weitere beiträge|weitere laden|ältere beiträge|voir plus|",
    "charger plus|afficher plus|plus d'articles|articles suivants|ver más|cargar más|mostrar más|más noticias|más artículos|",
    "carica altri|carica altro|mostra altri|mostra altro|altri articoli|carregar mais|ver mais|mostrar mais|mais notícias|meer laden|",
    "laad meer|toon meer|meer artikelen|visa fler|ladda fler|visa mer|vis flere|vis mere|vis mer|last flere|indlæs flere|hent flere|",
    "näytä lisää|lataa lisää|pokaż więcej|wczytaj więcej|załaduj więcej|więcej artykułów|načíst další|zobrazit další|további cikkek|",
    "mai multe|încarcă mai|показать ещё|показать еще|загрузить ещё|загрузить еще|показать больше|показати ще|завантажити ще|daha fazla|",
    "devamını yükle|xem thêm|tải thêm|muat lainnya|muat lebih|selengkapnya|加载更多|載入更多|查看更多|更多文章|显示更多|顯示更多|点击加载|もっと見る|もっと読む|さらに表示|더보기|",
    "더 보기|المزيد|טען עוד|עוד כתבות|और देखें|โหลดเพิ่ม|ดูเพิ่มเติม",
  ].join("");  // of the languages in which we have seen such buttons
  const names = /load-?_?more|show-?_?more|view-?_?more|more-?_?(?:posts|articles|news|stories|button|btn)|btn-?_?more|ajax-?_?more/i;
  const links = document.links.length;
  if (what === "links") return links;
  // another document has another origin of time
  if (what === "read") return [performance.timeOrigin, document.documentElement ? document.documentElement.outerHTML : ""];
  if (what === "scroll") {
    // up a little first: an observer that has fired already fires again only when the end comes into view anew
    const down = one => { one.scrollTop = Math.max(0, one.scrollHeight - 2 * one.clientHeight); one.scrollTop = one.scrollHeight; };
    for (const one of document.querySelectorAll("div, main, section, ul, ol"))
      if (one.scrollHeight > one.clientHeight + 100 && /auto|scroll/.test(getComputedStyle(one).overflowY)) down(one);
    down(document.scrollingElement || document.documentElement);
    return true;
  }
  const told = new RegExp(words, "i");
  const tried = document.sitecrawlTried ??= new WeakMap();  // controls, and how many links there were when they were clicked
  const leads = one => one.matches("a[href]") && !/^(#|javascript:|$)/i.test(one.getAttribute("href").trim());
  const last = [...document.querySelectorAll("button, [role=button], input[type=button], input[type=submit], a, div, span")].filter(one => {
    const text = (one.innerText || one.value || one.getAttribute("aria-label") || "").trim();
    const fits = text.length <= 40 && (told.test(text) || names.test(`${one.id} ${one.className}`));
    return fits && tried.get(one) !== links && !one.disabled && one.getClientRects().length && !leads(one) && !one.querySelector("a[href], button");
  }).pop();
  if (last) { tried.set(last, links); last.click(); }
  return Boolean(last);
}
