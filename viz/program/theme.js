  // Day and night, by the ground of the page around a figure: JupyterLab's theme, VS Code's, or what a reader prefers.
  function isNight(e) {
    if (matchMedia("print").matches) return false;
    for (e = e.parentElement; e; e = e.parentElement) {
      var text = getComputedStyle(e).backgroundColor, c = (text.match(/[\d.]+/g) || []).map(Number);
      if (c.length < 3 || c.length > 3 && c[3] < 0.5) continue;
      return (0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]) * (/^color/.test(text) ? 255 : 1) < 128;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches && /dark/.test(getComputedStyle(document.documentElement).colorScheme);
  }
  // A colour at night: greys change places, dark colours are lighter unless they are those of data on a map. Two greys that lie over data stay,
  // and lakes are as dark as the ground is.
  function dim(hex, greys) {
    if (/^#(232323|fefefe)$/i.test(hex)) return hex;
    if (/^#d6e6f2$/i.test(hex)) return "#24384a";
    var c = [1, 3, 5].map(function (i) { return parseInt(hex.slice(i, i + 2), 16) / 255; });
    var hi = Math.max(c[0], c[1], c[2]), lo = Math.min(c[0], c[1], c[2]), l = (hi + lo) / 2, to = Math.max(l, 0.42 + 0.28 * l);
    if (hi - lo < 0.06) c = [0, 0, 0].map(function () { return 0.09 + 0.82 * (1 - l); });
    else if (greys) return hex;
    else c = c.map(function (v) { return to + (v - l) * (1 - Math.abs(2 * to - 1)) / (1 - Math.abs(2 * l - 1)); });
    return "#" + c.map(function (v) { return ("0" + Math.round(255 * v).toString(16)).slice(-2); }).join("");
  }
  function dimmed(css, greys) {
    return css.replace(/((?:fill|stroke):)(#[0-9a-f]{6})/gi, function (_, name, hex) { return name + dim(hex, greys); });
  }
  // Paints a figure's ground and image for the page; true at night. The image of the day is kept.
  function tint(root, img, greys) {
    var night = isNight(root), day = img.dataset.day || img.src;
    img.dataset.day = day;
    root.style.background = night ? "#171717" : "#fff";
    [["ink", "#222222"], ["soft", "#555555"], ["line", "#999999"], ["ground", "#ffffff"]].forEach(function (v) {
      root.style.setProperty("--viz-" + v[0], night ? dim(v[1]) : v[1]);
    });
    var head = "data:image/svg+xml;base64,", src = night && day.startsWith(head) ? head + btoa(dimmed(atob(day.slice(head.length)), greys)) : day;
    if (img.src !== src) img.src = src;
    return night;
  }
  // Calls f now and whenever the theme may have changed.
  function onTheme(f) {
    f();
    var late = function () { [50, 600, 2000].forEach(function (ms) { setTimeout(f, ms); }); }; // style sheets follow their names
    new MutationObserver(late).observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name", "data-vscode-theme-kind"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", late);
    matchMedia("print").addEventListener("change", f); // at once: paper is white
  }
