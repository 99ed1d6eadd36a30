// The controls of a panel that has no program behind it: a slider between
// settings that were drawn beforehand. d: panel, live, title, specs, seconds,
// frames {control, values, at, html}, why. In JupyterLab the front end of
// `kernel install` takes over what is live.
(function (d) {
  "use strict";
  // THEME
  var here = document.currentScript;
  var root = here && here.closest(".expfam-live") || Array.from(document.querySelectorAll('.expfam-live[data-panel="' + d.panel + '"]'))
    .filter(function (e) { return !e.dataset.made; }).pop();
  if (!root || root.dataset.made) return;
  root.dataset.made = "1";
  var box = root.querySelector(".expfam-live-controls"), host = root.querySelector(".expfam-live-figure"), f = d.frames;
  function make(tag, css, text) {
    var e = document.createElement(tag);
    e.style.cssText = css || "";
    if (text) e.textContent = text;
    return e;
  }
  function unpack(text) {
    var bytes = Uint8Array.from(atob(text), function (c) { return c.charCodeAt(0); });
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }
  function say(text) {
    var state = make("div", "opacity:.75;font-size:12px;margin-top:4px", text);
    state.dataset.status = "precomputed";
    box.append(state);
  }
  if (d.why) say(d.why);
  if (f && globalThis.DecompressionStream) unpack(f.html).then(function (html) {
    if (root.dataset.taken) return;
    var s = d.specs[f.control], first = Array.from(host.childNodes), holder = make("div");
    var row = make("label", "display:flex;align-items:center;gap:10px;margin:2px 0");
    var input = make("input", "flex:1 1 200px;max-width:360px;accent-color:var(--jp-brand-color1,#0072b2)");
    var value = make("b", "min-width:5em;font-variant-numeric:tabular-nums");
    input.type = "range";
    input.min = 0;
    input.max = f.values.length - 1;
    input.value = f.at;
    input.dataset.control = s.label;
    input.dataset.at = f.at;
    function show() {
      var i = Number(input.value);
      input.dataset.value = f.values[i];
      value.textContent = input.ariaValueText = String(Number(f.values[i].toPrecision(4)));
      if (i === f.at) { host.replaceChildren.apply(host, first); return; }
      holder.innerHTML = html[i];
      host.replaceChildren(holder);
      holder.querySelectorAll('[id^="viz-"]').forEach(function (e) { // settings bring no program of their own
        if (e.querySelector("img")) tint(e, e.querySelector("img"), !e.dataset.uses);
      });
    }
    input.addEventListener("input", show);
    // The value's text becomes the slider.
    var shown = d.specs.slice(0, f.control).filter(function (c) { return c.kind !== "button"; }).length;
    if (box.children[shown]) box.children[shown].remove();
    row.append(make("span", "opacity:.75", s.label), input, value);
    box.prepend(row);
    say(f.values.length + " precomputed settings of " + s.label + "; run the cell for the rest");
    value.textContent = String(Number(f.values[f.at].toPrecision(4)));
  }).catch(function () {});
  (globalThis.expfamLive = globalThis.expfamLive || []).push({ root: root, data: d });
})
