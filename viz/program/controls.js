// The controls of a panel of viz/live and its side of the messages to the program, for JupyterLab's front end and for
// pages that run the program themselves. A link is the way to a program: panels (a Map by id), message(panel, text),
// open() and opened (when), waiting(panel) tells whether something else waits for it, patience() is after how many ms
// without an answer a panel has ended, idle the ms between signs of life, fill(node, figure) puts HTML into a node, run(node) lets the scripts of a figure run,
// again(root) is what stands in place of a panel's last button at its end; done says whether it has a button to end it.
(() => {
  "use strict";
  // THEME
  // PLAY
  // The times of the protocol, in ms. viz/live/session.go is the other side.
  const tick = 50, hello = 250, resend = 120, behind = 300, idle = 600, still = 1500, lost = 15000;

  const make = (tag, name, text) => {
    const e = document.createElement(tag);
    if (name) e.className = "expfam-live-" + name;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const brief = v => String(Number(v.toPrecision(4))).replace("-", "−");
  const tidy = v => Number(v.toPrecision(12));

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
      this.yield(); // the first tick greets, because a page puts the element in place until then
    }
    attach(root, data, cell) {
      Object.assign(this, { root, data, cell });
      this.host = root.querySelector(".expfam-live-figure");
      this.host.dataset.seq = this.host.dataset.asked = "0";
      // A figure is interactive under the pointer only: while controls move,
      // nothing should change its look and size.
      this.host.onpointerenter = this.host.onpointerleave = e => {
        this.hover = e.type === "pointerenter";
        if (this.hover && this.met && this.seq <= this.ack) this.transmit();
      };
      this.listing = root.querySelector(".expfam-live-code pre");
      if (this.listing) {
        const copy = make("button", "button", "Copy");
        copy.onclick = () => navigator.clipboard.writeText(this.listing.textContent).then(() => { copy.textContent = "Copied"; }, () => {
          getSelection().selectAllChildren(this.listing); // where pages may not write: Ctrl+C is left to do
        });
        this.listing.after(copy);
      }
      this.values = data.specs.map(s => s.value);
      this.pending = this.values.slice(); // with those that wait for the Run button
      this.build();
      if (this.met) this.current.forEach((v, i) => this.put(i, v));
      if (this.newest) this.paint(...this.newest);
      if (this.met) this.transmit(); // the width of the element
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
        if (spec.kind === "slider" && spec.when !== 2) {
          const play = player(c.node, spec.label, () => this.met && this.drawn >= this.seq && !this.over);
          play.className = "expfam-live-button expfam-live-play";
          side.append(play);
        }
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
      this.done.hidden = !this.link.done;
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
      this.host.dataset.asked = this.seq;
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
        seq: news ? this.seq : 0, values: news ? this.values : null, version: this.version, hover: this.hover,
        width: this.host ? this.host.clientWidth : 0, end: this.end,
      }));
    }
    tick(now) {
      if (this.over) return;
      const wait = !this.met ? hello : this.seq > this.ack ? resend : this.drawn < this.ack || this.end ? behind : this.link.idle;
      if (now - this.last >= wait) this.transmit();
      if (now - this.heard > this.link.patience()) return this.ended();
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
        if (this.host) this.host.dataset.asked = this.seq;
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
      if (this.listing && s.code) this.listing.textContent = s.code;
      if (this.root && s.drawn >= this.drawn) {
        this.error.textContent = s.error;
        this.controls.forEach((c, i) => { c.refused.textContent = s.refused && s.refused[i] || ""; });
        // The figure is still that of the last values that did.
        this.host.classList.toggle("expfam-live-stale", Boolean(s.error || Object.values(s.refused || {}).some(Boolean)));
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
        this.link.fill(node, figure);
      } else {
        node = new Image();
        node.alt = "";
        node.className = "expfam-live-picture";
        node.svg = figure;
        colour(node, this.host);
        this.decoding = true;
        try { await node.decode(); } catch { /* shown as far as it goes */ }
        node.style.setProperty("--legible", node.naturalWidth * 10 / 11 + "px"); // letters of 11 px have 10
      }
      if (s.version < this.painted) return;
      this.painted = s.version;
      this.decoding = this.version > s.version;
      for (const old of this.host.children) if (old.src) URL.revokeObjectURL(old.src);
      this.host.replaceChildren(node);
      if (s.rich) this.link.run(node);
      // While it was decoded, values may have come that change nothing.
      this.host.dataset.seq = this.version === s.version ? Math.max(s.drawn, this.drawn) : s.drawn;
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
      this.done.replaceWith(this.link.again(this.root));
    }
  }
  const panels = new Set();

  // colour draws the picture of a figure for the ground of its host.
  function colour(picture, host) {
    const night = isNight(host);
    if (picture.night === night) return;
    picture.night = night;
    if (picture.src) URL.revokeObjectURL(picture.src);
    picture.src = URL.createObjectURL(new Blob([night ? dimmed(picture.svg) : picture.svg], { type: "image/svg+xml" }));
  }
  onTheme(() => { for (const e of document.querySelectorAll(".expfam-live-picture")) colour(e, e.parentElement); });

  // stills gives figures whose programs do not run, as in a notebook that is not trusted, the colours of the page, also those that come later,
  // and says how a panel that does not move comes to.
  function stills() {
    const figures = '.mathjax_ignore img[src^="data:image/svg+xml;base64,"]', day = ":not([data-day])", seen = "[data-still]";
    const all = also => {
      for (const e of document.querySelectorAll(figures + also)) {
        e.dataset.still = "1";
        tint(e.parentElement.matches(".expfam-live-figure") ? e : e.parentElement, e);
      }
      for (const e of document.querySelectorAll(".expfam-live:not([data-made]) > .expfam-live-controls:not([data-told])")) {
        e.dataset.told = "1";
        e.append(make("div", "note", "Nothing moves in a notebook that is not trusted: trust it (“Trust Notebook” of the command palette), or run the cell."));
      }
    };
    let soon = 0;
    new MutationObserver(() => { soon = soon || setTimeout(() => { soon = 0; all(day); }, 100); }).observe(document.body, { childList: true, subtree: true });
    onTheme(() => { all(seen); all(day); });
  }

  // The controls. Each gets what it shows and a function for its movements, and
  // gives its element, that of its value, and put, which sets it.
  const controls = {
    slider(s, moved) {
      const node = make("input", "slider"), value = make("input", "number");
      const steps = s.step > 0 && !s.log ? 0 : 200;
      node.type = "range";
      value.type = "text";
      value.inputMode = "decimal";
      value.autocomplete = "off";
      value.setAttribute("aria-label", s.label + ", as a number");
      [node.min, node.max, node.step] = s.log ? [0, steps, 1] : [s.min, s.max, s.step || (s.max - s.min) / steps];
      const read = () => s.log ? tidy(s.min * (s.max / s.min) ** (node.value / steps)) : Math.min(s.max, tidy(Number(node.value)));
      let now;
      const show = v => { now = v; value.value = node.ariaValueText = brief(v); };
      node.oninput = () => { show(read()); moved(read(), false); };
      node.onchange = () => { show(read()); moved(read(), true); };
      const put = v => { node.value = s.log ? steps * Math.log(v / s.min) / Math.log(s.max / s.min) : v; show(v); };
      value.onchange = () => { // a number that is typed may lie between two positions of the slider
        if (value.value === brief(now)) return; // nothing was typed, and the number may have more digits
        const v = Number(value.value.trim().replace("−", "-").replace(",", "."));
        if (value.value.trim() === "" || !Number.isFinite(v)) return show(now);
        const whole = s.step > 0 && !s.log ? s.min + s.step * Math.round((v - s.min) / s.step) : v;
        const near = tidy(Math.min(s.max, Math.max(s.min, whole)));
        put(near);
        moved(near, true);
      };
      value.onkeydown = e => { if (e.key === "Enter") value.onchange(); }; // no change event comes of it in JupyterLab
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

  const css = "controls.css"; // program.go puts the style sheet here

  // beat lets time pass for all panels.
  const beat = () => { const now = Date.now(); for (const p of [...panels]) p.tick(now); };
  return { Panel, stills, beat, css, make, tick, still, lost, idle };
})()
