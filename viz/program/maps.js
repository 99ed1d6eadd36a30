// Answers the pointer over maps, enlarges them, and moves the slider of one. f:
// id, width, height, maps, frames. A map has left, top, width, height in px of the
// image, its place row, cols and rows, the centre x, y of the upper left cell and
// the steps dx, dy, the names xname and yname of its coordinates if they have any,
// name, and as base64: blank, bits of the cells that are not drawn; of the others
// values (floats without their lowest byte), held (bits of those held out), and
// tips {name, values, words}. A press on a cell
// is the event viz-cell of the figure, with the number of the cell. The cells of a map with areas are regions in one
// row, with names: see areas.js. An inset has of, the map of which it enlarges the
// cells from the cell "from" on, instead of values. frames is mapFrames of Go.
(function (f) {
  "use strict";
  // THEME
  // SAVE
  var root = Array.from(document.querySelectorAll("#" + f.id)).find(function (e) { return !e.dataset.live; });
  if (!root) return;
  root.dataset.live = "maps";
  var img = root.querySelector("img"), svg = null, view = { s: 1, u: 0, v: 0 };
  function layer(css) {
    var e = document.createElement("div");
    e.style.cssText = "position:absolute;display:none;pointer-events:none;box-sizing:border-box;" + css;
    return root.appendChild(e);
  }
  function binary(s) { return Uint8Array.from(atob(s), function (c) { return c.charCodeAt(0); }); }
  function bit(bytes, j) { return bytes[j >> 3] >> (j & 7) & 1; }
  // Floats of the cells that are drawn, NaN elsewhere.
  function floats(m, text) {
    var bytes = binary(text), out = new Float32Array(m.cols * m.rows), one = new Uint32Array(1), at = 0;
    for (var j = 0; j < out.length; j++) {
      one[0] = bit(m.off, j) ? 0x7fc00000 : bytes[at++] << 8 | bytes[at++] << 16 | bytes[at++] << 24;
      out[j] = new Float32Array(one.buffer)[0];
    }
    return out;
  }
  f.maps.forEach(function (m) {
    m.frame = layer("border:1px solid #000;outline:1px solid #fff;z-index:8");
    if (m.of !== undefined) return;
    m.off = binary(m.blank || "");
    m.out = binary(m.held || "");
    m.z = floats(m, m.values);
    (m.tips || []).forEach(function (t) { t.z = floats(m, t.values); });
  });
  var tip = layer("white-space:pre-wrap;z-index:9;padding:4px 8px;font:12px/1.4 'Liberation Sans',Arial,Helvetica,sans-serif;" +
    "color:var(--viz-ink);background:var(--viz-ground);border:1px solid var(--viz-line);border-radius:3px");
  function picture() { return svg || img; }
  function offset() { return picture().getBoundingClientRect().top - root.getBoundingClientRect().top; }

  function number(v) {
    // Counts are whole, as far as the 17 bits go.
    var exact = Number.isInteger(v) && Math.abs(v) < 131072;
    return isNaN(v) ? "no value" : String(exact ? v : Number(v.toPrecision(4))).replace(/-/g, "\u2212");
  }
  // A coordinate has a decimal more than the sides of cells, however far from zero it is.
  function coordinate(v, side) {
    var decimals = Math.min(Math.max(1 - Math.floor(Math.log10(Math.abs(side) || 1)), 0), 12);
    return String(Number(v.toFixed(decimals))).replace(/-/g, "\u2212");
  }
  function hide() {
    tip.style.display = "none";
    f.maps.forEach(function (m) { m.frame.style.display = "none"; });
  }
  // The marked groups of an image, one for each map: what lies inside of it. Its coordinates are points, upwards.
  function groups(all) {
    var marked = Array.from(all.querySelectorAll('g[transform="translate(0, 0)"]'));
    return marked.filter(function (g) { return marked.indexOf(g.parentNode) < 0; });
  }
  function parsed() { return new DOMParser().parseFromString(new TextDecoder().decode(binary(img.dataset.day.split(",")[1])), "image/svg+xml").documentElement; }
  // AREAS
  // Where the pointer is: x, y in px of the image, s of these to a px of the page,
  // and the map with the cell c, k of it, or of what an inset enlarges.
  function locate(e) {
    var r = picture().getBoundingClientRect(), s = f.width / r.width, p = { r: r, s: s, x: (e.clientX - r.left) * s, y: (e.clientY - r.top) * s };
    for (var i = f.maps.length - 1; i >= 0; i--) { // insets lie over their maps
      var m = f.maps[i];
      if (!(p.x >= m.left && p.x < m.left + m.width && p.y >= m.top && p.y < m.top + m.height)) continue;
      var u = (p.x - m.left) / m.width, v = (p.y - m.top) / m.height, inset = m.of !== undefined;
      if (inset && view.s > 1) continue;
      p.u = u; p.v = v; p.inset = inset;
      if (m.areas) return among(m, p);
      p.c = Math.floor((inset ? u : view.u + u / view.s) * m.cols);
      p.k = Math.floor((inset ? v : view.v + v / view.s) * m.rows);
      if (inset) { p.c += m.from[0]; p.k += m.from[1]; m = f.maps[m.of]; }
      p.m = m;
      return p;
    }
    return p;
  }
  function outline(m, c, k, s, zoom) {
    if (m.areas) return trace(m, c, s, zoom);
    var w = m.width / m.cols * zoom.s, h = m.height / m.rows * zoom.s;
    var x = m.left + ((c + 0.5) / m.cols - zoom.u) * zoom.s * m.width, y = m.top + ((k + 0.5) / m.rows - zoom.v) * zoom.s * m.height;
    var on = c >= 0 && k >= 0 && c < m.cols && k < m.rows && x >= m.left && x <= m.left + m.width && y >= m.top && y <= m.top + m.height;
    m.frame.style.display = on ? "block" : "none";
    var bw = Math.max(w, 5 * s) + 2 * s, bh = Math.max(h, 5 * s) + 2 * s;
    m.frame.style.left = (x - bw / 2) / s + "px";
    m.frame.style.top = offset() + (y - bh / 2) / s + "px";
    m.frame.style.width = bw / s + "px";
    m.frame.style.height = bh / s + "px";
  }
  function show(e) {
    var p = locate(e), hit = p.m;
    if (!hit || p.c < 0 || drag && drag.moved) return hide();
    var at = p.k * hit.cols + p.c;
    if (bit(hit.off, at)) return hide();
    var lines = [p.name || (hit.xname || hit.yname ?
      (hit.xname || "x") + " " + coordinate(hit.x + p.c * hit.dx, hit.dx) + ", " + (hit.yname || "y") + " " + coordinate(hit.y + p.k * hit.dy, hit.dy) :
      "row " + p.k + ", column " + p.c)], tips = [];
    // The same cell of all maps is framed, and the values of one row compared.
    f.maps.forEach(function (m) {
      var own = m.of === undefined ? m : f.maps[m.of], same = own.cols === hit.cols && own.rows === hit.rows;
      m.frame.style.display = "none";
      if (!same) return;
      if (own !== m) return view.s > 1 ? 0 : outline(m, p.c - m.from[0], p.k - m.from[1], p.s, { s: 1, u: 0, v: 0 });
      outline(m, p.c, p.k, p.s, view);
      if (m.row !== hit.row && !m.areas) return;
      m.plain || lines.push((m === hit && f.maps.length > 1 && f.maps.some(function (o) { return o.of === undefined && o !== m && o.row === m.row; }) ? "\u25b8 " : "") +
        (m.name ? m.name + ": " : "") + number(m.z[at]) + (bit(m.out, at) ? " (held out)" : ""));
      (m.tips || []).forEach(function (t) {
        var v = t.z[at], text = t.words && t.words.length ? t.words[v] : isNaN(v) ? "" : number(v);
        if (text) tips.push(t.name + ": " + text);
      });
    });
    tip.textContent = lines.concat(tips).join("\n");
    tip.style.display = "block";
    var left = p.x / p.s + 14, top = p.y / p.s + 14;
    tip.style.left = Math.max(0, left + tip.offsetWidth > p.r.width ? left - tip.offsetWidth - 28 : left) + "px";
    tip.style.top = Math.max(0, top + tip.offsetHeight > p.r.height ? top - tip.offsetHeight - 28 : top) + offset() + "px";
  }

  // Of an image, only what a painter draws becomes elements: an image runs nothing and stays in its frame, elements need not.
  function drawing(all) {
    Array.from(all.querySelectorAll("*")).concat(all).forEach(function (e) {
      if (!/\/2000\/svg$/.test(e.namespaceURI) || !/^(svg|g|path|text|tspan|title|image|rect|circle|line|polygon|polyline)$/.test(e.localName)) return e.remove();
      Array.from(e.attributes).forEach(function (a) {
        var inside = e.localName === "image" && /^data:image\/(png|jpeg);/.test(a.value);
        if (/^(on|id$|class$)/i.test(a.name) || /href$/i.test(a.name) && !inside || /url|\\/i.test(a.name === "style" ? a.value : "")) e.removeAttributeNode(a);
      });
    });
    return all;
  }
  // The image becomes elements when something is to move in it. What lies inside of
  // maps has been marked by the painter; its coordinates are points, upwards.
  function open() {
    if (svg) return;
    svg = document.importNode(drawing(parsed()), true);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.style.cssText = "width:100%;display:block;touch-action:pan-y;user-select:none";
    groups(svg).forEach(function (g, i) {
      var m = f.maps[i], id = f.id + "-" + i, ns = svg.namespaceURI;
      var clip = document.createElementNS(ns, "clipPath"), box = document.createElementNS(ns, "rect"), wrap = document.createElementNS(ns, "g");
      m.x0 = 0.75 * m.left; m.y0 = 0.75 * (f.height - m.top - m.height); m.w = 0.75 * m.width; m.h = 0.75 * m.height;
      [["x", m.x0], ["y", m.y0], ["width", m.w], ["height", m.h]].forEach(function (a) { box.setAttribute(a[0], a[1]); });
      clip.id = id;
      clip.append(box);
      wrap.setAttribute("clip-path", "url(#" + id + ")");
      g.replaceWith(clip, wrap);
      wrap.append(g);
      m.g = g;
      m.decided = g.querySelector("g[transform^=t]");
      g.querySelectorAll("path").forEach(function (p) { p.setAttribute("vector-effect", "non-scaling-stroke"); });
    });
    svg.querySelectorAll("[style]").forEach(function (e) { e.dataset.day = e.getAttribute("style"); });
    img.replaceWith(svg);
    paint();
    listen(svg);
    room();
  }
  function paint() {
    var night = tint(root, img, true);
    if (stack) stack.querySelectorAll("img").forEach(function (e) { e.src = img.src; });
    if (svg) svg.querySelectorAll("[data-day]").forEach(function (e) { e.setAttribute("style", night ? dimmed(e.dataset.day, true) : e.dataset.day); });
  }
  function zoom(s, u, v) {
    open();
    s = Math.min(Math.max(s, 1), 32);
    view = { s: s, u: Math.min(Math.max(u, 0), 1 - 1 / s), v: Math.min(Math.max(v, 0), 1 - 1 / s) };
    f.maps.forEach(function (m) {
      if (m.of !== undefined || !m.g) return;
      m.g.setAttribute("transform", "translate(" + (m.x0 * (1 - s) - s * view.u * m.w) + "," + ((m.y0 + m.h) * (1 - s) + s * view.v * m.h) + ") scale(" + s + ")");
    });
    // Axes and insets are those of the whole map.
    svg.querySelectorAll('g[transform="scale(1,1)"]').forEach(function (g) { g.style.display = s > 1 ? "none" : ""; });
    svg.style.cursor = s > 1 ? "grab" : "";
    svg.style.touchAction = s > 1 ? "none" : "pan-y";
    hide();
  }
  // By a factor around a place of the maps, given as shares of them.
  function by(factor, u, v) {
    var s = Math.min(Math.max(view.s * factor, 1), 32);
    zoom(s, view.u + u / view.s - u / s, view.v + v / view.s - v / s);
  }
  var drag = null;
  function listen(e) {
    e.addEventListener("pointermove", function (ev) {
      if (drag) {
        var r = picture().getBoundingClientRect(), s = f.width / r.width;
        drag.moved = drag.moved || Math.abs(ev.clientX - drag.x) + Math.abs(ev.clientY - drag.y) > 3;
        if (drag.moved) zoom(view.s, drag.u - (ev.clientX - drag.x) * s / drag.m.width / view.s, drag.v - (ev.clientY - drag.y) * s / drag.m.height / view.s);
      }
      show(ev);
    });
    e.addEventListener("pointerdown", function (ev) {
      var p = locate(ev);
      show(ev);
      if (p.m && ~p.c && !bit(p.m.off, p.k * p.m.cols + p.c)) root.dispatchEvent(new CustomEvent("viz-cell", { detail: p.k * p.m.cols + p.c }));
      if (!p.m || p.inset || view.s === 1) return;
      drag = { x: ev.clientX, y: ev.clientY, u: view.u, v: view.v, m: p.m };
      ev.preventDefault();
    });
    ["pointerup", "pointercancel", "pointerleave"].forEach(function (name) { e.addEventListener(name, function () { drag = null; }); });
    e.addEventListener("pointerleave", hide);
    e.addEventListener("dblclick", function (ev) {
      var p = locate(ev);
      if (p.m && !p.inset) by(ev.shiftKey ? 0.5 : 2, p.u, p.v);
      ev.preventDefault();
    });
    e.addEventListener("wheel", function (ev) {
      var p = locate(ev);
      if (!(ev.ctrlKey || ev.metaKey) || !p.m || p.inset) return;
      by(Math.exp(-0.01 * Math.max(-50, Math.min(50, ev.deltaY))), p.u, p.v);
      ev.preventDefault();
    }, { passive: false });
  }
  listen(img);

  var bar = layer("top:4px;right:6px;z-index:7;display:flex;gap:2px;pointer-events:auto;opacity:.6");
  [["+", "enlarge (double click, or Ctrl and wheel)", function () { by(2, 0.5, 0.5); }],
   ["\u2212", "reduce", function () { by(0.5, 0.5, 0.5); }],
   ["\u21ba", "all of the map", function () { zoom(1, 0, 0); }]].forEach(function (b) {
    var e = document.createElement("button");
    e.textContent = b[0];
    e.title = e.ariaLabel = b[1];
    e.type = "button";
    e.style.cssText = "width:22px;height:22px;padding:0;font:14px/1 Arial,sans-serif;color:var(--viz-ink);background:var(--viz-ground);border:1px solid var(--viz-line);border-radius:3px;cursor:pointer";
    e.addEventListener("click", b[2]);
    bar.append(e);
  });
  saves(bar, img);
  hovers(root, bar);
  bar.style.display = "flex";
  // Where the buttons would stand over the labels of columns of maps, and on a phone, they have a line of their own.
  var own = f.maps.filter(function (m) { return m.of === undefined; }), top = Math.min.apply(null, own.map(function (m) { return m.top; }));
  var several = Math.max.apply(null, own.map(function (m) { return m.left; })) > f.width / 2.5, least = root.style.minWidth, stack = null, head = null;
  // The painter's title has lines of 22 px below a rim of 10; labels of columns or of maps follow in 18 to 38 px.
  var labelled = (top - 10) % 22 !== 0, titled = Math.floor((top - (labelled ? 28 : 10)) / 22);
  function words(font, css) {
    var e = document.createElement("div");
    e.style.cssText = "font:" + font + " 'Liberation Sans',Arial,Helvetica,sans-serif;color:var(--viz-" + css;
    return e;
  }
  function title() { return Array.from((svg || parsed()).querySelectorAll("text")).slice(0, titled).map(function (e) { return e.textContent; }).join(" "); }
  // The title of a map that is wider than a phone is written above what scrolls, and the image is drawn without it.
  function heading(width) {
    var phone = width > 0 && width < 600 && !stack && titled > 0, above = phone ? (6 + 22 * titled) * root.clientWidth / f.width : 0;
    if (head) head.remove();
    head = phone ? words("bold 15px", "ink);padding:4px;position:sticky;left:0;box-sizing:border-box;width:" + width + "px") : null;
    if (head) head.textContent = title();
    if (head) picture().before(head);
    picture().style.marginTop = -above + "px";
    picture().style.clipPath = above ? "inset(" + above + "px 0 0)" : "";
    bar.style.left = phone ? "6px" : "";
    bar.style.right = phone ? "auto" : "6px";
  }
  function room() {
    var width = root.clientWidth;
    root.style.paddingTop = Math.min(width, root.parentElement.clientWidth) < 600 && !stack || several && top * width / f.width < 46 && !stack ? "28px" : "";
    if ((several || own[0].areas && f.width > 480) && !f.frames) column(root.parentElement.clientWidth);
    heading(root.parentElement.clientWidth);
  }
  // On a phone maps that are wider, and those of a row, stand below each other: the image, cut.
  function column(width) {
    var phone = width > 0 && width < 600;
    if (phone === !!stack) return;
    hide();
    root.style.minWidth = phone ? "0" : least;
    picture().style.display = phone ? "none" : "block";
    bar.style.display = phone ? "none" : "flex";
    if (stack) stack.remove();
    stack = phone ? document.createElement("div") : null;
    if (!phone) return room();
    root.style.paddingTop = "";
    root.append(stack);
    var end = function (m) { return m.top + m.height; }, side = function (m) { return m.left + m.width; };
    if (titled) stack.append(Object.assign(words("bold 15px", "ink);padding:8px 4px"), { textContent: title() }));
    var low = Math.max.apply(null, own.map(end)), far = Math.max.apply(null, own.map(side));
    own.forEach(function (m, i) {
      var before = own.filter(function (o) { return o.row === m.row && o.left < m.left; }).map(side);
      var above = own.filter(function (o) { return o.row < m.row; }).map(end);
      var x = before.length ? Math.max.apply(null, before) + 4 : 0;
      var over = above.length ? Math.min(22, m.top - Math.max.apply(null, above) - 2) : labelled ? 22 : 4;
      if (several) cut(x, m.top - over, side(m) + 4 - x, m.height + over + 4);
      else { // letters would shrink with the map
        stack.append(Object.assign(words("bold 13px", "ink);padding:4px;text-align:center"), { textContent: between(m.top - over, m.top) }));
        cut(x, m.top - 2, side(m) + 4 - x, m.height + 6);
      }
      var last = !own[i + 1] || own[i + 1].row !== m.row;
      if (last && f.width - far > 40) cut(far + 4, m.top - 8, f.width - far - 4, m.height + 16, several ? 1.5 : 0.9); // the bars to the right of the row
    });
    // Below the maps: each bar, which is an image of 12 px, and the note in words.
    Array.from(parsed().querySelectorAll("image")).forEach(function (e) {
      var at = ["x", "y", "width", "height"].map(function (a) { return Number(e.getAttribute(a)) / 0.75; }), y = f.height + at[1];
      if (at[3] === 12 && at[2] > 12 && y > low) cut(at[0] - 16, y - 4, at[2] + 36, 52, 1);
    });
    var note = Array.from(parsed().querySelectorAll("text")).filter(function (e) { return Number(e.getAttribute("x")) === 7.5 && /font-size:8.25px/.test(e.getAttribute("style")) && f.height + e.getAttribute("y") / 0.75 > low; });
    stack.append(Object.assign(words("11px/1.3", "soft);padding:8px 4px"), { textContent: note.map(function (e) { return e.textContent; }).join(" ") }));
  }
  // The words of the image between two heights.
  function between(from, to) {
    return Array.from(parsed().querySelectorAll("text")).filter(function (e) { var y = f.height + Number(e.getAttribute("y")) / 0.75; return y > from && y < to; })
      .map(function (e) { return e.textContent; }).join(" ");
  }
  function cut(x, y, w, h, most) {
    var e = document.createElement("div"), copy = new Image(), k = Math.min((root.clientWidth - 4) / w, most || 1.5);
    e.style.cssText = "position:relative;overflow:hidden;margin:0 auto 4px;width:" + w * k + "px;height:" + h * k + "px";
    copy.style.cssText = "position:absolute;max-width:none;width:" + f.width * k + "px;left:" + -x * k + "px;top:" + -y * k + "px";
    copy.alt = "";
    copy.src = img.src;
    stack.appendChild(e).append(copy);
  }
  onTheme(paint);
  room();
  if (globalThis.ResizeObserver) new ResizeObserver(room).observe(root.parentElement);

  // The slider over the map: its colours, its title and its bar's label, and what is
  // outlined, follow from the bytes of the setting.
  var d = f.frames, m = f.maps[0];
  if (!d) return;
  var bytes = binary(d.values), drawn = [];
  for (var j = 0; j < m.cols * m.rows; j++) if (!bit(m.off, j)) drawn.push(j);
  var row = document.createElement("label"), input = document.createElement("input"), value = document.createElement("b");
  row.style.cssText = "display:flex;align-items:center;gap:10px;padding:6px 190px 4px 10px;font:13px 'Liberation Sans',Arial,Helvetica,sans-serif;color:var(--viz-ink)";
  input.style.cssText = "flex:1 1 160px;max-width:360px;accent-color:#0072b2";
  value.style.minWidth = "4em";
  input.type = "range";
  input.min = 0;
  input.max = d.labels.length - 1;
  input.step = 1;
  input.value = d.at;
  input.dataset.control = d.name;
  row.append(d.name, input, value);
  root.prepend(row);
  var now = d.at;
  function set(i) {
    open();
    var p = new Uint8Array(m.cols * m.rows).fill(255);
    drawn.forEach(function (j, n) { p[j] = bytes[i * drawn.length + n]; m.z[j] = p[j] === 255 ? NaN : d.low + p[j] / d.steps * (d.high - d.low); });
    f.maps.forEach(function (part) {
      if (part !== m && part.of !== 0) return;
      if (m.areas) return tone(m, d, part, p);
      var c0 = part === m ? 0 : part.from[0], r0 = part === m ? 0 : part.from[1];
      var at = function (c, r) { return (r + r0) * m.cols + c + c0; };
      var paper = document.createElement("canvas"), pen;
      paper.width = part.cols;
      paper.height = part.rows;
      pen = paper.getContext("2d");
      for (var r = 0; r < part.rows; r++) for (var c = 0; c < part.cols; c++) {
        var j = at(c, r), k = 6 * Math.min(p[j], d.steps + 1);
        if (bit(m.off, j)) continue; // the ground shows through
        pen.fillStyle = p[j] === 255 ? "rgba(128,128,128,.337)" : "#" + d.colors.slice(k, k + 6);
        pen.fillRect(c, r, 1, 1);
      }
      part.g.querySelector("image").setAttribute("href", paper.toDataURL()); // before its xlink:href
      var on = function (c, r) { var v = c >= 0 && r >= 0 && c < part.cols && r < part.rows ? p[at(c, r)] : 0; return v >= d.sure && v !== 255; };
      var path = "", w = part.w / part.cols, h = part.h / part.rows;
      var point = function (c, r) { return (part.x0 + c * w).toFixed(1) + "," + (part.y0 + part.h - r * h).toFixed(1); };
      for (r = 0; r <= part.rows; r++) for (c = 0; c <= part.cols; c++) {
        if (on(c, r - 1) !== on(c, r)) path += "M" + point(c, r) + "L" + point(c + 1, r);
        if (on(c - 1, r) !== on(c, r)) path += "M" + point(c, r) + "L" + point(c, r + 1);
      }
      if (part.decided) part.decided.querySelectorAll("path").forEach(function (e) { e.setAttribute("d", path); });
    });
    svg.querySelectorAll("text").forEach(function (e) {
      [d.bars, d.titles].forEach(function (texts) { if (e.textContent.trim() === texts[now].trim()) e.textContent = texts[i]; });
    });
    if (head) head.textContent = title();
    m.name = d.bars[i];
    now = i;
    value.textContent = d.labels[i];
    hide();
  }
  value.textContent = d.labels[now];
  var timer = 0, play = null;
  function stop() {
    clearInterval(timer);
    timer = 0;
    if (play) play.textContent = "play";
  }
  input.addEventListener("input", function () { stop(); set(Number(input.value)); });
  if (!d.pause) return;
  // Nothing moves before a reader asks for it.
  play = document.createElement("button");
  play.type = "button";
  play.style.cssText = "font:13px 'Liberation Sans',Arial,sans-serif;color:var(--viz-ink);background:var(--viz-ground);border:1px solid var(--viz-line);border-radius:3px;padding:2px 8px;cursor:pointer;white-space:nowrap";
  play.dataset.control = "play";
  stop();
  play.addEventListener("click", function () {
    if (timer) return stop();
    play.textContent = "pause";
    timer = setInterval(function () {
      if (!root.isConnected) return stop();
      input.value = (now + 1) % d.labels.length;
      set(Number(input.value));
    }, d.pause);
  });
  play.style.minWidth = "4em";
  input.style.flex = "1 1 50px";
  input.style.minWidth = "50px";
  value.style.minWidth = "1.5em";
  row.append(play);
})
