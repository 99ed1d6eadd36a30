// What VS Code's Jupyter extension does with a kernel, by the packages that it is made of: @jupyterlab/services, whose messages
// travel through a server, or over zeromq without one, as on a machine with VS Code alone.
//
//     node clients.cjs server URL TOKEN
//     node clients.cjs zeromq KERNEL.JSON
"use strict";
const assert = require("node:assert"), { spawn } = require("node:child_process"), crypto = require("node:crypto");
const fs = require("node:fs"), net = require("node:net"), os = require("node:os"), path = require("node:path");
globalThis.WebSocket = require("ws");
const { KernelManager, ServerConnection } = require("@jupyterlab/services");
const { KernelConnection } = require("@jupyterlab/services/lib/kernel/default");
const { deserialize } = require("@jupyterlab/services/lib/kernel/serialize");
const within = (promise, what) => Promise.race([promise, new Promise((_, no) => setTimeout(no, 120000, new Error("two minutes without " + what)).unref())]);

// run runs a cell; answers are for its questions, and interrupt is called at its first text.
let cells = 0;
async function run(kernel, code, { answers = [], interrupt } = {}) {
  const future = kernel.requestExecute({ code, allow_stdin: true, stop_on_error: false, store_history: true }, false,
    { cellId: `vscode-notebook-cell:/home/somebody/own.ipynb#W${cells++}sZmlsZQ%3D%3D` });
  const seen = { text: "", data: [], questions: [] };
  future.onIOPub = m => {
    if (m.header.msg_type === "stream") { seen.text += m.content.text; if (interrupt) { interrupt(); interrupt = null; } }
    if (m.content.data) seen.data.push(m.content.data);
    if (m.header.msg_type === "error") seen.error = m.content.ename;
  };
  future.onStdin = m => { seen.questions.push(m.content.prompt); future.sendInputReply({ status: "ok", value: answers.shift() }, m.header); };
  seen.reply = (await within(future.done, code)).content.status;
  return seen;
}

// all does what a person does in an hour; restart gives the kernel after a restart.
async function all(kernel, interrupt, restart) {
  const info = await within(kernel.info, "kernel_info");
  assert.equal(info.language_info.name, "go");
  let r = await run(kernel, 'x := 20\nfmt.Println("text")\nx + 1');
  assert.deepEqual([r.reply, r.text, r.data.map(d => d["text/plain"])], ["ok", "text\n", ["21"]]);
  r = await run(kernel, 'viz.Lines{Lines: []viz.Line{{Y: []float64{1, 2}}}}');
  assert.ok(r.data.some(d => /<img/.test(d["text/html"]) && d["text/plain"]), "a figure as HTML and as text");
  const tab = await within(kernel.requestComplete({ code: "fmt.Printl", cursor_pos: 10 }), "Tab");
  assert.ok(tab.content.matches.some(m => m.endsWith("Println")), String(tab.content.matches));
  const help = await within(kernel.requestInspect({ code: "fmt.Println", cursor_pos: 11, detail_level: 0 }), "documentation");
  assert.ok(help.content.found && /func Println/.test(help.content.data["text/plain"]));
  const whole = await within(kernel.requestIsComplete({ code: "func f() {" }), "is_complete");
  assert.equal(whole.content.status, "incomplete");
  r = await run(kernel, 'var name string\nfmt.Print("Who? ")\nfmt.Scanln(&name)\nfmt.Println("hello,", name)', { answers: ["Ada"] });
  assert.ok(/hello, Ada/.test(r.text) && r.questions.length === 1, JSON.stringify(r));
  r = await run(kernel, "var y float64 = x");
  assert.equal(r.reply, "error", "an error");
  r = await run(kernel, 'fmt.Println("begun")\nfor {\n}', { interrupt });
  assert.equal(r.reply, "error", "an endless loop that is stopped");
  r = await run(kernel, "x * 2");
  assert.deepEqual(r.data.map(d => d["text/plain"]), ["40"], "the kernel after that");
  kernel = await restart();
  r = await run(kernel, "x");
  assert.equal(r.reply, "error", "a name after a restart");
  r = await run(kernel, "1 + 1");
  assert.deepEqual(r.data.map(d => d["text/plain"]), ["2"], "the kernel after a restart");
}

async function server(url, token) {
  const manager = new KernelManager({ serverSettings: ServerConnection.makeSettings({ baseUrl: url, wsUrl: url.replace("http", "ws"), token }) });
  const kernel = await manager.startNew({ name: "expfam" });
  try {
    await all(kernel, () => kernel.interrupt(), async () => { await kernel.restart(); return kernel; });
  } finally {
    await kernel.shutdown();
    manager.dispose();
  }
}

