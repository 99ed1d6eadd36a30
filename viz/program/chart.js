// Upgrades a static figure. f: id, width, columns, title, note, tips ([x, y, text]
// in px of the image), and its panels, each with option (ECharts), height, note,
// xticks and yticks (labelled ones).
(function (f) {
  "use strict";
  // THEME
  // SAVE
  var root = Array.from(document.querySelectorAll("#" + f.id)).find(function (e) { return !e.dataset.live; });
  if (!root) return;
  root.dataset.live = "image";
  var img = root.querySelector("img");

  // The pointer over the image: the text of the nearest point within 16 px.
  var tip = document.createElement("div");
  tip.style.cssText = "position:absolute;display:none;pointer-events:none;white-space:pre;z-index:9;padding:4px 8px;" +
    "font:12px/1.4 sans-serif;color:var(--viz-ink);background:var(--viz-ground);border:1px solid var(--viz-line);border-radius:3px";
  root.appendChild(tip);
  img.addEventListener("mousemove", function (e) {
    var r = img.getBoundingClientRect(), s = f.width / r.width;
    var x = (e.clientX - r.left) * s, y = (e.clientY - r.top) * s, best = 256, hit = null;
    f.tips.forEach(function (t) {
      var q = (t[0] - x) * (t[0] - x) + (t[1] - y) * (t[1] - y);
      if (q < best) { best = q; hit = t; }
    });
    tip.style.display = hit ? "block" : "none";
    if (!hit) return;
    tip.textContent = hit[2];
    tip.style.top = hit[1] / s + 10 + "px";
    var left = hit[0] / s + 10;
    tip.style.left = Math.max(0, left + tip.offsetWidth > r.width ? left - tip.offsetWidth - 20 : left) + "px";
  });
  img.addEventListener("mouseleave", function () { tip.style.display = "none"; });

  var bar = document.createElement("div"), night = false, redraw = null, narrow = 420; // px
  // A box of a phone's width, or of less than its double if it is all of the figure.
  function slim(width) { return width < narrow || width < 600 && width > 0.8 * root.clientWidth; }
  bar.style.cssText = "position:absolute;top:4px;right:6px;z-index:7;display:flex;gap:2px;opacity:.6";
  root.appendChild(bar);
  saves(bar, img);
  hovers(root, bar);
  onTheme(function () {
    var was = night;
    night = tint(root, img);
    if (redraw && night !== was) redraw();
  });
  // On a phone the image keeps letters of 10 px, so that its place scrolls, and nothing stands over its title.
  function place() {
    var phone = !redraw && root.parentElement.clientWidth > 0 && root.parentElement.clientWidth < 600;
    root.style.minWidth = phone ? f.width * 10 / 11 + "px" : "";
    if (!redraw) bar.style.display = phone ? "none" : "flex";
  }
  place();
  if (globalThis.ResizeObserver) new ResizeObserver(place).observe(root.parentElement);

  function text(s, css) {
    var e = document.createElement("div");
    e.style.cssText = "font:11px/1.3 'Liberation Sans',Arial,Helvetica,sans-serif;color:var(--viz-soft);padding:0 10px 8px;" + css;
    e.textContent = s;
    return e;
  }

  // The colours of a chart at night.
  function colours(v) {
    if (typeof v === "string") return /^#[0-9a-f]{6}$/i.test(v) ? dim(v) : v;
    if (v && typeof v === "object") Object.keys(v).forEach(function (k) { v[k] = colours(v[k]); });
    return v;
  }

  // A coordinate to a thousandth of its axis, however far from zero it is.
  function coordinate(v, axis) {
    if (axis.type === "log") return String(Number(v.toPrecision(4)));
    if (axis.type === "time") return new Date(v).toISOString().replace(/T00:00:00.*|(:00)?\.\d+Z/, "").replace("T", " ");
    var decimals = 3 - Math.floor(Math.log10(axis.max - axis.min));
    return String(Number(v.toFixed(Math.min(Math.max(decimals, 0), 12))));
  }

  // An option without what ECharts would take for HTML or for an address.
  function plain(key, v) {
    return /^(formatter|tooltip|(sub)?link|graphic|dataView|saveAsImage|options|baseOption|media|timeline)$/.test(key) ||
      typeof v === "string" && /^\s*image:/i.test(v) ? undefined : v;
  }

  // What a tip shows: lines, each with the colour of its series or none.
  function tips(lines) {
    var e = document.createElement("div");
    lines.forEach(function (l, i) {
      var dot = document.createElement("span");
      if (l[1]) {
        dot.style.cssText = "display:inline-block;margin-right:4px;border-radius:10px;width:10px;height:10px";
        dot.style.backgroundColor = l[1];
      }
      e.append(i ? "\n" : "", dot, l[0]);
    });
    return e;
  }

  // The legend takes the rows that its names need in a width, because a box may be narrower, and a font wider, than where
  // the chart was laid out. If they need more rows than the most, and than the layout has, the names are on pages.
  function legend(o, width, most) {
    var pen = document.createElement("canvas").getContext("2d"), rows = 1, x = 0, under = Number(o.legend.top) + 8;
    pen.font = "12px " + o.textStyle.fontFamily;
    o.legend.data.forEach(function (e) {
      var w = 23 + pen.measureText(e.name).width;
      if (x && x + w > width) { rows++; x = 0; }
      x += w + 14;
    });
    o.legend.width = width;
    if (rows > Math.max(most, (o.grid[0].top - under) / 20)) {
      o.legend.type = "scroll";
      o.legend.textStyle.lineHeight = 18; // else brackets are cut off
      rows = 1;
    }
    o.grid[0].top = under + 20 + 27 * (rows - 1);
  }

  // What JSON cannot say of a chart in a box of so many px.
  function complete(echarts, p, i, width) {
    width = width || f.width / f.columns; // where nobody looks yet
    var o = JSON.parse(JSON.stringify(p.option), plain), shared = p.option.tooltip.trigger === "axis", ink = "#222222", soft = "#555555", line = "#999999";
    o.title.textStyle.color = o.title.textStyle.color.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
    o.backgroundColor = "#ffffff";
    o.textStyle = { fontFamily: "'Liberation Sans',Arial,Helvetica,sans-serif", color: ink };
    o.legend.textStyle = { color: ink };
    o.tooltip = { trigger: shared ? "axis" : "item", backgroundColor: "#ffffff", borderColor: line, textStyle: { color: ink } };
    o.toolbox.iconStyle = { borderColor: soft };
    if (i === f.columns - 1 && !f.title) o.toolbox.right = 92; // beside the buttons that save
    [o.xAxis[0], o.yAxis[0]].forEach(function (a) {
      a.nameTextStyle = { color: ink };
      a.axisLine = Object.assign({}, a.axisLine, { lineStyle: { color: line } });
      a.axisTick = { lineStyle: { color: line } };
      a.axisLabel = Object.assign({ hideOverlap: true }, a.axisLabel, { color: soft });
    });
    o.tooltip.extraCssText = "white-space:pre";
    // The tools stand to the right of the title.
    o.title.textStyle.overflow = "truncate";
    var room = width - 108 - (Number(o.toolbox.right) || 0), pen = document.createElement("canvas").getContext("2d");
    pen.font = "bold 15px 'Liberation Sans',Arial,Helvetica,sans-serif";
    if (pen.measureText(o.title.text || "").width > room) { // a title needs its letters more than a figure its tools
      o.toolbox.show = false;
      room = width - 30 - (i === f.columns - 1 && !f.title ? 84 : 0); // the buttons that save stay
    }
    o.title.textStyle.width = room;
    if (!o.legend.show && width < 0.85 * f.width / f.columns) { // names have no room beside their lines
      o.legend.show = true;
    }
    if (slim(width)) { // as on a phone: the title has the line, the legend one of its own, and nothing stands over them
      o.toolbox.show = false;
      o.title.textStyle.width = width - 30;
    }
    if (pen.measureText(o.title.text || "").width > o.title.textStyle.width) { // two lines in the place of one
      o.title.top = 1;
      Object.assign(o.title.textStyle, { fontSize: 12, lineHeight: 13, overflow: "break" });
      o.legend.top = Math.max(Number(o.legend.top), 30);
    }
    (o.legend.data || []).forEach(function (e) { // of a band alone, a piece of it
      if (o.series.some(function (s) { return s.name === e.name; }) && o.series.every(function (s) { return s.name !== e.name || s.type === "custom"; })) e.icon = "rect";
    });
    if (o.legend.show && o.legend.data) legend(o, width - 30, Math.max(2, Math.floor(p.height / 110)));
    o.xAxis[0].nameTruncate = { maxWidth: f.width / f.columns - 90 };
    o.yAxis[0].nameTruncate = { maxWidth: p.height - 80 };
    o.tooltip.confine = true;
    delete o.toolbox.feature.dataZoom.icon;
    Object.assign(o.toolbox, { padding: 5, itemGap: 8 });
    o.legend.itemGap = 14;
    // The wheel belongs to the notebook; with Ctrl it zooms.
    o.dataZoom.forEach(function (z) { z.zoomOnMouseWheel = "ctrl"; });
    // ECharts labels powers of ten only: give a logarithmic axis the static ticks.
    [[o.xAxis[0], p.xticks], [o.yAxis[0], p.yticks]].forEach(function (a) {
      if (a[0].type !== "log") return;
      a[0].axisLabel = { customValues: a[1], color: soft, hideOverlap: true };
      a[0].axisTick = { customValues: a[1], lineStyle: { color: line } };
    });
    if (p.names) { // of districts, upright
      o.xAxis[0].axisLabel = { customValues: p.xticks, color: soft, rotate: 90, hideOverlap: false, interval: 0,
        formatter: function (v) { return p.names[p.xticks.indexOf(v)] || ""; } };
      o.xAxis[0].axisTick = { customValues: p.xticks, lineStyle: { color: line } };
    }
    if (night) colours(o);
    o.tooltip.formatter = shared ? function (items) {
      var lines = [], seen = {};
      items.forEach(function (p) {
        if (p.seriesType !== "line" || !p.seriesName || seen[p.seriesName]) return;
        seen[p.seriesName] = true;
        // A value that is missing or infinite has a name.
        lines.push([p.seriesName + ": " + (p.name || Number(p.value[1]).toPrecision(4)), p.color]);
      });
      return lines.length ? tips([[(o.xAxis[0].name || "x") + " " + coordinate(Number(items[0].value[0]), o.xAxis[0])]].concat(lines)) : "";
    } : function (p) { return p.name ? tips([[p.name]]) : ""; };
    o.series.forEach(function (s) {
      s.emphasis = { disabled: true };
      s.z = 2;
      if (s.markArea) { s.markArea.silent = true; s.z = 0; }
      if (s.type === "scatter" && s.data.length && !s.data[0].name) s.silent = true;
      if (s.symbolSize && s.symbolSize[0] < 1) { // the name of a line, beside it
        s.z = 3;
        s.label = { show: !o.legend.show, position: "inside", color: s.color, fontSize: 12, fontWeight: "bold", formatter: function () { return s.name; } };
      }
      if (s.type !== "custom") return;
      var rows = s.data;
      s.z = 1;
      s.silent = true;
      s.clip = true;
      s.renderItem = function (params, api) {
        if (params.dataIndex > 0) return null;
        var points = rows.map(function (r) { return api.coord([r[0], r[1]]); })
          .concat(rows.slice().reverse().map(function (r) { return api.coord([r[0], r[2]]); }));
        return { type: "polygon", shape: { points: points }, style: { fill: s.itemStyle.color, opacity: s.itemStyle.opacity } };
      };
    });
    return o;
  }

  function upgrade(echarts) {
    var frame = document.createElement("div"), shown = [];
    frame.style.cssText = "display:grid;grid-template-columns:repeat(" + Number(f.columns) + ",minmax(0,1fr))";
    root.insertBefore(frame, img);
    root.style.minWidth = ""; // that of the image on a phone; the charts have the page's width
    try {
      f.panels.forEach(function (p, i) {
        var cell = document.createElement("div"), box = document.createElement("div");
        box.style.cssText = "width:100%;height:" + (p.height - (p.note ? 24 : 0)) + "px";
        frame.appendChild(cell).appendChild(box);
        var chart = echarts.init(box, null, { renderer: "canvas", width: box.clientWidth || f.width / f.columns });
        shown.push([chart, box]);
        chart.setOption(complete(echarts, p, i, box.clientWidth));
        chart.on("datazoom", function () { // what it ends at now is no round number
          var ends = { axisLabel: { showMinLabel: false, showMaxLabel: false } };
          chart.setOption({ xAxis: ends, yAxis: ends });
        });
        if (p.note) cell.appendChild(text(p.note, ""));
      });
    } catch (e) {
      frame.remove(); // the image is still there
      place();
      return;
    }
    if (f.title) root.insertBefore(text(f.title, "font-weight:bold;font-size:15px;color:var(--viz-ink);padding:8px 110px 8px 10px"), frame);
    if (f.note) root.insertBefore(text(f.note, ""), img);
    img.style.display = tip.style.display = "none";
    root.dataset.live = "echarts";
    redraw = function () {
      shown.forEach(function (s, i) { s[0].setOption(complete(echarts, f.panels[i], i, s[1].clientWidth), { notMerge: true }); });
    };
    place();
    var was = slim(root.clientWidth), seen = root.clientWidth > 0; // where nobody looks yet, a figure has no width
    bar.style.display = was && !f.title ? "none" : "flex";
    if (globalThis.ResizeObserver) shown.forEach(function (s, i) {
      new ResizeObserver(function () {
        s[0].resize({ width: "auto" });
        var is = slim(root.clientWidth);
        if (i || is === was && (seen || !root.clientWidth)) return;
        was = is;
        seen = root.clientWidth > 0;
        bar.style.display = was && !f.title ? "none" : "flex";
        redraw();
      }).observe(s[1]);
    });
  }

  if (globalThis.echarts) return upgrade(globalThis.echarts);
  var config = document.getElementById("jupyter-config-data");
  if (!config) return;
  // One request for a page, however many figures wait for it.
  globalThis.expfamECharts = globalThis.expfamECharts || new Promise(function (done, fail) {
    var s = document.createElement("script");
    s.src = (JSON.parse(config.textContent).baseUrl || "/") + "lab/extensions/expfam-viz/echarts.min.js";
    s.onload = function () { globalThis.echarts ? done(globalThis.echarts) : fail(); };
    s.onerror = fail;
    document.head.appendChild(s);
  });
  globalThis.expfamECharts.then(upgrade, function () {});
})
