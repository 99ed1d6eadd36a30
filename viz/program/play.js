  // A button that moves a slider in steps from where it stands to its end, from the beginning if it stands there already.
  // ready tells whether the figure has followed. Whoever moves the slider stops it; who prefers less motion has no button.
  function player(input, label, ready) {
    var b = document.createElement("button"), timer = 0;
    b.type = "button";
    b.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
    function stop() {
      clearInterval(timer);
      timer = 0;
      b.textContent = "▶\uFE0E";
      b.title = "Move it to its end";
      b.setAttribute("aria-label", "play " + label);
    }
    function move(value) {
      input.value = value;
      ["input", "change"].forEach(function (name) { input.dispatchEvent(new Event(name)); });
    }
    b.addEventListener("click", function () {
      if (timer) return stop();
      var low = Number(input.min), max = Number(input.max), step = Number(input.step) || 1;
      var high = Math.min(max, low + step * Math.floor((max - low) / step + 1e-9)), n = Math.min(40, (high - low) / step); // the last step
      timer = setInterval(function () {
        if (input.disabled || !input.isConnected || Number(input.value) >= high) return stop();
        if (!ready()) return;
        move(Math.min(high, Number(input.value) + (high - low) / n));
      }, Math.max(120, Math.min(500, 5000 / n)));
      b.textContent = "■";
      b.title = "Stop";
      b.setAttribute("aria-label", "stop " + label);
      if (Number(input.value) >= high) move(low);
    });
    ["pointerdown", "keydown"].forEach(function (name) { input.addEventListener(name, function () { if (timer) stop(); }); });
    stop();
    return b;
  }
