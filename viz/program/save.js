  // Shows a bar of buttons while the pointer is over the figure or one has the focus; where nothing hovers, always.
  function hovers(root, bar) {
    if (matchMedia("(hover: none)").matches) return;
    function see(on) { return function () { bar.style.opacity = on ? 0.85 : 0; }; }
    see(false)();
    root.addEventListener("pointerenter", see(true));
    root.addEventListener("pointerleave", see(false));
    bar.addEventListener("focusin", see(true));
    bar.addEventListener("focusout", see(false));
  }
  // Buttons that save the whole picture, all panels or maps together, as a file.
  function saves(bar, img) {
    var name = img.alt.split(/[;:]/)[0].toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
    if (!/[a-z]{2}/.test(name)) name = "figure";
    function save(blob, type) {
      var a = document.createElement("a");
      a.href = URL.createObjectURL(blob);
      a.download = name + "." + type;
      a.click();
      setTimeout(function () { URL.revokeObjectURL(a.href); }, 10000);
    }
    function svg() { return new Blob([Uint8Array.from(atob((img.dataset.day || img.src).split(",")[1]), function (c) { return c.charCodeAt(0); })], { type: "image/svg+xml" }); }
    [["SVG", function () { save(svg(), "svg"); }],
     ["PNG", function () {
      var picture = new Image(), paper = document.createElement("canvas");
      picture.onload = function () {
        paper.width = 2 * picture.naturalWidth;
        paper.height = 2 * picture.naturalHeight;
        paper.getContext("2d").drawImage(picture, 0, 0, paper.width, paper.height);
        paper.toBlob(function (blob) { save(blob, "png"); });
      };
      picture.src = img.dataset.day || img.src;
    }]].forEach(function (b) {
      var e = document.createElement("button");
      e.type = "button";
      e.textContent = b[0];
      e.title = e.ariaLabel = "save the whole figure as " + b[0];
      e.style.cssText = "height:22px;padding:0 5px;font:11px/1 Arial,sans-serif;color:var(--viz-ink);background:var(--viz-ground);border:1px solid var(--viz-line);border-radius:3px;cursor:pointer";
      e.addEventListener("click", b[1]);
      bar.append(e);
    });
  }