// Wire is to a KernelConnection a WebSocket, and to a kernel the sockets of a front end.
class Wire {
  constructor(c) {
    const zmq = require("zeromq"), at = port => `tcp://${c.ip}:${port}`;
    this.key = c.key;
    this.protocol = "";
    this.sockets = { iopub: new zmq.Subscriber() };
    this.sockets.iopub.subscribe();
    for (const name of ["shell", "control", "stdin"]) this.sockets[name] = new zmq.Dealer({ routingId: c.id });
    for (const name in this.sockets) { this.sockets[name].connect(at(c[name + "_port"])); this.listen(name); }
    setTimeout(() => { this.readyState = 1; this.onopen(); }, 500);
  }
  async listen(channel) {
    for await (const frames of this.sockets[channel]) {
      const start = frames.findIndex(f => f.toString() === "<IDS|MSG>"), [header, parent, metadata, content] = frames.slice(start + 2).map(f => JSON.parse(f));
      assert.equal(frames[start + 1].toString(), this.sign(frames.slice(start + 2, start + 6)));
      if (this.onmessage) this.onmessage({ data: JSON.stringify({ channel, header, parent_header: parent, metadata, content, buffers: [] }) });
    }
  }
  sign(parts) { return parts.reduce((h, p) => h.update(p), crypto.createHmac("sha256", this.key)).digest("hex"); }
  send(data) {
    const m = typeof data === "string" ? JSON.parse(data) : deserialize(data, this.protocol);
    const parts = [m.header, m.parent_header, m.metadata, m.content].map(p => JSON.stringify(p || {}));
    this.sent = (this.sent || Promise.resolve()).then(() => this.sockets[m.channel].send(["<IDS|MSG>", this.sign(parts), ...parts]));
  }
  close() { for (const s of Object.values(this.sockets)) s.close(); }
}

async function direct(spec) {
  const { argv, env } = JSON.parse(fs.readFileSync(spec)), dir = fs.mkdtempSync(path.join(os.tmpdir(), "k"));
  const listen = () => new Promise(done => { const s = net.createServer().listen(0, "127.0.0.1", () => done(s)); });
  let child, kernel;
  const start = async () => {
    const c = { ip: "127.0.0.1", transport: "tcp", key: crypto.randomUUID(), signature_scheme: "hmac-sha256" };
    const taken = await Promise.all(Array.from({ length: 5 }, listen)); // at once, so that all are different
    ["shell", "control", "stdin", "iopub", "hb"].forEach((name, i) => { c[name + "_port"] = taken[i].address().port; taken[i].close(); });
    const file = path.join(dir, crypto.randomUUID() + ".json"), client = crypto.randomUUID();
    fs.writeFileSync(file, JSON.stringify(c), { mode: 0o600 });
    const filled = Object.fromEntries(Object.entries(env || {}).map(([k, v]) => [k, v.replace(/\$\{(\w+)\}/g, (_, name) => process.env[name] || "")]));
    child = spawn(argv[0], argv.slice(1).map(a => a.replace("{connection_file}", file)), { env: { ...process.env, ...filled }, stdio: "inherit" });
    const settings = ServerConnection.makeSettings({ WebSocket: class extends Wire { constructor() { super({ ...c, id: client }); } } });
    kernel = new KernelConnection({ model: { id: crypto.randomUUID(), name: "expfam" }, clientId: client, username: "", serverSettings: settings, handleComms: true });
    return kernel;
  };
  const { createMessage } = require("@jupyterlab/services/lib/kernel/messages");
  const control = msgType => kernel.sendControlMessage(createMessage({ msgType, channel: "control", session: kernel.clientId, content: msgType === "shutdown_request" ? { restart: false } : {} }), true, true).done;
  const stop = async () => { const ended = new Promise(done => child.once("exit", done)); await within(Promise.race([control("shutdown_request"), ended]), "shutdown"); kernel.dispose(); await within(ended, "the end"); };
  try {
    await start();
    await all(kernel, () => control("interrupt_request"), async () => { await stop(); return start(); });
    await stop();
  } finally {
    child.kill();
    fs.rmSync(dir, { recursive: true });
  }
}

const [how, ...args] = process.argv.slice(2);
({ server, zeromq: direct })[how](...args).then(() => { console.log("ok"); process.exit(0); }, why => { console.error(why); process.exit(1); });
