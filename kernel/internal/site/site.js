// The search field: sections of lessons that have all words, those with a word in their heading first.
(() => {
  "use strict";
  const field = document.getElementById("search"), list = document.getElementById("found");
  if (!field || !field.dataset.index) return;
  field.hidden = false;
  let loading = null, index = null;
  const load = () => loading ||= fetch(field.dataset.index).then(r => r.json()).then(x => {
    index = x;
    for (const s of x.sections) { s.heading = s.h.toLowerCase(); s.text = s.t.toLowerCase(); }
  }).catch(() => { loading = null; }); // the next letter asks again
  const make = (tag, text, name) => {
    const e = document.createElement(tag);
    e.textContent = text;
    if (name) e.className = name;
    return e;
  };
  function find(words) {
    const found = [];
    for (const s of index.sections) {
      let score = 0;
      for (const w of words) {
        const heading = s.heading.includes(w), n = s.text.split(w).length - 1;
        if (!heading && !n) { score = 0; break; }
        score += (heading ? 20 : 0) + Math.min(n, 5);
      }
      if (score) found.push([score, s]);
    }
    return found.sort((a, b) => b[0] - a[0]).slice(0, 12).map(f => f[1]);
  }
  // around is the text at the first of the words.
  function around(s, words) {
    const at = Math.max(0, Math.min(...words.map(w => s.text.indexOf(w)).filter(i => i >= 0), s.t.length) - 40);
    return (at ? "… " : "") + s.t.slice(at, at + 130) + " …";
  }
  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.hidden = !words.length;
    if (!words.length || !index) return;
    const found = find(words);
    list.replaceChildren(...found.map(s => {
      const item = document.createElement("li"), a = make("a", "");
      a.href = s.u;
      a.append(make("b", s.h), make("span", index.lessons[s.l], "of"), make("span", around(s, words), "text"));
      item.append(a);
      return item;
    }));
    if (!found.length) list.replaceChildren(make("li", "Nothing has all of these words.", "none"));
  }
  field.addEventListener("focus", load);
  field.addEventListener("input", () => load().then(show));
  const close = () => { list.hidden = true; };
  field.addEventListener("keydown", e => {
    if (e.key === "Escape") close();
    if (e.key === "Enter") { const a = list.querySelector("a"); if (a && !list.hidden) { close(); location.href = a.href; } }
  });
  list.addEventListener("click", e => { if (e.target.closest("a")) close(); });
  document.addEventListener("click", e => { if (!e.target.closest(".search")) close(); });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) { e.preventDefault(); field.focus(); }
  });
})();
// The switch that shows the code of all cells keeps its state from page to page; a link to a cell of code turns it on.
(() => {
  "use strict";
  const box = document.getElementById("code");
  if (!box) return;
  try { box.checked = localStorage.getItem("expfam-code") === "on"; } catch { /* no storage here */ }
  const to = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (to && to.matches(".cell.code")) { box.checked = true; to.scrollIntoView(); }
  box.addEventListener("change", () => {
    try { localStorage.setItem("expfam-code", box.checked ? "on" : "off"); } catch { /* no storage here */ }
  });
})();
// What is visited, and the index, opens again without a network, where pages may have a service worker.
(() => {
  "use strict";
  const keeper = navigator.serviceWorker;
  if (!keeper) return;
  keeper.register("keep.js").then(() => keeper.ready).then(({ active }) => {
    active.postMessage([location.href.replace(/#.*/, "")].concat(["./", "index.html"].map(to => new URL(to, location).href)));
    new PerformanceObserver(list => active.postMessage(list.getEntries().map(e => e.name))).observe({ type: "resource", buffered: true });
  }).catch(() => {}); // a private window, a server without https
})();

// What is wider than the page says that it scrolls.
(() => {
  "use strict";
  const mark = () => {
    for (const e of document.querySelectorAll("main :is(.output, math[display=block], table)")) {
      const told = e.nextElementSibling?.matches(".scrolls") ? e.nextElementSibling : null;
      const wide = e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 8 && !e.parentElement.closest(".output");
      if (wide && !told) {
        const words = document.createElement("div");
        words.className = "scrolls";
        words.textContent = "scroll →";
        e.after(words);
      } else if (!wide && told) told.remove();
    }
  };
  addEventListener("load", mark);
  new ResizeObserver(mark).observe(document.body);
})();
