// Upgrades a static figure. f: id, option (ECharts), tips ([x, y, text] in px of
// the image), width, height, note, xticks and yticks (labelled ones).
(function (f) {
  "use strict";
  var root = Array.from(document.querySelectorAll("#" + f.id)).find(function (e) { return !e.dataset.live; });
  if (!root) return;
  root.dataset.live = "image";
  var img = root.querySelector("img");

  // The pointer over the image: the text of the nearest point within 16 px.
  var tip = document.createElement("div");
  tip.style.cssText = "position:absolute;display:none;pointer-events:none;white-space:pre;z-index:9;padding:4px 8px;" +
    "font:12px/1.4 sans-serif;color:#222;background:#fff;border:1px solid #999;border-radius:3px";
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

  function upgrade(echarts) {
    var o = f.option, box = document.createElement("div");
    box.style.cssText = "width:100%;height:" + (f.height - (f.note ? 24 : 0)) + "px";
    o.backgroundColor = "#fff";
    o.textStyle = { fontFamily: "'Liberation Sans',Arial,Helvetica,sans-serif" };
    o.tooltip.extraCssText = "white-space:pre";
    o.tooltip.confine = true;
    delete o.toolbox.feature.dataZoom.icon;
    // The wheel belongs to the notebook; with Ctrl it zooms.
    o.dataZoom.forEach(function (z) { z.zoomOnMouseWheel = "ctrl"; });
    // ECharts labels powers of ten only: give a logarithmic axis the static ticks.
    [[o.xAxis[0], f.xticks], [o.yAxis[0], f.yticks]].forEach(function (a) {
      if (a[0].type !== "log") return;
      a[0].axisLabel = { customValues: a[1] };
      a[0].axisTick = { customValues: a[1] };
    });
    if (o.tooltip.trigger === "axis") o.tooltip.formatter = function (items) {
      var lines = [], seen = {};
      items.forEach(function (p) {
        if (p.seriesType !== "line" || !p.seriesName || seen[p.seriesName]) return;
        seen[p.seriesName] = true;
        lines.push(p.marker + echarts.format.encodeHTML(p.seriesName) + ": " + Number(p.value[1]).toPrecision(4));
      });
      return lines.length ? echarts.format.encodeHTML(o.xAxis[0].name || "x") + " " + Number(items[0].value[0]).toPrecision(4) + "\n" + lines.join("\n") : "";
    };
    o.series.forEach(function (s) {
      s.emphasis = { disabled: true };
      s.z = 2;
      if (s.markArea) { s.markArea.silent = true; s.z = 0; }
      if (s.type === "scatter" && s.data.length && !s.data[0].name) s.silent = true;
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
    root.insertBefore(box, img);
    var chart;
    try {
      chart = echarts.init(box, null, { renderer: "canvas" });
      chart.setOption(o);
    } catch (e) {
      box.remove(); // the image is still there
      return;
    }
    img.style.display = tip.style.display = "none";
    root.dataset.live = "echarts";
    if (f.note) {
      var note = document.createElement("div");
      note.style.cssText = "font:11px/1.3 'Liberation Sans',Arial,Helvetica,sans-serif;color:#555;padding:0 10px 8px";
      note.textContent = f.note;
      root.insertBefore(note, img);
    }
    if (globalThis.ResizeObserver) new ResizeObserver(function () { chart.resize(); }).observe(box);
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
