// What the tests ask of a page whose figures run in it. Loaded before the page's own scripts.
globalThis.lives = (function () {
  "use strict";
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  async function until(f, ms) {
    for (const end = Date.now() + ms; ; await sleep(10)) {
      const got = f();
      if (got || Date.now() > end) return got || null;
    }
  }
  // Pictures come as blobs, which the page's policy lets nobody fetch.
  const blobs = new Map(), create = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => { const url = create(blob); blobs.set(url, blob); return url; };
  globalThis.violations = [];
  document.addEventListener("securitypolicyviolation", (e) => violations.push(e.effectiveDirective + " " + e.blockedURI + " " + e.sample));

  const cells = () => Array.from(document.querySelectorAll("section[data-live]"), (e) => e.id);
  const root = (id) => document.querySelector("#" + CSS.escape(id) + " .expfam-live");
  const host = (id) => root(id).querySelector(".expfam-live-figure");
  const status = (id) => { const e = root(id).querySelector("[data-status]"); return e && e.dataset.status; };
  const input = (id, label) => Array.from(root(id).querySelectorAll("[data-control]")).find((e) => e.dataset.control === label);
  const error = (id) => Array.from(root(id).querySelectorAll(".expfam-live-error, .expfam-live-refused"), (e) => e.textContent).filter(Boolean).join("\n");

  // live scrolls to a cell, waits until its controls work and the figure is the program's own, and gives ms until then.
  async function live(id, ms) {
    const start = performance.now();
    root(id).scrollIntoView({ block: "start", behavior: "instant" });
    if (!(await until(() => status(id) === "live" && (host(id).querySelector("img") || {}).src?.startsWith("blob:"), ms))) {
      const told = root(id).querySelector(".expfam-live-loading");
      throw new Error(id + " is " + status(id) + ": " + (told ? told.textContent : error(id)));
    }
    return performance.now() - start;
  }
  // refused scrolls to a cell and waits for the sentence why it is not live.
  async function refused(id, ms) {
    root(id).scrollIntoView({ block: "start", behavior: "instant" });
    const told = () => (root(id).querySelector(".expfam-live-loading") || {}).textContent;
    return (await until(() => told()?.startsWith("not live") && told(), ms)) || told();
  }
  // beforehand is what stands above the figure of a cell, or the first of all, once its settings that were drawn
  // beforehand are there.
  async function beforehand(id, ms) {
    const at = id ? root(id) : document.querySelector(".expfam-live");
    await until(() => at.querySelector("[data-status=precomputed]"), ms);
    return at.querySelector(".expfam-live-controls").textContent;
  }
  // kept tells whether the program of the page is kept for a visit without a network.
  async function kept(ms) {
    const url = new URL(JSON.parse(document.getElementById("expfam-live").textContent).program, location.href);
    for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) {
      if ((await caches.match(url)) && (await caches.match(location.href))) return true;
    }
    return false;
  }
  const settled = (id) => status(id) === "live" && Number(host(id).dataset.seq) >= Number(host(id).dataset.asked);
  // figure is the picture's text when nothing is on its way any more.
  async function figure(id, ms) {
    if (!(await until(() => settled(id), ms))) throw new Error(id + " is " + status(id) + " after " + ms + " ms");
    await sleep(60);
    await until(() => settled(id), ms);
    const img = host(id).querySelector("img");
    const blob = img && blobs.get(img.src);
    return blob ? blob.text() : host(id).innerHTML;
  }
  function put(e, value, final) {
    if (e.type === "checkbox") e.checked = value; else e.value = value;
    e.dispatchEvent(new Event("input", { bubbles: true }));
    if (final) e.dispatchEvent(new Event("change", { bubbles: true }));
  }
  // set gives a control a value and brings the figure and what is refused.
  async function set(id, label, value, ms) {
    put(input(id, label), value, true);
    const text = await figure(id, ms);
    return { Figure: text, Error: error(id) };
  }
  // drag moves a slider through values and brings the figure at the end.
  async function drag(id, label, values, pause, ms) {
    const e = input(id, label);
    for (const v of values) { put(e, v, false); if (pause) await sleep(pause); }
    e.dispatchEvent(new Event("change", { bubbles: true }));
    return { Figure: await figure(id, ms), Error: error(id) };
  }
  const controls = (id) => Array.from(root(id).querySelectorAll("[data-control]"), (e) => ({
    Label: e.dataset.control, Kind: e.tagName === "SELECT" ? "choice" : e.type, Min: Number(e.min) || 0, Max: Number(e.max) || 0, Step: Number(e.step) || 0,
    Value: e.value, Options: e.options ? Array.from(e.options, (o) => o.value) : [] }));
  // latencies are ms from a movement of a slider to the frame with its figure, each after the figure has settled.
  async function latencies(id, label, values) {
    const e = input(id, label), times = [];
    for (const v of values) {
      await until(() => settled(id), 60000);
      await sleep(50);
      const test = e.cloneNode();
      test.value = v;
      if (test.value === e.value) continue;
      const before = host(id).dataset.seq, start = performance.now();
      const drawn = new Promise((done) => {
        const seen = new MutationObserver(() => { if (host(id).dataset.seq !== before) { seen.disconnect(); requestAnimationFrame(() => done(performance.now() - start)); } });
        seen.observe(host(id), { attributes: true });
      });
      put(e, v, true);
      times.push(await Promise.race([drawn, sleep(60000).then(() => 60000)]));
    }
    return times;
  }
  // readable is how many ms after the visit began the page was painted with its text.
  async function readable() {
    const paint = await until(() => performance.getEntriesByName("first-contentful-paint")[0], 10000);
    return paint ? paint.startTime : -1;
  }
  // size is how many bytes the live cells of the page fetch.
  async function size() {
    const config = JSON.parse(document.getElementById("expfam-live").textContent);
    let bytes = 0;
    for (const url of [config.program, config.worker, ...config.files.map((f) => f.url)]) {
      bytes += Number((await fetch(url, { method: "HEAD" })).headers.get("Content-Length"));
    }
    return bytes;
  }
  // first is where the first figure of a page begins and ends, in px from the top of the page.
  function first() {
    const pictures = Array.from(document.querySelectorAll("main :is(img, canvas, svg)"), (e) => e.getBoundingClientRect());
    const r = pictures.find((r) => r.width > 150);
    return r ? [r.top + scrollY, r.bottom + scrollY] : [1e6, 1e6];
  }
  // type enters a number beside a slider, as a person does.
  async function type(id, label, text, ms) {
    const e = Array.from(root(id).querySelectorAll(".expfam-live-number")).find((e) => e.ariaLabel === label + ", as a number");
    put(e, text, true);
    return { Figure: await figure(id, ms), Error: error(id) };
  }
  const problems = () => violations.map((v) => "the policy refuses " + v);
  // wide lists the titles of charts that were laid out for a wider box than they have.
  const wide = () => Array.from(document.querySelectorAll("[_echarts_instance_]"), (box) => {
    const title = globalThis.echarts.getInstanceByDom(box).getOption().title[0];
    return box.clientWidth && title.textStyle.width > box.clientWidth ? title.text : "";
  }).filter(Boolean);
  return { cells, live, refused, beforehand, kept, figure, set, drag, controls, latencies, readable, size, first, wide, type, status, error, problems };
})();
