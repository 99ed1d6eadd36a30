// The front end of viz/live: it gives a panel its controls and connects them to
// the program behind it. A prebuilt extension of JupyterLab 4, written by hand:
// the container of a federated module and nothing to build. Messages go over the
// notebook's own connection to its kernel, so that whatever brings JupyterLab
// to a browser (https, a hub, a prefix) brings them too.
"use strict";
(() => {
  const { Panel, stills, beat, css, make, tick, still, lost, idle } = globalThis.expfamControls;

  const uuid = () => Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join("");

  // Link is one connection to a kernel: GoNB has a single channel for
  // messages, which the newest comm_open gets.
  class Link {
    constructor(kernel) {
      this.kernel = kernel;
      this.comm = "";
      this.opened = 0;
      this.done = true;
      this.idle = idle;
      this.own = new Set(); // executions that this page has asked for
      this.late = new Map(); // executions that an earlier page has asked for to what shows them here
      this.requests = new Set(); // executions that were asked for and are not over
      this.cells = new Map(); // panel to the execution that shows it
      this.panels = new Map();
      this.sources = new Map(); // execution to its kernel and the id of its cell, which another notebook may have as well
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
      this.own.add(msg.header.msg_id);
      const cell = msg.metadata && msg.metadata.cellId;
      if (cell) {
        const source = this.kernel.id + "/" + cell;
        this.sources.set(msg.header.msg_id, source);
        timed(source, null);
        working.delete(source);
      }
      for (const p of this.panels.values()) p.yield();
    }
    patience() { return this.kernel.status === "idle" ? still : lost; }
    fill(node, figure) { node.innerHTML = figure; } // as outputs of this cell are, by the same program
    // run lets the scripts of a figure run, which the same program wrote as outputs of this cell.
    run(node) {
      for (const old of node.querySelectorAll("script")) {
        const script = document.createElement("script");
        script.textContent = old.textContent;
        old.replaceWith(script);
      }
    }
    again(root) { return again(root); }
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
      if (type === "execute_reply") variables.changed(this.kernel);
      const late = this.late.get(parent);
      if (late && msg.channel === "iopub") late();
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

  // What the kernel does for cells that are not over, and since when: compiling, then running.
  const working = new Map(), long = 1000;

  const templateIcon = `
.expfam-template-icon { display: block; width: 28px; height: 28px; background: center / contain no-repeat url('data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 24 24%22%3E%3Crect x=%222%22 y=%222%22 width=%2220%22 height=%2220%22 rx=%223%22 fill=%22%230072b2%22/%3E%3Cpath d=%22M5 17c3 0 4-9 7-9s4 6 7 6%22 fill=%22none%22 stroke=%22white%22 stroke-width=%222%22/%3E%3Ccircle cx=%227%22 cy=%2212%22 r=%221.3%22 fill=%22white%22/%3E%3Ccircle cx=%2212%22 cy=%2211%22 r=%221.3%22 fill=%22white%22/%3E%3Ccircle cx=%2217%22 cy=%2210%22 r=%221.3%22 fill=%22white%22/%3E%3C/svg%3E'); }
.jp-LauncherCard .expfam-template-icon { width: 52px; height: 52px; margin: 0 auto; }`;

  // ask asks this kernel, also while a cell runs, for what only it knows; another kernel answers nothing.
  async function ask(kernel, type) {
    if ((await kernel.info).implementation !== "expfam") return null;
    const future = kernel.sendControlMessage({
      header: { msg_id: uuid(), msg_type: type, session: kernel.clientId, username: kernel.username, date: new Date().toISOString(), version: "5.5" },
      parent_header: {}, metadata: {}, content: {}, channel: "control", buffers: [],
    }, true, true);
    return (await future.done).content;
  }

  // What cells showed while no page was open, or after the notebook was saved, is put into the cells of a page that is
  // opened. What a cell that still runs shows from now on follows.
  async function catchUp(nb, link) {
    await nb.context.ready;
    const saved = Date.parse(nb.context.contentsModel.last_modified), told = await ask(link.kernel, "expfam_outputs_request");
    for (const t of told ? told.executions : []) {
      const cell = nb.content.widgets.find(c => c.model.type === "code" && c.model.id === t.cell);
      if (!cell || link.own.has(t.id) || t.ended && Date.parse(t.ended) < saved && !link.late.has(t.id)) continue;
      cell.model.outputs.fromJSON(t.outputs);
      cell.model.executionCount = t.count;
      if (t.ended) link.late.delete(t.id);
      else if (!link.late.has(t.id)) {
        let waits = 0;
        link.late.set(t.id, () => { waits = waits || setTimeout(() => { waits = 0; catchUp(nb, link).catch(() => {}); }, 300); });
      }
    }
  }

  // The panel on the right with the variables of the notebook's kernel, which are asked for when the panel is seen.
  class Variables {
    constructor(app, Widget, kernel) {
      this.kernel = kernel;
      this.widget = new Widget();
      this.widget.id = "expfam-variables";
      this.widget.title.label = "Variables";
      this.widget.title.caption = "The variables of this notebook's cells";
      this.widget.addClass("expfam-variables");
      this.widget.onAfterShow = () => this.look();
      app.shell.add(this.widget, "right", { rank: 900 });
    }
    changed(kernel) { if (kernel === this.kernel()) this.look(); }
    async look() {
      if (!this.widget.isVisible) return;
      const kernel = this.kernel(), at = this.at = (this.at || 0) + 1;
      const all = kernel ? await this.ask(kernel).catch(() => null) : null;
      if (at !== this.at) return; // something newer is under way
      const table = document.createElement("table"), row = (tag, words) => {
        const r = table.insertRow();
        for (const w of words) r.append(Object.assign(document.createElement(tag), { textContent: w }));
      };
      if (all && all.length) {
        row("th", ["name", "type", "bytes", "cell", "value"]);
        for (const v of all) row("td", [v.name, v.type, v.bytes || "", v.cell, v.words]);
      } else {
        row("td", [all ? "No cell has defined a variable." : "The notebook has no kernel of expfam."]);
      }
      this.widget.node.replaceChildren(table);
    }
    async ask(kernel) {
      const answer = await ask(kernel, "expfam_variables_request");
      return answer && answer.variables;
    }
  }
  let variables = { changed() {}, look() {} };

  const tableCSS = `
.expfam-variables { overflow: auto; padding: 8px; background: var(--jp-layout-color1); color: var(--jp-ui-font-color1); font-size: var(--jp-ui-font-size1); }
.expfam-variables table { border-collapse: collapse; width: 100%; }
.expfam-variables :is(th, td) { text-align: left; vertical-align: top; padding: 2px 10px 2px 0; border-bottom: 1px solid var(--jp-border-color2); white-space: nowrap; }
.expfam-variables td:last-child { font-family: var(--jp-code-font-family); font-size: var(--jp-code-font-size); }
.expfam-variables :is(th, td):is(:nth-child(3), :nth-child(4)) { text-align: right; }`;

  function activate(app, tracker, launcher) {
    if (launcher && here) offer(app, launcher).catch(why => console.warn("expfam: no templates:", why));
    const style = document.createElement("style");
    style.textContent = css + templateIcon + tableCSS;
    document.head.append(style);
    stills();
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
      nb.sessionContext.ready.then(() => catchUp(nb, linked(nb.sessionContext.session.kernel))).catch(() => {});
      nb.sessionContext.kernelChanged.connect((_, change) => { linked(change.newValue); variables.look(); });
    };
    const kernelOf = nb => nb && nb.sessionContext.session && nb.sessionContext.session.kernel;
    if (Widget) {
      variables = new Variables(app, Widget, () => kernelOf(tracker.currentWidget));
      tracker.currentChanged.connect(() => variables.look());
    }
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_, nb) => follow(nb));
    // How long a cell took stands below it in the page, and in no file.
    timed = (source, times) => tracker.forEach(nb => {
      const kernel = nb.sessionContext.session && nb.sessionContext.session.kernel;
      const cell = kernel && nb.content.widgets.find(c => kernel.id + "/" + c.model.id === source);
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
    const clock = () => {
      beat();
      const now = Date.now();
      for (const [cell, w] of working) {
        const s = Math.floor((now - w.since) / 1000);
        if (now - w.since < long || w.shown === s) continue;
        w.shown = s;
        timed(cell, `${w.what}, ${s} s`);
      }
    };
    try {
      const code = URL.createObjectURL(new Blob([`setInterval(() => postMessage(0), ${tick})`], { type: "text/javascript" }));
      new Worker(code).onmessage = clock;
    } catch {
      setInterval(clock, tick);
    }
  }
  // The launcher offers notebooks to start from, which lie beside this file as `expfam new` writes them.
  const here = document.currentScript && document.currentScript.src.replace(/[^/]*$/, "");
  async function offer(app, launcher) {
    const get = async path => {
      const answer = await fetch(here + "templates/" + path);
      if (!answer.ok) throw new Error(path + ": " + answer.status);
      return answer;
    };
    const contents = app.serviceManager.contents;
    const taken = async path => { try { await contents.get(path, { content: false }); return true; } catch { return false; } };
    for (const [rank, t] of (await (await get("index.json")).json()).entries()) {
      const command = "expfam-viz:new-" + t.name;
      app.commands.addCommand(command, {
        label: t.title, caption: `A notebook to start from, with ${t.data.join(", ")}`, iconClass: "expfam-template-icon",
        execute: async args => {
          const folder = args && args.cwd ? args.cwd.replace(/\/$/, "") + "/" : "";
          let name = t.name + ".ipynb";
          for (let i = 2; await taken(folder + name); i++) name = `${t.name} ${i}.ipynb`;
          for (const file of t.files) {
            const at = file.lastIndexOf("/");
            if (at > 0 && !await taken(folder + file.slice(0, at))) await contents.save(folder + file.slice(0, at), { type: "directory" });
            if (await taken(folder + file)) continue; // somebody's own stays
            const bytes = new Uint8Array(await (await get(file)).arrayBuffer());
            await contents.save(folder + file, { type: "file", format: "base64", content: btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")) });
          }
          await contents.save(folder + name, { type: "notebook", format: "json", content: await (await get(t.name + ".ipynb")).json() });
          return app.commands.execute("docmanager:open", { path: folder + name });
        },
      });
      launcher.add({ command, category: "Start from your data", rank });
    }
  }

  const seconds = s => s < 0.05 ? "0 s" : s < 9.95 ? s.toFixed(1).replace(/^0/, "") + " s" : Math.round(s) + " s";
  let again, timed;

  // The container of the federated module: JupyterLab gives it what it shares
  // and asks for ./extension.
  let scope, Widget;
  (window._JUPYTERLAB = window._JUPYTERLAB || {})["expfam-viz"] = {
    init: shared => { scope = shared; },
    get: async () => {
      const shared = async name => {
        const versions = Object.values(scope[name] || {});
        return versions.length ? (await (versions.find(v => v.loaded) || versions[0]).get())() : {};
      };
      const { INotebookTracker } = await shared("@jupyterlab/notebook"), { ILauncher } = await shared("@jupyterlab/launcher");
      ({ Widget } = await shared("@lumino/widgets"));
      const plugin = { id: "expfam-viz:live", autoStart: true, requires: [INotebookTracker], optional: ILauncher ? [ILauncher] : [], activate };
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
