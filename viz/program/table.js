// The button that saves a table. f: id, csv.
(function (f) {
  "use strict";
  var root = Array.from(document.querySelectorAll("#" + f.id)).find(function (e) { return !e.dataset.live; });
  if (!root) return;
  root.dataset.live = "table";
  var button = document.createElement("button");
  button.type = "button";
  button.textContent = "CSV";
  button.title = button.ariaLabel = "save all rows as CSV";
  button.style.cssText = "margin:4px 0 6px;padding:1px 8px;font:11px Arial,sans-serif;color:inherit;background:none;border:1px solid #888;border-radius:3px;cursor:pointer;opacity:.75";
  button.addEventListener("click", function () {
    var a = document.createElement("a"), caption = root.querySelector("caption");
    a.href = URL.createObjectURL(new Blob([f.csv], { type: "text/csv" }));
    a.download = ((caption ? caption.textContent : "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "table") + ".csv";
    a.click();
    setTimeout(function () { URL.revokeObjectURL(a.href); }, 10000);
  });
  root.append(button);
})
