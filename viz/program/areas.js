  // The part of maps.js for maps of regions. Their outlines are the paths of the image in a group with the transform
  // rotate(0), one for each region.
  // The outlines of a map's regions, with their corners [x, y] in rings. They are read when the pointer first comes.
  function outlines(m) {
    if (m.lines) return m.lines;
    var image = parsed(), all = groups(image);
    f.maps.forEach(function (own, i) {
      if (!own.areas) return;
      own.ns = image.namespaceURI;
      own.x0 = 0.75 * own.left; own.y0 = 0.75 * (f.height - own.top - own.height); own.w = 0.75 * own.width; own.h = 0.75 * own.height;
      own.lines = Array.from(all[i].querySelectorAll('g[transform="rotate(0)"] path')).map(function (e) {
        var d = e.getAttribute("d"), a = { d: d, x: Infinity, y: Infinity, X: -Infinity, Y: -Infinity };
        a.rings = d.split("Z").slice(0, -1).map(function (ring) {
          return ring.slice(1).split("L").map(function (p) {
            p = p.split(",").map(Number);
            a.x = Math.min(a.x, p[0]); a.X = Math.max(a.X, p[0]); a.y = Math.min(a.y, p[1]); a.Y = Math.max(a.Y, p[1]);
            return p;
          });
        });
        return a;
      });
    });
    return m.lines;
  }
  // The number of the region at a place of a map, given as shares of it; -1 for none. The last painted lies above.
  function region(m, u, v) {
    var all = outlines(m), x = m.x0 + u * m.w, y = m.y0 + (1 - v) * m.h;
    for (var j = all.length - 1; j >= 0; j--) {
      var a = all[j], inside = false;
      if (x < a.x || x > a.X || y < a.y || y > a.Y) continue;
      a.rings.forEach(function (r) {
        for (var k = 0, l = r.length - 1; k < r.length; l = k++) {
          if ((r[k][1] > y) !== (r[l][1] > y) && x < (r[l][0] - r[k][0]) * (y - r[k][1]) / (r[l][1] - r[k][1]) + r[k][0]) inside = !inside;
        }
      });
      if (inside) return j;
    }
    return -1;
  }
  // Adds to a place p of the pointer the region that is there.
  function among(m, p) {
    p.k = 0;
    p.c = p.inset ? region(m, p.u, p.v) : region(m, view.u + p.u / view.s, view.v + p.v / view.s);
    p.m = p.inset ? f.maps[m.of] : m;
    p.name = (p.m.names || f.maps[0].names)[p.c];
    return p;
  }
  // Draws the outline of a region over a map.
  function trace(m, j, s, zoom) {
    var a = outlines(m)[j], e = m.frame.firstChild;
    if (!e) {
      var ns = m.ns;
      e = m.frame.appendChild(document.createElementNS(ns, "svg"));
      e.style.cssText = "display:block;width:100%;height:100%";
      e.setAttribute("preserveAspectRatio", "none");
      [["#fff", 4], ["#000", 2]].forEach(function (c) {
        var line = e.appendChild(document.createElementNS(ns, "path"));
        line.style.cssText = "fill:none;stroke:" + c[0] + ";stroke-width:" + c[1] + ";stroke-linejoin:round;vector-effect:non-scaling-stroke";
        line.setAttribute("transform", "scale(1,-1)");
      });
    }
    e.setAttribute("viewBox", [m.x0 + zoom.u * m.w, -(m.y0 + m.h) + zoom.v * m.h, m.w / zoom.s, m.h / zoom.s].join(" "));
    Array.from(e.childNodes).forEach(function (line) { line.setAttribute("d", a.d); });
    m.frame.style.display = "block";
    m.frame.style.border = m.frame.style.outline = 0;
    m.frame.style.overflow = "hidden";
    m.frame.style.left = m.left / s + "px";
    m.frame.style.top = offset() + m.top / s + "px";
    m.frame.style.width = m.width / s + "px";
    m.frame.style.height = m.height / s + "px";
  }
  // Gives regions the colours of a setting, and outlines those that are sure: an edge of two of them lies within.
  function tone(m, d, part, p) {
    var lines = outlines(part), edges = {}, path = "";
    Array.from(part.g.querySelectorAll('g[transform="rotate(0)"] path')).forEach(function (e, j) {
      if (bit(m.off, j)) return;
      var k = 6 * Math.min(p[j], d.steps + 1), many = /^color/.test(e.getAttribute("style"));
      var c = p[j] === 255 ? "rgba(128,128,128,.337)" : " #" + d.colors.slice(k, k + 6); // the space hides it from themes
      e.dataset.day = (many ? "color:" : "fill:") + c;
      e.setAttribute("style", e.dataset.day);
    });
    lines.forEach(function (a, j) {
      if (!(p[j] >= d.sure && p[j] !== 255)) return;
      a.rings.forEach(function (r) {
        r.forEach(function (c, k) {
          var b = r[(k + 1) % r.length], key = c < b ? c + " " + b : b + " " + c;
          edges[key] = edges[key] ? "" : "M" + c + "L" + b;
        });
      });
    });
    for (var key in edges) path += edges[key];
    if (part.decided) part.decided.querySelectorAll("path").forEach(function (e) { e.setAttribute("d", path); });
  }
