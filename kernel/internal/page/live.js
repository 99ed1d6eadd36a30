// Makes the panels of live cells live: fetches the program behind them when the first comes into view, runs it in a worker for each
// panel, and connects the controls with it. Without it the page shows settings drawn beforehand.
(() => {
  "use strict";
  // own is a block of the page itself. Content stands deeper, and has other ids.
  const own = id => document.querySelector("body > script#" + CSS.escape(id));
  const block = own("expfam-live");
  if (!block) return;
  const config = JSON.parse(block.textContent), { Panel, beat, make, tick } = globalThis.expfamControls, clean = globalThis.expfamClean;
  const sections = document.querySelectorAll("main > section[data-live]"); // of several panels of a cell the program shows the first
  const whole = root => root.querySelector(".expfam-live-controls") && root.querySelector(".expfam-live-figure");
  const roots = Array.from(sections, section => Array.from(section.querySelectorAll(".expfam-live")).find(whole)).filter(Boolean);
  const refused = why => "not live: " + why + "; what you see was drawn beforehand";
  const lacks = ["WebAssembly", "Worker", "DecompressionStream", "IntersectionObserver"].find(name => !globalThis[name]);
  if (lacks) {
    for (const root of roots) root.querySelector(".expfam-live-controls").after(make("div", "loading", refused("this browser has no " + lacks)));
    return;
  }
  const megabytes = n => (n / 1e6).toFixed(1) + " MB";
  const inside = id => Uint8Array.from(atob(own(id).textContent), c => c.charCodeAt(0));

  // get is the content of an address, with a word to told for every piece that comes.
  async function get(url, told) {
    const answer = await fetch(url).catch(e => {
      if (location.protocol !== "file:") throw e;
      throw new Error("a page from a disk reads no files beside it, and a server of files would, as `python3 -m http.server`");
    });
    if (!answer.ok) throw new Error(url + ": " + answer.status + " " + answer.statusText);
    let got = 0;
    return answer.body.pipeThrough(new TransformStream({
      transform(piece, out) { told(got += piece.length); out.enqueue(piece); },
    }));
  }
  // unpacked is a stream of what a compressed one holds. A server may have unpacked it already.
  async function unpacked(stream) {
    const reader = stream.getReader(), first = await reader.read();
    const all = new ReadableStream({
      start(out) { if (first.value) out.enqueue(first.value); },
      async pull(out) { const { value, done } = await reader.read(); if (done) out.close(); else out.enqueue(value); },
    });
    return first.value && first.value[0] === 0x1f && first.value[1] === 0x8b ? all.pipeThrough(new DecompressionStream("gzip")) : all;
  }
  // load brings the program and its files once for the page.
  let loading = null, progress = 0;
  const load = () => loading ||= (async () => {
    const stream = config.program ? await get(config.program, n => { progress = n; }) : new Blob([inside("expfam-live-program")]).stream();
    const code = new Response(await unpacked(stream), { headers: { "Content-Type": "application/wasm" } });
    const files = config.files.map(async f => {
      const packed = f.url ? await get(f.url, () => {}) : new Blob([inside("expfam-live-file:" + f.path)]).stream();
      return [f.path, new Uint8Array(await new Response(await unpacked(packed)).arrayBuffer())];
    });
    const worker = URL.createObjectURL(new Blob([await script()], { type: "text/javascript" }));
    return { module: await WebAssembly.compileStreaming(code), files: await Promise.all(files), worker };
  })();
  // A worker that the page makes has the policy of the page; one from an address of its own would have none.
  const script = async () => config.worker ? new Response(await get(config.worker, () => {})).arrayBuffer() : inside("expfam-live-worker");

  // Program is the program of one cell in its worker, as the link of its panel. There is one message on the way at a time, and only the
  // newest waits: what the program would draw for older ones nobody would see.
  class Program {
    constructor(root, cell) {
      Object.assign(this, { root, cell, panels: new Map(), cells: new Map(), opened: 0, done: false, idle: Infinity });
      this.status = make("div", "loading");
      this.status.setAttribute("role", "status");
      this.start();
    }
    async start() {
      const told = setInterval(() => {
        this.say(progress < config.size ? `loading the program of this figure: ${megabytes(progress)} of ${megabytes(config.size)}` : "starting the program of this figure");
      }, 100);
      this.root.querySelector(".expfam-live-controls").after(this.status);
      try {
        const { module, files, worker } = await load();
        this.worker = new Worker(worker, { name: this.cell });
        this.worker.onmessage = ({ data }) => this.received(data);
        this.worker.onerror = e => this.failed(e.message || "the program does not start");
        this.worker.postMessage({ module, files, cell: this.cell });
        this.ready = () => clearInterval(told);
      } catch (e) {
        clearInterval(told);
        loading = null;
        this.say(refused(e.message || e));
        this.status.append(" ", this.again());
        console.warn(e);
      }
    }
    say(text) { if (!this.over) this.status.textContent = text; }
    received({ show, state, figure, exit }) {
      if (show !== undefined && !this.panel) return this.meet(show);
      if (exit !== undefined) return this.failed(exit);
      if (state === undefined || !this.panel) return;
      this.waits = false;
      this.panel.receive({ state, figure });
      if (this.next !== undefined) { const next = this.next; this.next = undefined; this.message(this.panel.id, next); }
    }
    // meet puts live controls in the place of those for settings drawn beforehand, at the setting of these.
    meet(html) {
      const page = new DOMParser().parseFromString(html, "text/html").querySelector('script[data-program="panel"]');
      const data = JSON.parse(page.textContent);
      const moved = Array.from(this.root.querySelectorAll(".expfam-live-controls input[data-at]"))
        .filter(e => e.value !== e.dataset.at).map(e => [e.dataset.control, Number(e.dataset.value)]);
      this.ready();
      this.status.remove();
      this.over = true;
      this.root.dataset.taken = "1";
      this.panel = new Panel(this, data.panel);
      this.panel.attach(this.root, data, null);
      const note = config.notes && config.notes[this.cell];
      if (note) this.root.querySelector(".expfam-live-foot").prepend(make("span", "note", note));
      for (const [label, value] of moved) {
        const i = data.specs.findIndex(s => s.label === label);
        if (i >= 0) { this.panel.controls[i].put(value); this.panel.moved(i, value, true); }
      }
    }
    message(_, text) {
      if (this.waits || !this.worker) { this.next = text; return; }
      this.waits = true;
      this.worker.postMessage({ values: text });
    }
    failed(text) {
      this.ready && this.ready();
      if (this.worker) this.worker.terminate();
      this.worker = null;
      if (this.panel) {
        this.panel.ended();
        this.panel.error.textContent = text;
      } else {
        this.say(refused(text));
      }
    }
    again() {
      const b = make("button", "button", "▶ live");
      b.title = "Start the program of this figure anew";
      b.onclick = () => { b.remove(); this.status.remove(); new Program(this.root, this.cell); };
      return b;
    }
    open() {}
    waiting() { return false; }
    patience() { return Infinity; }
    fill(node, figure) { node.append(clean(figure)); }
    run(node) { globalThis.expfamFigures(node); }
  }

  setInterval(beat, tick);
  const saving = navigator.connection && navigator.connection.saveData;
  const watch = new IntersectionObserver(all => {
    for (const { isIntersecting, target } of all) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      const cell = target.closest("section").id.slice("cell-".length);
      if (!saving) { new Program(target, cell); continue; }
      const b = make("button", "button", `▶ live (${megabytes(config.size)})`);
      b.onclick = () => { b.remove(); new Program(target, cell); };
      target.querySelector(".expfam-live-controls").after(b);
    }
  }, { rootMargin: "200px" });
  for (const root of roots) watch.observe(root);
})();
