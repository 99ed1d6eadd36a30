// What the tests ask of an exported page.
globalThis.exported = (function () {
  "use strict";
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  async function until(f, ms) {
    for (const end = Date.now() + ms; ; await sleep(20)) {
      const got = f();
      if (got || Date.now() > end) return got || null;
    }
  }
  const all = (s, e) => Array.from((e || document).querySelectorAll(s));

  const move = (input, i) => { input.value = i; input.dispatchEvent(new Event("input", { bubbles: true })); };

  // made waits until all figures have run their programs.
  async function made(ms) {
    await until(() => document.readyState === "complete", ms);
    await until(() => all("script[data-program]").every((e) => e.dataset.ran), ms);
  }

  // provoke does what a reader might: points at everything, clicks, focuses and moves it. It tells whether an injection ran.
  async function provoke() {
    await made(5000);
    if (document.querySelector(".expfam-live")) await until(() => document.querySelector("input[type=range]"), 1000);
    for (const e of all("body, body *")) {
      for (const name of ["pointerover", "mouseover", "mouseenter", "mousemove", "focus", "toggle", "click"]) {
        if (name === "click" && e.href && !/^javascript:/i.test(String(e.href))) continue; // stay here
        e.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
      }
      if (e.focus) e.focus();
      if (e.type === "range") move(e, e.max);
    }
    return Boolean(await until(() => globalThis.broken, 300));
  }

  // painted tells whether a canvas has more than one colour.
  function painted(canvas) {
    if (!canvas.width || !canvas.clientWidth) return false;
    const d = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return d.some((v) => v !== d[0]);
  }
  const shown = (img) => img.complete && img.naturalWidth > 0 && img.clientWidth > 0;
  // figures looks at every figure and moves every slider.
  async function figures() {
    const seen = { Charts: 0, Maps: 0, Sliders: 0, Tables: 0, Images: 0, Problems: [] };
    const bad = (e, what) => seen.Problems.push(((e.closest("section") || {}).id || "?") + ": " + what);
    await made(30000);
    for (const root of all('[data-uses="echarts"]')) {
      seen.Charts++;
      const live = await until(() => root.dataset.live === "echarts" && all("canvas", root).length && all("canvas", root).every(painted), 10000);
      if (!live) bad(root, "a chart is " + root.dataset.live);
    }
    for (const root of all('[data-live="maps"]')) {
      seen.Maps++;
      if (!(await until(() => all("img", root).every(shown), 10000))) bad(root, "a map is no picture");
    }
    for (const panel of all(".expfam-live")) {
      if (!all("script", panel).some((e) => e.textContent.includes('"frames":{'))) continue; // no slider was drawn beforehand
      const host = panel.querySelector(".expfam-live-figure"), input = await until(() => panel.querySelector("input[type=range]"), 10000);
      if (!input) { bad(panel, "no slider"); continue; }
      seen.Sliders++;
      const at = input.value, frames = new Set();
      for (let i = 0; i <= Number(input.max); i++) {
        move(input, i);
        const img = await until(() => host.querySelector("img, svg"), 2000);
        if (i !== Number(at) && !(await until(() => all("img", host).every(shown), 5000))) bad(panel, "setting " + i + " shows nothing");
        frames.add(img && (img.src || i));
      }
      if (frames.size !== Number(input.max) + 1) bad(panel, frames.size + " pictures of " + (Number(input.max) + 1) + " settings");
      move(input, at);
    }
    for (const input of all('[data-live="maps"] input[data-control]')) {
      seen.Sliders++;
      const root = input.closest('[data-live="maps"]'), values = new Set();
      for (const i of [0, Number(input.max)]) {
        move(input, i);
        values.add(all("svg image", root).map((e) => e.getAttribute("href")).concat(all("svg path", root).map((e) => e.getAttribute("style"))).join());
      }
      if (values.size !== 2) bad(root, "the slider changes nothing");
    }
    for (const t of all(".output.html table")) { seen.Tables++; if (!t.clientWidth) bad(t, "a table is not shown"); }
    for (const img of all("img")) {
      if (img.style.display === "none") continue; // a chart stands in its place
      seen.Images++;
      if (!(await until(() => shown(img), 5000))) bad(img, "an image is not shown");
    }
    for (const e of all(".cell.markdown")) if (e.scrollHeight > e.clientHeight) bad(e, "text scrolls in its cell");
    for (const v of globalThis.violations || []) seen.Problems.push("the policy refuses " + v);
    return seen;
  }
  return { provoke, figures };
})();
