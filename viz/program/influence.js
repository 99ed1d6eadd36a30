// Lists the data that moved a cell of a map most. f: id of the list, map, the id of
// the figure whose event viz-cell names the cell, names of data, and for each cell
// effects: the number of a name, the effect and its noise, and so on.
(function (f) {
  "use strict";
  var root = Array.from(document.querySelectorAll("#" + f.id)).find(function (e) { return !e.dataset.live; });
  if (!root) return;
  root.dataset.live = "influence";
  var figure = root.previousElementSibling, head = root.querySelector(".viz-cell"), table = root.querySelector("table");
  while (figure && figure.id !== f.map) figure = figure.previousElementSibling;
  if (!figure || !head || !table) return;
  head.textContent = "The framed cell is moved most by (press another cell)";
  function number(v) { return String(v).replace(/-/g, "\u2212"); }
  figure.addEventListener("viz-cell", function (e) {
    var row = f.effects[e.detail];
    if (!row) return;
    head.textContent = "The cell that was pressed is moved most by";
    table.replaceChildren();
    for (var k = 0; k + 2 < row.length; k += 3) {
      var tr = document.createElement("tr");
      [f.names[row[k]], (row[k + 1] > 0 ? "+" : "") + number(row[k + 1]), "\u00b1 " + number(row[k + 2]) + " noise"].forEach(function (text, i) {
        var td = document.createElement("td");
        td.textContent = text;
        td.style.cssText = i ? "text-align:right;padding:1px 8px" + (i > 1 ? ";opacity:.7" : "") : "text-align:left;padding:1px 14px 1px 0";
        tr.append(td);
      });
      table.append(tr);
    }
  });
})
