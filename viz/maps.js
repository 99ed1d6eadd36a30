// Answers the pointer over maps. f: id, width, maps; each with left, top, width,
// height in px of the image, its place row, cols and rows, the centre x, y of the
// upper left cell and the steps dx, dy, the names xname and yname of its axes if
// it has any, name, values (floats without their lowest byte, as base64) and held,
// bits of the cells held out if there are any.
(function (f) {
  "use strict";
  var root = Array.from(document.querySelectorAll("#" + f.id)).find(function (e) { return !e.dataset.live; });
  if (!root) return;
  root.dataset.live = "maps";
  var img = root.querySelector("img");
  function layer(css) {
    var e = document.createElement("div");
    e.style.cssText = "position:absolute;display:none;pointer-events:none;box-sizing:border-box;" + css;
    return root.appendChild(e);
  }
  function binary(s) { return Uint8Array.from(atob(s), function (c) { return c.charCodeAt(0); }); }
  f.maps.forEach(function (m) {
    var bytes = binary(m.values);
    m.out = binary(m.held || "");
    var bits = new Uint32Array(bytes.length / 3);
    for (var i = 0; i < bits.length; i++) bits[i] = (bytes[3 * i] << 8 | bytes[3 * i + 1] << 16 | bytes[3 * i + 2] << 24) >>> 0;
    m.z = new Float32Array(bits.buffer);
    m.frame = layer("border:1px solid #000;outline:1px solid #fff;z-index:8");
  });
  var tip = layer("white-space:pre;z-index:9;padding:4px 8px;font:12px/1.4 'Liberation Sans',Arial,Helvetica,sans-serif;" +
    "color:#222;background:#fff;border:1px solid #999;border-radius:3px");

  function number(v) {
    // Counts are whole, as far as the 17 bits go.
    var exact = Number.isInteger(v) && Math.abs(v) < 131072;
    return isNaN(v) ? "no value" : String(exact ? v : Number(v.toPrecision(4))).replace(/-/g, "\u2212");
  }
  function hide() {
    tip.style.display = "none";
    f.maps.forEach(function (m) { m.frame.style.display = "none"; });
  }
  function show(e) {
    var r = img.getBoundingClientRect(), s = f.width / r.width;
    var x = (e.clientX - r.left) * s, y = (e.clientY - r.top) * s;
    var hit = f.maps.find(function (m) { return x >= m.left && x < m.left + m.width && y >= m.top && y < m.top + m.height; });
    if (!hit) return hide();
    var c = Math.floor((x - hit.left) / hit.width * hit.cols), k = Math.floor((y - hit.top) / hit.height * hit.rows);
    var lines = [hit.xname || hit.yname ?
      (hit.xname || "x") + " " + number(hit.x + c * hit.dx) + ", " + (hit.yname || "y") + " " + number(hit.y + k * hit.dy) :
      "row " + k + ", column " + c];
    // The same cell of all maps is framed, and the values of one row compared.
    f.maps.forEach(function (m) {
      var same = m.cols === hit.cols && m.rows === hit.rows, w = m.width / m.cols, h = m.height / m.rows;
      m.frame.style.display = same ? "block" : "none";
      if (!same) return;
      var bw = Math.max(w, 5 * s) + 2 * s, bh = Math.max(h, 5 * s) + 2 * s;
      m.frame.style.left = (m.left + (c + 0.5) * w - bw / 2) / s + "px";
      m.frame.style.top = (m.top + (k + 0.5) * h - bh / 2) / s + "px";
      m.frame.style.width = bw / s + "px";
      m.frame.style.height = bh / s + "px";
      if (m.row !== hit.row) return;
      var j = k * m.cols + c;
      lines.push((m === hit && f.maps.length > 1 ? "\u25b8 " : "") + (m.name ? m.name + ": " : "") + number(m.z[j]) + (m.out[j >> 3] >> (j & 7) & 1 ? " (held out)" : ""));
    });
    tip.textContent = lines.join("\n");
    tip.style.display = "block";
    var left = x / s + 14, top = y / s + 14;
    tip.style.left = Math.max(0, left + tip.offsetWidth > r.width ? left - tip.offsetWidth - 28 : left) + "px";
    tip.style.top = Math.max(0, top + tip.offsetHeight > r.height ? top - tip.offsetHeight - 28 : top) + "px";
  }
  img.addEventListener("pointermove", show);
  img.addEventListener("pointerdown", show);
  img.addEventListener("pointerleave", hide);
})
