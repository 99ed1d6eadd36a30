// The controls of a panel that has no program behind it: a slider between
// settings that were drawn beforehand. d: panel, live, title, specs, seconds,
// frames {control, values, at, html} and, in frames.other, control, values and at
// of a second slider, why. In JupyterLab the front end of
// `kernel install` takes over what is live.
(function (d) {
  "use strict";
  // THEME
  // PLAY
  var here = this || document.currentScript; // a page calls it on the element with the data
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
    var first = Array.from(host.childNodes), holder = make("div");
    var axes = f.other ? [f, f.other] : [f], inputs = axes.map(slider);
    function slider(a) {
      var s = d.specs[a.control], row = make("label", "display:flex;align-items:center;gap:10px;margin:2px 0");
      var input = make("input", "flex:1 1 200px;max-width:360px;accent-color:var(--jp-brand-color1,#0072b2)");
      var value = make("b", "min-width:5em;font-variant-numeric:tabular-nums");
      input.type = "range";
      input.min = 0;
      input.max = a.values.length - 1;
      input.value = a.at;
      input.dataset.control = s.label;
      input.dataset.at = a.at;
      function tell() {
        input.dataset.value = a.values[input.value];
        value.textContent = input.ariaValueText = String(Number(a.values[input.value].toPrecision(4)));
      }
      input.addEventListener("input", function () { tell(); show(); });
      var button = player(input, s.label, function () { return true; });
      button.style.cssText = "font:11px/1.6 sans-serif;padding:0 7px;cursor:pointer;color:inherit;background:none;border:1px solid currentColor;border-radius:3px;opacity:.75";
      row.append(make("span", "opacity:.75", s.label), input, button, value);
      tell();
      return { row: row, input: input };
    }
    function show() {
      var at = inputs.map(function (e) { return Number(e.input.value); });
      if (at.every(function (i, k) { return i === axes[k].at; })) { host.replaceChildren.apply(host, first); return; }
      holder.innerHTML = html[f.other ? at[0] * f.other.values.length + at[1] : at[0]];
      host.replaceChildren(holder);
      holder.querySelectorAll('[id*="viz-"]').forEach(function (e) { // settings bring no program of their own
        if (e.querySelector("img")) tint(e, e.querySelector("img"), !e.dataset.uses);
      });
    }
    // The texts of values become the sliders.
    var texts = axes.map(function (a) { return box.children[d.specs.slice(0, a.control).filter(function (c) { return c.kind !== "button"; }).length]; });
    texts.forEach(function (e) { if (e) e.remove(); });
    box.prepend.apply(box, inputs.map(function (e) { return e.row; }));
    say(axes.map(function (a) { return a.values.length + " precomputed settings of " + d.specs[a.control].label; }).join(" times ") + (document.getElementById("jupyter-config-data") ? "; run the cell for the rest" : ""));
  }).catch(function () {});
  (globalThis.expfamLive = globalThis.expfamLive || []).push({ root: root, data: d });
})
