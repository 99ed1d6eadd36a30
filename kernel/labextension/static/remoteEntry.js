// The front end of viz/live: it gives a panel its controls and connects them to
// the program behind it. A prebuilt extension of JupyterLab 4, written by hand:
// the container of a federated module and nothing to build. Messages go over the
// notebook's own connection to its kernel, so that whatever brings JupyterLab
// to a browser (https, a hub, a prefix) brings them too.
"use strict";
(() => {
  // The times of the protocol, in ms. viz/live/session.go is the other side.
  const tick = 50, hello = 250, resend = 120, behind = 300, idle = 600, still = 1500, lost = 15000;

  const uuid = () => Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join("");
  const make = (tag, name, text) => {
    const e = document.createElement(tag);
    if (name) e.className = "expfam-live-" + name;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const brief = v => String(Number(v.toPrecision(4))).replace("-", "−");
  const tidy = v => Number(v.toPrecision(12));

  // Link is one connection to a kernel: GoNB has a single channel for
  // messages, which the newest comm_open gets.
  class Link {
    constructor(kernel) {
      this.kernel = kernel;
      this.comm = "";
      this.opened = 0;
      this.requests = new Set(); // executions that were asked for and are not over
      this.cells = new Map(); // panel to the execution that shows it
      this.panels = new Map();
      this.sources = new Map(); // execution to the id of its cell
      kernel.anyMessage.connect((_, m) => m.direction === "send" ? this.sent(m.msg) : this.received(m.msg));
      kernel.statusChanged.connect((_, status) => {
        if (/restarting|dead|terminating/.test(status)) {
          this.requests.clear();
          for (const cell of this.sources.values()) {
            working.delete(cell);
            timed(cell, null);
          }
          this.sources.clear();
          for (const p of this.panels.values()) p.ended();
        }
      });
    }
    sent(msg) {
      if (msg.header.msg_type !== "execute_request") return;
      this.requests.add(msg.header.msg_id);
      const cell = msg.metadata && msg.metadata.cellId;
      if (cell) {
        this.sources.set(msg.header.msg_id, cell);
        timed(cell, null);
        working.delete(cell);
      }
      for (const p of this.panels.values()) p.yield();
    }
    // waiting says whether another cell waits for the panel's.
    waiting(panel) {
      const own = this.cells.get(panel);
      for (const r of this.requests) if (r !== own) return true;
      return false;
    }
    received(msg) {
      const type = msg.header.msg_type, parent = msg.parent_header && msg.parent_header.msg_id, c = msg.content;
      if (type === "status" && c.expfam && this.sources.has(parent)) {
        working.set(this.sources.get(parent), { what: c.expfam, since: Date.now() });
      }
      if (type === "execute_reply" && this.sources.has(parent)) {
        working.delete(this.sources.get(parent));
        timed(this.sources.get(parent), msg.metadata && msg.metadata.expfam);
        this.sources.delete(parent);
      }
      if (type === "execute_reply" || type === "status" && c.execution_state === "idle" && this.requests.has(parent)) {
        this.requests.delete(parent);
        for (const [id, p] of this.panels) if (this.cells.get(id) === parent) p.ended();
      } else if (type === "display_data" || type === "update_display_data") {
        const display = c.transient && c.transient.display_id || "", page = c.data["text/html"];
        if (display.startsWith("live-") && type === "display_data") {
          this.cells.set(display, parent);
          new Panel(this, display);
          // GoNB's own script would take the channel over, and this one back, and so on.
          this.kernel.registerMessageHook(parent, m => !foreign(m));
        } else if (display.startsWith("live-") && typeof page === "string") {
          const p = this.panels.get(display);
          if (p) p.replaced(c);
        } else if (type === "display_data" && foreign(msg) && (this.panels.size || [...this.cells.values()].includes(parent))) {
          this.open(); // GoNB waits for this
        }
      } else if (type === "comm_msg" && c.comm_id === this.comm) {
        if (c.data.address === "#heartbeat/ping") this.message("#heartbeat/pong", true);
        const p = this.panels.get(c.data.address);
        if (p) p.receive(c.data.value);
      }
    }
    open() {
      this.comm = uuid();
      this.opened = Date.now();
      this.send("comm_open", { comm_id: this.comm, target_name: "gonb_comm", kernel_id: this.kernel.id, data: {} });
    }
    message(address, value) {
      if (!this.comm) this.open();
      this.send("comm_msg", { comm_id: this.comm, data: { address, value } });
    }
    send(type, content) {
      const k = this.kernel;
      try {
        const future = k.sendShellMessage({
          header: { msg_id: uuid(), msg_type: type, session: k.clientId, username: k.username, date: new Date().toISOString(), version: "5.2" },
          parent_header: {}, metadata: {}, content, channel: "shell", buffers: [],
        });
        future.done.catch(() => {});
        future.dispose(); // GoNB answers neither with a reply nor with idle
      } catch { /* a dead kernel: its panels are told so */ }
    }
  }
  const foreign = msg => {
    const t = msg.content.transient;
    return !!t && String(t.display_id).startsWith("gonb_websocket_");
  };

  // Panel is one output whose program listens. It talks to the program from the
  // first display on; its element comes later where the cell is out of sight,
  // because JupyterLab only puts cells into the page that can be seen.
  class Panel {
    constructor(link, id) {
      Object.assign(this, { link, id });
      this.seq = this.ack = this.drawn = this.sentSeq = 0;
      this.version = this.painted = 1; // the program's first figure came with the output
      this.end = "";
      this.met = this.over = this.hover = false;
      this.unanswered = this.last = 0;
      this.since = this.heard = Date.now();
      link.panels.set(id, this);
      panels.add(this);
      this.yield();
      this.transmit();
    }
    attach(root, data, cell) {
      Object.assign(this, { root, data, cell });
      this.host = root.querySelector(".expfam-live-figure");
      this.host.dataset.seq = "0";
      // A figure is interactive under the pointer only: while controls move,
      // nothing should change its look and size.
      this.host.onpointerenter = this.host.onpointerleave = e => {
        this.hover = e.type === "pointerenter";
        if (this.hover && this.met && this.seq <= this.ack) this.transmit();
      };
      this.values = data.specs.map(s => s.value);
      this.pending = this.values.slice(); // with those that wait for the Run button
      this.build();
      if (this.met) this.current.forEach((v, i) => this.put(i, v));
      if (this.newest) this.paint(...this.newest);
    }

    // build makes the controls.
    build() {
      const box = this.root.querySelector(".expfam-live-controls"), rows = make("div", "rows");
      box.style.cssText = "";
      this.controls = this.data.specs.map((spec, i) => {
        const c = controls[spec.kind](spec, (v, final) => this.moved(i, v, final));
        c.refused = make("span", "refused");
        c.refused.setAttribute("role", "alert");
        if (spec.kind === "button") return c;
        const label = make("span", "label", spec.label), side = make("span", "value");
        side.append(c.value || "", c.refused);
        rows.append(label, c.node, side);
        return c;
      });
      const foot = make("div", "foot");
      this.run = make("button", "button", this.data.seconds > 0 ? `Run (≈${brief(this.data.seconds)} s)` : "Run");
      this.run.disabled = true;
      this.run.onclick = () => this.apply();
      if (this.data.specs.some(s => s.when === 2)) foot.append(this.run);
      for (const [i, c] of this.controls.entries()) if (this.data.specs[i].kind === "button") foot.append(c.node, c.refused);
      this.status = make("span", "status");
      this.done = make("button", "button", "Done");
      this.done.title = "Keep the figure as it is and free the kernel";
      this.done.onclick = () => { this.finish("done"); };
      foot.append(this.status, this.done);
      this.error = make("div", "error");
      this.error.setAttribute("role", "alert");
      box.replaceChildren(rows, foot, this.error);
      this.shown("connecting", "connecting…");
    }
    shown(state, text) {
      if (!this.root || this.status.dataset.status === state) return;
      this.status.dataset.status = state;
      this.status.textContent = text;
    }

    // moved takes a value from a control; final at the end of a movement.
    moved(i, v, final) {
      this.pending[i] = v;
      const when = this.data.specs[i].when;
      if (when === 2) { this.run.disabled = false; return; }
      if (when === 1 && !final) return;
      if (JSON.stringify(this.values[i]) === JSON.stringify(v)) return;
      this.values[i] = v;
      this.commit();
    }
    apply() {
      this.run.disabled = true;
      this.values = this.pending.slice();
      this.commit();
    }
    commit() {
      this.seq++;
      if (this.met && this.sentSeq <= this.ack) this.transmit();
    }
    finish(end) {
      if (this.over || this.end) return;
      this.end = end;
      if (this.root) this.done.disabled = true;
      if (this.last) this.transmit();
    }
    // yield ends a panel for which another cell waits.
    yield() { if (this.link.waiting(this.id)) this.finish("queued"); }

    transmit() {
      if (this.over) return;
      const now = Date.now();
      if (this.unanswered >= 2 && now - this.link.opened > 2 * hello) this.link.open();
      this.unanswered++;
      this.last = now;
      const news = this.met && this.seq > this.ack; // otherwise it is a sign of life
      if (news) this.sentSeq = this.seq;
      this.link.message(this.id, JSON.stringify({
        seq: news ? this.seq : 0, values: news ? this.values : null, version: this.version, hover: this.hover, end: this.end,
      }));
    }
    tick(now) {
      if (this.over) return;
      const wait = !this.met ? hello : this.seq > this.ack ? resend : this.drawn < this.ack || this.end ? behind : idle;
      if (now - this.last >= wait) this.transmit();
      if (now - this.heard > (this.link.kernel.status === "idle" ? still : lost)) return this.ended();
      if (!this.met) return;
      if (this.end) this.shown("finishing", "finishing…");
      else if (this.drawn < this.seq) { if (now - this.since > 150) this.shown("busy", "busy…"); }
      else { this.since = now; this.shown("live", "live"); }
    }

    receive(value) {
      if (this.over || !value || !value.state) return;
      const s = JSON.parse(value.state);
      this.heard = Date.now();
      this.unanswered = 0;
      this.current = s.values;
      if (!this.met) {
        this.met = true;
        this.since = this.heard;
        // Movements before the first answer count from where the program is.
        const moved = this.seq;
        this.seq = s.ack + moved;
        if (this.root && !moved) s.values.forEach((v, i) => this.put(i, v)); // after a reload
      }
      this.ack = Math.max(this.ack, s.ack);
      this.seq = Math.max(this.seq, this.ack);
      if (s.version > this.version && value.figure) {
        this.version = s.version;
        this.newest = [value.figure, s];
        if (this.root) this.paint(...this.newest);
      } else if (this.root && s.version === this.version && s.drawn > this.drawn && !this.decoding) {
        this.host.dataset.seq = s.drawn; // values that change nothing
      }
      if (this.root && s.drawn >= this.drawn) {
        this.error.textContent = s.error;
        this.controls.forEach((c, i) => { c.refused.textContent = s.refused && s.refused[i] || ""; });
        // The figure is still that of the last values that did.
        this.host.classList.toggle("expfam-live-stale", Boolean(s.error || s.refused && s.refused.some(Boolean)));
      }
      this.drawn = Math.max(this.drawn, s.drawn);
      if (s.over) return this.stop();
      if (this.seq > this.sentSeq && this.seq > this.ack) this.transmit();
    }
    put(i, v) {
      if (JSON.stringify(this.values[i]) === JSON.stringify(v)) return;
      this.values[i] = this.pending[i] = v;
      this.controls[i].put(v);
    }

    // paint shows a figure as soon as it is decoded, unless a newer one was faster.
    async paint(figure, s) {
      let node;
      if (s.rich) {
        node = make("div");
        node.innerHTML = figure; // as outputs of this cell are, by the same program
      } else {
        node = new Image();
        node.alt = "";
        node.style.cssText = "max-width:100%;display:block;border-radius:4px";
        node.src = URL.createObjectURL(new Blob([figure], { type: "image/svg+xml" }));
        this.decoding = true;
        try { await node.decode(); } catch { /* shown as far as it goes */ }
      }
      if (s.version < this.painted) return;
      this.painted = s.version;
      this.decoding = this.version > s.version;
      for (const old of this.host.children) if (old.src) URL.revokeObjectURL(old.src);
      this.host.replaceChildren(node);
      if (s.rich) for (const old of node.querySelectorAll("script")) {
        const script = document.createElement("script");
        script.textContent = old.textContent;
        old.replaceWith(script);
      }
      this.host.dataset.seq = s.drawn;
    }

    // replaced: the program has sent the panel's last output. A page that was
    // loaded since the cell began has to put it in place itself.
    replaced(content) {
      const known = this.link.cells.has(this.id);
      this.stop();
      if (known || !this.cell) return;
      const outputs = this.cell.model.outputs;
      for (let i = 0; i < outputs.length; i++) {
        const page = outputs.get(i).toJSON().data;
        if (page && String(page["text/html"]).includes(`data-panel="${this.id}"`)) {
          outputs.set(i, { output_type: "display_data", data: content.data, metadata: content.metadata });
        }
      }
    }
    // stop keeps silent: GoNB can't bear a message for a program that just ended.
    stop() {
      this.over = true;
      panels.delete(this);
      this.link.panels.delete(this.id);
    }
    // ended: nobody listens, and the output is what was there.
    ended() {
      if (this.over) return;
      this.stop();
      if (!this.root) return;
      this.shown("ended", "ended");
      for (const e of this.root.querySelectorAll(".expfam-live-controls :is(input,select,button)")) e.disabled = true;
      this.done.replaceWith(again(this.root));
    }
  }
  const panels = new Set();
  // What the kernel does for cells that are not over, and since when: compiling, then running.
  const working = new Map(), long = 1000;

  // The controls. Each gets what it shows and a function for its movements, and
  // gives its element, that of its value, and put, which sets it.
  const controls = {
    slider(s, moved) {
      const node = make("input", "slider"), value = make("output");
      const steps = s.step > 0 && !s.log ? 0 : 200;
      node.type = "range";
      [node.min, node.max, node.step] = s.log ? [0, steps, 1] : [s.min, s.max, s.step || (s.max - s.min) / steps];
      const read = () => s.log ? tidy(s.min * (s.max / s.min) ** (node.value / steps)) : Math.min(s.max, tidy(Number(node.value)));
      const show = v => { value.textContent = node.ariaValueText = brief(v); };
      node.oninput = () => { show(read()); moved(read(), false); };
      node.onchange = () => { show(read()); moved(read(), true); };
      const put = v => { node.value = s.log ? steps * Math.log(v / s.min) / Math.log(s.max / s.min) : v; show(v); };
      return named(s, { node, value, put });
    },
    range(s, moved) {
      const node = make("div", "range"), bar = make("div", "bar"), value = make("output");
      const ends = ["low", "high"].map((end, i) => {
        const e = make("input", "slider");
        e.type = "range";
        [e.min, e.max, e.step] = [s.min, s.max, s.step || (s.max - s.min) / 200];
        e.dataset.end = end;
        e.oninput = e.onchange = event => {
          // An end that meets the other one stops there.
          const o = ends[1 - i];
          if (i ? +e.value < +o.value : +e.value > +o.value) e.value = o.value;
          const v = ends.map(x => tidy(Number(x.value)));
          show(v);
          moved(v, event.type === "change");
        };
        return e;
      });
      const show = v => {
        value.textContent = brief(v[0]) + " to " + brief(v[1]);
        const at = x => 100 * (x - s.min) / (s.max - s.min);
        bar.style.left = at(v[0]) + "%";
        bar.style.right = 100 - at(v[1]) + "%";
        ends[0].style.zIndex = at(v[0]) > 50 ? 2 : 1;
      };
      const put = v => { ends.forEach((e, i) => { e.value = v[i]; }); show(v); };
      node.append(bar, ...ends);
      return named(s, { node, value, put }, ...ends);
    },
    choice(s, moved) {
      const node = make("select", "choice");
      for (const o of s.options) {
        const e = make("option", "", o);
        e.value = o;
        node.append(e);
      }
      node.onchange = () => moved(node.value, true);
      return named(s, { node, put: v => { node.value = v; } });
    },
    text(s, moved) {
      const node = make("input", "text");
      let timer;
      node.type = "text";
      node.spellcheck = false;
      node.autocomplete = "off";
      const tell = final => { clearTimeout(timer); moved(node.value, final); };
      node.oninput = () => { clearTimeout(timer); timer = setTimeout(tell, s.when === 2 ? 0 : 400, false); };
      node.onchange = () => tell(true);
      node.onkeydown = e => { if (e.key === "Enter") tell(true); }; // no change event comes of it here
      return named(s, { node, put: v => { node.value = v; } });
    },
    checkbox(s, moved) {
      const node = make("input", "checkbox");
      node.type = "checkbox";
      node.onchange = () => moved(node.checked, true);
      return named(s, { node, put: v => { node.checked = v; } });
    },
    button(s, moved) {
      const node = make("button", "button", s.seconds > 0 ? `${s.label} (≈${brief(s.seconds)} s)` : s.label);
      let pressed = 0;
      node.onclick = () => moved(++pressed, true);
      return named(s, { node, put: v => { pressed = v; } });
    },
    mask(s, moved) {
      const node = make("div", "mask"), canvas = make("canvas", "cells"), value = make("output");
      const size = Math.max(2, Math.min(24, Math.floor(380 / s.columns), Math.floor(300 / s.rows)));
      let cells = [], paint = null;
      canvas.width = s.columns * size;
      canvas.height = s.rows * size;
      const show = () => {
        const g = canvas.getContext("2d"), style = getComputedStyle(canvas), gap = size > 4 ? 1 : 0;
        g.clearRect(0, 0, canvas.width, canvas.height);
        cells.forEach((on, i) => {
          g.fillStyle = on ? style.accentColor : style.color;
          g.fillRect(i % s.columns * size, Math.floor(i / s.columns) * size, size - gap, size - gap);
        });
        value.textContent = cells.filter(Boolean).length + " of " + cells.length + " cells";
      };
      const bits = () => cells.map(on => on ? "1" : "0").join("");
      const all = on => { cells.fill(on); show(); moved(bits(), true); };
      let from;
      const at = e => {
        const r = canvas.getBoundingClientRect();
        return [Math.floor((e.clientX - r.left) / r.width * s.columns), Math.floor((e.clientY - r.top) / r.height * s.rows)];
      };
      // stroke paints all cells between two places of a fast pointer.
      const stroke = to => {
        const n = Math.max(1, Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
        for (let k = 0; k <= n; k++) {
          const x = Math.round(from[0] + (to[0] - from[0]) * k / n), y = Math.round(from[1] + (to[1] - from[1]) * k / n);
          if (x >= 0 && y >= 0 && x < s.columns && y < s.rows) cells[y * s.columns + x] = paint;
        }
        from = to;
        show();
      };
      canvas.onpointerdown = e => {
        e.preventDefault();
        canvas.setPointerCapture(e.pointerId);
        from = at(e);
        paint = !cells[from[1] * s.columns + from[0]];
        stroke(from);
        moved(bits(), false);
      };
      canvas.onpointermove = e => { if (paint !== null) { stroke(at(e)); moved(bits(), false); } };
      canvas.onpointerup = canvas.onpointercancel = () => { if (paint !== null) { paint = null; moved(bits(), true); } };
      const tools = make("div", "tools");
      for (const [text, on] of [["all", true], ["none", false]]) {
        const b = make("button", "button", text);
        b.onclick = () => all(on);
        tools.append(b);
      }
      node.append(canvas, tools);
      const put = v => { cells = Array.from(v, c => c === "1"); if (canvas.isConnected) show(); else requestAnimationFrame(show); };
      return named(s, { node, value, put }, canvas);
    },
  };
  // named marks a control's elements with its label and sets the first value.
  function named(s, c, ...inputs) {
    for (const e of inputs.length ? inputs : [c.node]) {
      e.dataset.control = s.label;
      e.setAttribute("aria-label", s.label);
    }
    c.put(s.value);
    return c;
  }

  const css = `
.expfam-live-rows { display: grid; grid-template-columns: max-content minmax(140px, 380px) 1fr; gap: 6px 14px; align-items: center; max-width: 800px; }
.expfam-live-controls { font: 13px/1.4 var(--jp-ui-font-family, sans-serif); color: var(--jp-ui-font-color1, #222); margin: 4px 0 8px; --expfam: var(--jp-brand-color1, #0072b2); }
.expfam-live-label { color: var(--jp-ui-font-color2, #555); max-width: 260px; overflow-wrap: anywhere; }
.expfam-live-value { font-variant-numeric: tabular-nums; min-width: 9ch; display: flex; gap: 10px; }
.expfam-live-controls input.expfam-live-slider { width: 100%; margin: 0; height: 20px; accent-color: var(--expfam); cursor: pointer; background: none; }
.expfam-live-controls :is(.expfam-live-text, .expfam-live-choice) { font: 13px/1.4 var(--jp-code-font-family, monospace); width: 100%; box-sizing: border-box; padding: 3px 6px;
  color: inherit; background: var(--jp-layout-color1, #fff); border: 1px solid var(--jp-border-color1, #bbb); border-radius: 3px; }
.expfam-live-controls option { color: var(--jp-ui-font-color1, #222); background: var(--jp-layout-color1, #fff); }
.expfam-live-controls :is(input, select, button):focus-visible { outline: 2px solid var(--expfam); outline-offset: 1px; }
.expfam-live-controls input.expfam-live-checkbox { justify-self: start; width: 16px; height: 16px; margin: 0; accent-color: var(--expfam); }
.expfam-live-range { position: relative; height: 20px; }
.expfam-live-range::before, .expfam-live-bar { content: ""; position: absolute; top: 8px; height: 4px; border-radius: 2px; left: 0; right: 0; background: var(--jp-border-color1, #bbb); }
.expfam-live-range .expfam-live-bar { background: var(--expfam); }
.expfam-live-range input.expfam-live-slider { position: absolute; left: 0; top: 0; pointer-events: none; appearance: none; -webkit-appearance: none; }
.expfam-live-range input::-webkit-slider-thumb { pointer-events: auto; appearance: none; -webkit-appearance: none; width: 16px; height: 16px; border-radius: 50%; border: 0; background: var(--expfam); }
.expfam-live-range input::-moz-range-thumb { pointer-events: auto; width: 16px; height: 16px; border-radius: 50%; border: 0; background: var(--expfam); }
.expfam-live-mask { display: flex; gap: 10px; align-items: flex-end; }
.expfam-live-cells { touch-action: none; cursor: crosshair; max-width: 100%; color: var(--jp-border-color2, #ddd); accent-color: var(--expfam); }
.expfam-live-tools { display: flex; flex-direction: column; gap: 4px; }
.expfam-live-foot { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; max-width: 800px; margin: 8px 0; }
button.expfam-live-button { font: 13px/1.4 var(--jp-ui-font-family, sans-serif); padding: 2px 12px; border-radius: 3px; cursor: pointer; color: var(--jp-ui-font-color1, #222);
  background: var(--jp-layout-color2, #eee); border: 1px solid var(--jp-border-color1, #bbb); }
button.expfam-live-button:hover:enabled { background: var(--jp-layout-color3, #ddd); }
button.expfam-live-button:disabled { opacity: .5; cursor: default; }
.expfam-live-status { margin-left: auto; color: var(--jp-ui-font-color2, #555); font-size: 12px; }
.expfam-live-status::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 6px; background: #999; }
.expfam-live-status[data-status=live]::before { background: #2a9d5c; }
.expfam-live-status[data-status=busy]::before, .expfam-live-status[data-status=finishing]::before { background: #e69f00; }
.expfam-live-refused, .expfam-live-error { color: var(--jp-error-color1, #b00020); white-space: pre-wrap; overflow-wrap: anywhere; }
.expfam-live-figure { transition: opacity .2s; }
.expfam-live-figure.expfam-live-stale { opacity: .35; }
.expfam-live-error:not(:empty) { margin-top: 6px; max-width: 800px; }
.jp-CodeCell[data-expfam-times]::after { content: attr(data-expfam-times); display: block; text-align: right; padding-right: 8px;
  font: 11px/1.4 var(--jp-ui-font-family, sans-serif); color: var(--jp-ui-font-color3, #999); }`;

  function activate(app, tracker) {
    const style = document.createElement("style");
    style.textContent = css;
    document.head.append(style);
    // Arrow keys belong to a slider and letters to a text; Ctrl+S stays JupyterLab's.
    window.addEventListener("keydown", e => {
      if (e.target.dataset && e.target.dataset.control !== undefined) {
        e.target.toggleAttribute("data-lm-suppress-shortcuts", !(e.ctrlKey || e.metaKey || e.altKey));
      }
    }, true);
    const links = new WeakMap();
    const linked = kernel => {
      if (!kernel) return null;
      if (!links.has(kernel)) links.set(kernel, new Link(kernel));
      return links.get(kernel);
    };
    // A connection is followed from its first cell on, to know what waits.
    const follow = nb => {
      linked(nb.sessionContext.session && nb.sessionContext.session.kernel);
      nb.sessionContext.kernelChanged.connect((_, change) => linked(change.newValue));
    };
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_, nb) => follow(nb));
    // How long a cell took stands below it in the page, and in no file.
    timed = (id, times) => tracker.forEach(nb => {
      const cell = nb.content.widgets.find(c => c.model.id === id);
      if (!cell) return;
      if (typeof times === "string") cell.node.dataset.expfamTimes = times;
      else if (times) cell.node.dataset.expfamTimes = `built ${seconds(times.built)}, ran ${seconds(times.ran)}`;
      else delete cell.node.dataset.expfamTimes;
    });
    again = root => {
      const b = make("button", "button", "▶ live");
      b.title = "Run this cell: its controls then work until another cell waits";
      b.onclick = () => {
        const nb = tracker.find(w => w.content.node.contains(root));
        if (!nb) return;
        nb.content.activeCellIndex = nb.content.widgets.findIndex(c => c.node.contains(root));
        nb.content.deselectAll();
        app.shell.activateById(nb.id);
        app.commands.execute("notebook:run-cell");
      };
      return b;
    };
    const adopt = async ({ root, data }) => {
      const nb = tracker.find(w => w.content.node.contains(root));
      if (!nb || root.dataset.taken) return;
      if (!data.live) {
        const foot = make("div", "foot");
        foot.append(again(root));
        root.insertBefore(foot, root.querySelector(".expfam-live-figure"));
        return;
      }
      root.dataset.taken = "1";
      await nb.sessionContext.ready;
      const link = linked(nb.sessionContext.session && nb.sessionContext.session.kernel);
      if (link) (link.panels.get(data.panel) || new Panel(link, data.panel)).attach(root, data, nb.content.widgets.find(c => c.node.contains(root)));
    };
    const early = globalThis.expfamLive || [];
    globalThis.expfamLive = { push: adopt };
    Array.from(early).forEach(adopt);
    // A worker's clock goes on where that of a page in the background is slowed down.
    const beat = () => {
      const now = Date.now();
      for (const p of [...panels]) p.tick(now);
      for (const [cell, w] of working) {
        const s = Math.floor((now - w.since) / 1000);
        if (now - w.since < long || w.shown === s) continue;
        w.shown = s;
        timed(cell, `${w.what}, ${s} s`);
      }
    };
    try {
      const code = URL.createObjectURL(new Blob([`setInterval(() => postMessage(0), ${tick})`], { type: "text/javascript" }));
      new Worker(code).onmessage = beat;
    } catch {
      setInterval(beat, tick);
    }
  }
  const seconds = s => s < 0.05 ? "0 s" : s < 9.95 ? s.toFixed(1).replace(/^0/, "") + " s" : Math.round(s) + " s";
  let again, timed;

  // The container of the federated module: JupyterLab gives it what it shares
  // and asks for ./extension.
  let scope;
  (window._JUPYTERLAB = window._JUPYTERLAB || {})["expfam-viz"] = {
    init: shared => { scope = shared; },
    get: async () => {
      const versions = Object.values(scope["@jupyterlab/notebook"]);
      const { INotebookTracker } = (await (versions.find(v => v.loaded) || versions[0]).get())();
      const plugin = { id: "expfam-viz:live", autoStart: true, requires: [INotebookTracker], activate };
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
