// Sanitises HTML that a page's own program makes while it runs. The argument is the policy, that of policy.go; the value is a function that
// returns what of HTML shows something, as nodes. Scripts become data of figures, as an exporter makes them, or nothing.
(policy => {
  "use strict";
  const pattern = text => new RegExp(text, "i");
  const classes = pattern(policy.classes), image = pattern("^data:" + policy.image.slice(1) + "[A-Za-z0-9+/=\\s]*$");
  const elements = new Set(policy.elements), skipped = new Set(policy.skipped), attributes = new Map(), styles = new Map();
  const enter = (map, key, value) => map.set(key, [...map.get(key) || [], pattern(value)]);
  for (const r of policy.attributes) for (const n of r.names) for (const e of r.elements || ["*"]) enter(attributes, e + " " + n, r.value);
  for (const r of policy.styles) for (const n of r.names) enter(styles, n, r.value);
  const allowed = (map, key, value) => (map.get(key) || []).some(p => p.test(value));

  const style = text => text.split(";").map(part => {
    const at = part.indexOf(":"), property = part.slice(0, at).trim().toLowerCase(), value = part.slice(at + 1).trim();
    return at > 0 && allowed(styles, property, value) ? property + ": " + value : "";
  }).filter(Boolean).join("; ");

  // figure is the data of a figure's program, with ids as content has them.
  function figure(old) {
    if (old.type !== "application/json" || !policy.programs.includes(old.dataset.program)) return [];
    let data;
    try { data = JSON.parse(old.textContent); } catch { return []; }
    if (!data || !allowed(attributes, "* id", data.id)) return [];
    data.id = policy.prefix + data.id;
    const e = document.createElement("script");
    e.type = old.type;
    e.dataset.program = old.dataset.program;
    e.textContent = JSON.stringify(data);
    return [e];
  }

  function shown(old) {
    if (old.nodeType === Node.TEXT_NODE) return [document.createTextNode(old.data)];
    if (old.nodeType !== Node.ELEMENT_NODE) return [];
    const name = old.localName;
    if (name === "script") return figure(old);
    if (skipped.has(name)) return [];
    const inside = Array.from(old.childNodes).flatMap(shown);
    if (!elements.has(name) || old.namespaceURI !== "http://www.w3.org/1999/xhtml") return inside;
    const e = document.createElement(name);
    for (const a of old.attributes) {
      let value = a.value;
      if (a.name === "style") value = style(value);
      else if (!allowed(attributes, name + " " + a.name, value) && !allowed(attributes, "* " + a.name, value)) continue;
      if (a.name === "src" && !image.test(value)) continue;
      if (a.name === "id") value = policy.prefix + value;
      if (a.name === "class") value = value.split(/\s+/).filter(c => classes.test(c)).join(" ");
      if (value || a.name === "alt") e.setAttribute(a.name, value);
    }
    if (name === "a" && e.hasAttribute("href") && !/^(https?|mailto|file):$/.test(e.protocol)) e.removeAttribute("href");
    if (name === "img" && !e.hasAttribute("src")) return [document.createTextNode(e.alt)];
    e.append(...inside);
    return [e];
  }

  return html => {
    const all = document.createDocumentFragment();
    all.append(...Array.from(new DOMParser().parseFromString(html, "text/html").body.childNodes).flatMap(shown));
    return all;
  };
})
