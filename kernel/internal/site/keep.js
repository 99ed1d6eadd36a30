// The site's service worker: it keeps what a reader has visited, so that it opens again without a network. Assets have names that tell
// their content and come from what is kept; pages come from the server, as long as it answers. VERSION is that of the site.
"use strict";
const prefix = "expfam " + registration.scope + " ", name = prefix + "VERSION";
addEventListener("install", () => skipWaiting());
addEventListener("activate", e => e.waitUntil((async () => {
  for (const other of await caches.keys()) if (other.startsWith(prefix) && other !== name) await caches.delete(other);
  await clients.claim();
})()));
const ours = url => url.startsWith(registration.scope);
const asset = url => url.startsWith(registration.scope + "assets/");

// get asks the server, and keeps its answer; not one from elsewhere, as of servers that send index.html on to its folder, because no page
// can be opened with it.
async function get(request) {
  const answer = await fetch(request);
  if (answer.ok && !answer.redirected) {
    try { await (await caches.open(name)).put(request.url, answer.clone()); } catch { /* no room to keep it: it is shown all the same */ }
  }
  return answer;
}
async function answer(request) {
  const kept = async () => (await caches.open(name)).match(request.url.replace(/#.*/, ""), { ignoreVary: true });
  if (asset(request.url)) return await kept() || get(request);
  try { return await get(request); } catch (e) {
    const page = await kept();
    if (page) return page;
    throw e;
  }
}
addEventListener("fetch", e => {
  if (e.request.method === "GET" && ours(e.request.url)) e.respondWith(answer(e.request));
});
// A page says what it has loaded before this worker came.
addEventListener("message", e => e.waitUntil((async () => {
  const all = await caches.open(name);
  for (const url of e.data.filter(ours)) if (!await all.match(url)) await get(new Request(url, { cache: "force-cache" })).catch(() => {});
})()));
