// What the tests ask of JupyterLab, whose application object is jupyterapp.
globalThis.lab = (function () {
  "use strict";
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  // panel is the notebook that a person sees, or the first.
  const panel = () => {
    const all = Array.from(jupyterapp.shell.widgets("main")).filter((w) => w.context && w.content.widgets);
    return all.find((w) => w.isVisible) || all[0];
  };
  const notebook = () => panel().content;
  // until calls f until it gives something, for at most the time; then it gives null.
  async function until(f, ms) {
    for (const end = Date.now() + ms; ; await sleep(50)) {
      const got = f();
      if (got || Date.now() > end) return got || null;
    }
  }

  async function ready(name) {
    await until(() => globalThis.jupyterapp, 60000);
    await jupyterapp.restored;
    const there = await until(() => panel() && panel().context.path.endsWith(name) && panel().context.isReady, 60000);
    if (!there) throw new Error(name + " does not open");
    await panel().revealed;
    await panel().sessionContext.ready;
    const kernel = await until(() => panel().sessionContext.session && panel().sessionContext.session.kernel, 30000);
    if (!kernel) throw new Error("no kernel starts");
    await kernel.info;
    jupyterapp.shell.activateById(panel().id);
  }

  async function runAll() {
    let over = false;
    jupyterapp.commands.execute("notebook:run-all-cells").finally(() => { over = true; });
    // A panel ends when another cell waits for the kernel; the last one waits for its button.
    for (let since = {}; !over; await sleep(200)) {
      for (const i of panels()) {
        if (statusOf(i) !== "live") { delete since[i]; continue; }
        since[i] = since[i] || Date.now();
        if (Date.now() - since[i] < 3000) continue;
        press(i);
        delete since[i];
      }
    }
    const problems = [];
    notebook().widgets.forEach((cell, i) => {
      if (cell.model.type !== "code" || !cell.model.sharedModel.source.trim()) return;
      if (cell.model.executionCount == null) problems.push("cell " + (i + 1) + " did not run");
      for (const out of outputs(cell)) {
        if (out.output_type === "error") problems.push("cell " + (i + 1) + ": " + out.ename + ": " + out.evalue);
      }
    });
    return problems;
  }

  function outputs(cell) {
    const list = [], model = cell.model.outputs;
    for (let i = 0; model && i < model.length; i++) list.push(model.get(i).toJSON());
    return list;
  }

  const text = (v) => (Array.isArray(v) ? v.join("") : v || "");
  const html = (cell) => outputs(cell).map((o) => text(o.data && o.data["text/html"])).join("\n");

  // painted tells whether a canvas has more than one colour.
  function painted(canvas) {
    if (!canvas.width || !canvas.clientWidth) return false;
    const d = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return d.some((v) => v !== d[0]);
  }

  // unnamed are the title and axis names that a chart has but doesn't draw, not even their beginning.
  function unnamed(box) {
    const chart = echarts.getInstanceByDom(box), o = chart.getOption();
    const drawn = chart.getZr().storage.getDisplayList().map((d) => (d.style && d.style.text) || "");
    const names = [o.title, o.xAxis, o.yAxis].flatMap((list) => (list || []).map((e) => e.text || e.name || ""));
    return names.filter((n) => n && !drawn.some((s) => s && n.startsWith(s.slice(0, 4).trim())));
  }

  // show scrolls to a cell until it satisfies, for at most the time. JupyterLab draws what is in the window only, and guesses
  // the heights of what it has not drawn: where it is sent may be elsewhere. Then the whole notebook is scrolled past, as a
  // person would, which draws every cell once.
  async function show(i, satisfied, ms) {
    const box = notebook().node.querySelector(".jp-WindowedPanel-outer") || notebook().node;
    for (const end = Date.now() + ms; ;) {
      await Promise.race([notebook().scrollToItem(i, "start"), sleep(1000)]);
      if (await until(satisfied, 1000)) return true;
      if (Date.now() > end) return false;
      for (box.scrollTop = 0; !satisfied() && box.scrollTop + box.clientHeight < box.scrollHeight - 2; await sleep(100)) {
        box.scrollTop += box.clientHeight / 2;
      }
      if (await until(satisfied, 1000)) return true;
    }
  }

  // figures scrolls to every cell that holds figures and counts what it shows; form is live or static.
  async function figures(form) {
    const seen = { Trusted: true, Cells: 0, Figures: 0, Tables: 0, Problems: [] };
    const widgets = notebook().widgets;
    for (let i = 0; i < widgets.length; i++) {
      const cell = widgets[i];
      if (cell.model.type !== "code") continue;
      const charts = html(cell).split('data-uses="echarts"').length - 1, tables = html(cell).split("<table").length - 1;
      if (!charts && !tables) continue;
      seen.Trusted = seen.Trusted && cell.model.trusted;
      seen.Cells++;
      seen.Figures += charts;
      seen.Tables += tables;
      const count = () => {
        const all = (s) => Array.from(cell.node.querySelectorAll(s));
        return {
          canvases: all("canvas").filter(painted).length,
          images: all('img[src^="data:image/svg+xml"]').filter((e) => e.naturalWidth && e.clientWidth).length,
          tables: all(".jp-OutputArea table").filter((e) => e.clientWidth).length,
        };
      };
      const want = (c) => (form === "live" ? c.canvases : c.images) >= charts && c.tables >= tables; // viz.Panels is several
      if (!(await show(i, () => want(count()), 30000)))
        seen.Problems.push("cell " + (i + 1) + " shows " + JSON.stringify(count()) + " of " + charts + " figures and " + tables + " tables");
      for (const box of form === "live" ? cell.node.querySelectorAll("[_echarts_instance_]") : []) {
        for (const name of unnamed(box)) seen.Problems.push("cell " + (i + 1) + " does not draw the name " + name);
      }
    }
    return seen;
  }

  async function save() {
    await panel().context.save();
    if (panel().context.model.dirty) throw new Error("not saved");
  }

  async function theme(name) {
    await jupyterapp.commands.execute("apputils:change-theme", { theme: name });
    await until(() => document.body.dataset.jpThemeName === name, 10000);
    await sleep(500);
  }

  // scrollTo shows the i-th screen of the notebook and tells whether there is another.
  async function scrollTo(i) {
    const box = notebook().node.querySelector(".jp-WindowedPanel-outer") || notebook().node;
    const step = box.clientHeight - 60;
    for (const end = Date.now() + 3000; Date.now() < end && Math.abs(box.scrollTop - i * step) > 2; await sleep(50)) {
      box.scrollTop = i * step;
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 2) break;
    }
    await sleep(700);
    return box.scrollTop + box.clientHeight < box.scrollHeight - 2;
  }

  // showsText looks for a text in whatever each output is made of: the chart's options, the picture's words or the page.
  async function showsText(want) {
    const problems = [];
    const widgets = notebook().widgets;
    for (let i = 0; i < widgets.length; i++) {
      const area = widgets[i].outputArea;
      if (!area || !outputs(widgets[i]).length) continue;
      const found = () => {
        const charts = Array.from(area.node.querySelectorAll("[_echarts_instance_]")).map((e) => {
          const o = echarts.getInstanceByDom(e).getOption();
          return JSON.stringify([o.title, o.legend, o.series.map((s) => s.name), o.xAxis, o.yAxis]);
        });
        const images = Array.from(area.node.querySelectorAll('img[src^="data:image/svg+xml"]')).map((e) => {
          const svg = new DOMParser().parseFromString(new TextDecoder().decode(Uint8Array.from(atob(e.src.split(",")[1]), (c) => c.charCodeAt(0))), "text/xml");
          return svg.documentElement.textContent;
        });
        return [area.node.textContent].concat(charts, images).some((s) => s.includes(want) || s.includes(JSON.stringify(want).slice(1, -1)));
      };
      if (!(await show(i, found, 20000))) problems.push("the output of cell " + (i + 1) + " has not the text " + want);
    }
    return problems;
  }

  // panels are the cells that show one, by index.
  const panels = () => notebook().widgets.flatMap((cell, i) => (html(cell).includes('class="expfam-live') ? [i] : []));
  const panelRoot = (i) => Array.from(notebook().widgets[i].node.querySelectorAll(".expfam-live")).pop();
  const statusOf = (i) => { const e = panelRoot(i) && panelRoot(i).querySelector("[data-status]"); return e && e.dataset.status; };
  const sliders = (i) => Array.from(panelRoot(i).querySelectorAll('input[type="range"][data-control]'));

  // live runs the cell of a panel and waits until the panel reacts; it gives the labels of its sliders.
  async function live(i) {
    const old = panelRoot(i);
    notebook().activeCellIndex = i;
    notebook().deselectAll();
    await notebook().scrollToItem(i, "start");
    jupyterapp.commands.execute("notebook:run-cell"); // ends with the panel
    if (!(await until(() => panelRoot(i) && panelRoot(i) !== old && statusOf(i) === "live", 240000))) throw new Error("the panel of cell " + (i + 1) + " is " + statusOf(i));
    await until(() => sliders(i).length, 1000);
    return sliders(i).map((e) => e.dataset.control);
  }
  const slider = (i, label) => sliders(i).find((e) => e.dataset.control === label);
  function put(e, value) {
    e.value = value;
    e.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // drag moves a slider through values and waits until the figure shows the text; it gives the text that it shows.
  async function drag(i, label, values, pause, want) {
    const e = slider(i, label), host = panelRoot(i).querySelector(".expfam-live-figure");
    for (const v of values) {
      put(e, v);
      if (pause) await sleep(pause);
    }
    e.dispatchEvent(new Event("change", { bubbles: true }));
    let shown = "";
    for (const end = Date.now() + 10000; Date.now() < end; await sleep(10)) {
      const img = host.querySelector("img");
      if (!img) continue;
      try { shown = await (await fetch(img.src)).text(); } catch { continue; }
      const found = /value is ([0-9.]+)/.exec(shown);
      shown = found ? found[1] : "";
      if (shown === want && statusOf(i) === "live") break;
    }
    return shown;
  }

  // latencies moves a slider n times, each after the figure has settled, and gives ms from the event to the frame with
  // the new figure.
  async function latencies(i, label, n) {
    const e = slider(i, label), host = panelRoot(i).querySelector(".expfam-live-figure"), times = [];
    const min = Number(e.min), width = Number(e.max) - min;
    await notebook().scrollToItem(i, "start");
    for (let k = 0; k < n; k++) {
      await until(() => statusOf(i) === "live", 20000);
      await sleep(100);
      const to = min + width * (0.3 + (0.4 * ((k * 7) % n)) / n), at = e.value;
      const test = e.cloneNode();
      test.value = to;
      if (test.value === at) continue; // a coarse slider is there already
      const before = host.dataset.seq, start = performance.now();
      const drawn = new Promise((done) => {
        const seen = new MutationObserver(() => { if (host.dataset.seq !== before) { seen.disconnect(); requestAnimationFrame(() => done(performance.now() - start)); } });
        seen.observe(host, { attributes: true });
      });
      put(e, to);
      e.dispatchEvent(new Event("change", { bubbles: true }));
      times.push(await Promise.race([drawn, sleep(20000).then(() => 20000)]));
    }
    return times;
  }

  // write puts a text into a control of a panel and waits until its figure is dimmed, or is not; it gives the errors that stand there.
  async function write(i, label, value, stale) {
    const root = panelRoot(i), e = root.querySelector('input[data-control="' + label + '"]');
    put(e, value);
    e.dispatchEvent(new Event("change", { bubbles: true }));
    const dimmed = () => root.querySelector(".expfam-live-figure").classList.contains("expfam-live-stale");
    if (!(await until(() => dimmed() === stale && statusOf(i) === "live", 20000))) throw new Error("the figure is " + (stale ? "not " : "") + "dimmed");
    await sleep(500);
    return Array.from(root.querySelectorAll(".expfam-live-refused, .expfam-live-error")).map((n) => n.textContent).join("");
  }

  const host = (i) => panelRoot(i).querySelector(".expfam-live-figure");
  const maskOf = (i) => panelRoot(i).querySelector(".expfam-live-mask canvas");

  // mask scrolls the mask of a panel into the window and gives its place there.
  async function mask(i) {
    maskOf(i).scrollIntoView({ block: "center" });
    await sleep(500);
    const r = maskOf(i).getBoundingClientRect();
    return { Left: r.left, Top: r.top, Width: r.width, Height: r.height };
  }
  // cellsPainted gives the number of cells of a mask that are painted, from its text "N of M cells".
  const cellsPainted = (i) => parseInt(Array.from(panelRoot(i).querySelectorAll("output")).map((e) => e.textContent).find((t) => / of \d+ cells/.test(t)), 10);

  // watch keeps each figure of a panel from now on, with its time and what is written in it; seen gives them.
  const watches = new Map();
  function watch(i) {
    const w = { start: performance.now(), figures: [] };
    w.observer = new MutationObserver(() => {
      const node = host(i).firstElementChild;
      const text = !node ? "" : node.svg ? new DOMParser().parseFromString(node.svg, "text/xml").documentElement.textContent : node.textContent;
      w.figures.push({ MS: performance.now() - w.start, Text: text.replace(/\s+/g, " ").trim() });
    });
    w.observer.observe(host(i), { childList: true });
    watches.set(i, w);
  }
  const now = (i) => performance.now() - watches.get(i).start;
  const watched = (i) => watches.get(i).figures.length;
  function seen(i) {
    watches.get(i).observer.disconnect();
    return watches.get(i).figures;
  }
  // settled waits until the figure of a panel is that of its values and has not changed for three seconds.
  async function settled(i) {
    let node = null, since = Date.now();
    const rest = () => {
      if (host(i).firstElementChild !== node || statusOf(i) !== "live") [node, since] = [host(i).firstElementChild, Date.now()];
      return Date.now() - since > 3000;
    };
    if (!(await until(rest, 100000))) throw new Error("the figure of cell " + (i + 1) + " does not settle");
  }

  function press(i) {
    const button = Array.from(panelRoot(i).querySelectorAll("button")).find((b) => b.textContent === "Done" && !b.disabled);
    if (button) button.click();
  }
  // done presses the panel's button and waits for the kernel.
  async function done(i) {
    press(i);
    const idle = await until(() => panel().sessionContext.session.kernel.status === "idle", 20000);
    if (!idle) throw new Error("the cell of the panel does not end");
  }

  // type puts a cell at the end of the notebook, runs it and gives what the page then has of it.
  async function type(source) {
    const nb = notebook(), cell = nb.widgets[nb.widgets.length - 1];
    nb.activeCellIndex = nb.widgets.length - 1;
    nb.deselectAll();
    cell.model.sharedModel.setSource(source);
    await jupyterapp.commands.execute("notebook:run-cell-and-insert-below");
    await until(() => panel().sessionContext.session.kernel.status === "idle", 60000);
    const plain = (t) => t.replace(/\x1b\[[0-9;]*m/g, "");
    let shown = "", failed = "";
    for (const o of outputs(cell)) {
      if (o.output_type === "stream") shown += plain(text(o.text));
      else if (o.output_type === "error") failed += plain(o.traceback.join("\n"));
      else if (text(o.data["text/html"]).includes("<details")) continue; // Go's trace
      else shown += text(o.data["text/plain"]) + (o.output_type === "execute_result" ? "\n" : "");
    }
    return { Shown: shown, Failed: failed, Times: cell.node.dataset.expfamTimes || "" };
  }

  // begin runs a cell at the end, and does not wait for it. shownBy tells what a cell has written, by its source.
  function begin(source) {
    const nb = notebook(), cell = nb.widgets[nb.widgets.length - 1];
    nb.activeCellIndex = nb.widgets.length - 1;
    nb.deselectAll();
    cell.model.sharedModel.setSource(source);
    jupyterapp.commands.execute("notebook:run-cell-and-insert-below");
  }
  async function shownBy(source, wanted) {
    const cell = notebook().widgets.find((w) => w.model.sharedModel.getSource() === source);
    const all = () => outputs(cell).map((o) => text(o.text)).join("");
    await until(() => all().includes(wanted), 30000);
    return all();
  }

  // folds tells whether some output has a line that opens.
  const folds = () => Array.from(notebook().node.querySelectorAll(".jp-OutputArea details")).length > 0;

  // during types a cell at the end, gathers what stands below and in it until they have had all texts, and interrupts it then.
  async function during(source, wanted, stop) {
    const nb = notebook(), cell = nb.widgets[nb.widgets.length - 1];
    nb.activeCellIndex = nb.widgets.length - 1;
    nb.deselectAll();
    cell.model.sharedModel.setSource(source);
    const run = jupyterapp.commands.execute("notebook:run-cell-and-insert-below"), said = new Set();
    const look = () => {
      said.add(cell.node.dataset.expfamTimes || "");
      for (const o of outputs(cell)) said.add(text(o.text) + text(o.data && o.data["text/plain"]));
      return wanted.every((w) => Array.from(said).some((t) => t.includes(w)));
    };
    await until(look, 200000);
    if (stop) await panel().sessionContext.session.kernel.interrupt();
    await run;
    await until(() => panel().sessionContext.session.kernel.status === "idle", 60000);
    look();
    return Array.from(said);
  }

  // launcher opens one and waits for a card; press clicks it.
  const card = (label) => Array.from(document.querySelectorAll(".jp-LauncherCard")).find((e) => e.textContent.includes(label));
  async function launcher(label) {
    await jupyterapp.commands.execute("launcher:create");
    const there = await until(() => card(label), 20000);
    if (there) there.scrollIntoView({ block: "center" });
    await sleep(1000);
    return Boolean(there);
  }
  const pressCard = (label) => card(label).click();

  // restart waits for an answer of the new kernel. Its status is no sign: from 4.6 on JupyterLab leaves out what a kernel says while it
  // answers such requests (untracked_message_types of jupyter_server), and calls its status unknown until a cell has run.
  async function restart() {
    await panel().sessionContext.session.kernel.restart();
    await panel().sessionContext.session.kernel.requestKernelInfo();
  }

  // cards are the pictures of figures on a white ground.
  const cards = () => Array.from(notebook().node.querySelectorAll('.mathjax_ignore img[src^="data:image/svg+xml;base64,"]'))
    .filter((e) => /fill:#ffffff/i.test(atob(e.src.split(",")[1]).slice(0, 2000))).length;

  // variables opens the panel with the variables of the notebook, and reads its rows, each joined.
  async function variables() {
    const side = Array.from(jupyterapp.shell.widgets("right")).find((w) => w.id === "expfam-variables");
    jupyterapp.shell.activateById(side.id);
    await until(() => side.node.querySelectorAll("tr").length > 1, 20000);
    const rows = Array.from(side.node.querySelectorAll("tr"), (r) => Array.from(r.cells, (c) => c.textContent));
    return rows[0].slice(0, 1).concat(rows.slice(1).map((r) => r.join("|")));
  }

  const broken = () => Boolean(globalThis.broken);

  return { type, begin, shownBy, folds, cards, during, launcher, press: pressCard, restart, variables, panels, live, drag, latencies, write, done, mask, cellsPainted, watch, now, watched, seen, settled, showsText, broken, ready, runAll, figures, save, theme, scrollTo };
})();
