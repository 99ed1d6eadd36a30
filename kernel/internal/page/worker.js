// The worker in which the program of a live cell runs: files in memory, the way to the page, and then Go's own wasm_exec.js.
"use strict";
(() => {
  const fail = code => Object.assign(new Error(code), { code });
  const files = new Map(), folders = new Set(["/", "/tmp"]), open = new Map();
  const absolute = path => {
    const parts = [];
    for (const p of path.split("/")) if (p === "..") parts.pop(); else if (p && p !== ".") parts.push(p);
    return "/" + parts.join("/");
  };
  const parent = path => path.slice(0, path.lastIndexOf("/")) || "/";
  const folder = path => { for (; !folders.has(path); path = parent(path)) folders.add(path); };
  let numbers = 10, said = "";
  const about = path => {
    const f = files.get(path), is = folders.has(path);
    if (!f && !is) throw fail("ENOENT");
    const t = f ? f.time : 0, size = f ? f.data.length : 0;
    return { dev: 1, ino: 0, mode: is ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512),
      atimeMs: t, mtimeMs: t, ctimeMs: t, isDirectory: () => is };
  };
  const file = fd => { const f = open.get(fd); if (!f) throw fail("EBADF"); return f; };
  const resize = (f, size) => {
    const data = new Uint8Array(size);
    data.set(f.data.subarray(0, size));
    f.data = data;
  };
  const calls = {
    open(path, flags) {
      path = absolute(path);
      let f = files.get(path);
      if (!f && !folders.has(path)) {
        if (!(flags & 64)) throw fail("ENOENT");
        if (!folders.has(parent(path))) throw fail("ENOENT");
        files.set(path, f = { data: new Uint8Array(0), time: Date.now() });
      } else if (flags & 128) throw fail("EEXIST");
      if (f && flags & 512) f.data = new Uint8Array(0);
      open.set(++numbers, { path, f, at: flags & 1024 && f ? f.data.length : 0 });
      return numbers;
    },
    close(fd) { file(fd); open.delete(fd); },
    read(fd, buffer, offset, length, position) {
      const o = file(fd), at = position === null ? o.at : position;
      if (!o.f) throw fail("EISDIR");
      const piece = o.f.data.subarray(at, at + length);
      buffer.set(piece, offset);
      if (position === null) o.at += piece.length;
      return piece.length;
    },
    write(fd, buffer, offset, length, position) {
      const piece = buffer.subarray(offset, offset + length);
      if (fd === 1 || fd === 2) { said = (said + new TextDecoder().decode(piece)).slice(-4000); return length; }
      const o = file(fd), at = position === null ? o.at : position;
      if (at + length > o.f.data.length) resize(o.f, at + length);
      o.f.data.set(piece, at);
      o.f.time = Date.now();
      if (position === null) o.at = at + length;
      return length;
    },
    fstat(fd) { return about(file(fd).path); },
    stat(path) { return about(absolute(path)); },
    lstat(path) { return about(absolute(path)); },
    ftruncate(fd, length) { resize(file(fd).f, length); },
    mkdir(path) {
      path = absolute(path);
      if (folders.has(path) || files.has(path)) throw fail("EEXIST");
      if (!folders.has(parent(path))) throw fail("ENOENT");
      folders.add(path);
    },
    readdir(path) {
      path = absolute(path);
      if (!folders.has(path)) throw fail("ENOENT");
      return [...files.keys(), ...folders].filter(p => p !== "/" && parent(p) === path).map(p => p.slice(p.lastIndexOf("/") + 1));
    },
    rename(from, to) {
      const f = files.get(absolute(from));
      if (!f) throw fail("ENOENT");
      files.delete(absolute(from));
      files.set(absolute(to), f);
    },
    unlink(path) { if (!files.delete(absolute(path))) throw fail("ENOENT"); },
    rmdir(path) { if (!folders.delete(absolute(path))) throw fail("ENOENT"); },
    fsync() {}, chmod() {}, fchmod() {}, chown() {}, fchown() {}, lchown() {}, utimes() {},
    link() { throw fail("ENOSYS"); }, symlink() { throw fail("ENOSYS"); }, readlink() { throw fail("EINVAL"); }, truncate() { throw fail("ENOSYS"); },
  };
  // Go asks for a callback, and must not get it before its call returns.
  const fs = { constants: { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 },
    writeSync: (fd, buffer) => calls.write(fd, buffer, 0, buffer.length, null) };
  for (const [name, f] of Object.entries(calls)) {
    fs[name] = (...args) => {
      const callback = args.pop();
      let error = null, result;
      try { result = f(...args); } catch (e) { error = e.code ? e : fail("EIO"); }
      queueMicrotask(() => callback(error, result));
    };
  }
  const ids = () => 1;
  Object.assign(globalThis, { fs, process: { pid: 1, ppid: 1, getuid: ids, getgid: ids, geteuid: ids, getegid: ids, getgroups: () => [1],
    umask: () => 0o22, cwd: () => "/", chdir() { throw fail("ENOSYS"); } } });

  // The way to the page, which viz/live takes.
  const page = globalThis.expfamPage = { receive: null, show: show => postMessage({ show }), send: (state, figure) => postMessage({ state, figure }) };
  globalThis.onmessage = async ({ data }) => {
    if (data.values !== undefined) {
      if (page.receive) page.receive(data.values);
      return;
    }
    for (const [path, content] of data.files) {
      folder(parent(absolute(path)));
      files.set(absolute(path), { data: content, time: 0 });
    }
    try {
      const go = new Go();
      go.argv = ["live", data.cell];
      go.env = { HOME: "/", TMPDIR: "/tmp", EXPFAM_STORE: "/store", GOMLX_BACKEND: "go" };
      go.exit = () => {};
      const instance = await WebAssembly.instantiate(data.module, go.importObject);
      globalThis.expfamConnect?.(instance);
      await go.run(instance);
      postMessage({ exit: "the program ended: " + said.split("\n\ngoroutine")[0].trim() });
    } catch (e) {
      postMessage({ exit: String(e.message || e) + (said ? ": " + said.split("\n\ngoroutine")[0].trim() : "") });
    }
  };
})();
