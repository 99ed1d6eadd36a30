// Gives a figure that grows the colours of its page. f: id.
(function (f) {
  "use strict";
  // THEME
  document.querySelectorAll("#" + f.id).forEach(function (root) { tint(root, root.querySelector("img")); });
})
