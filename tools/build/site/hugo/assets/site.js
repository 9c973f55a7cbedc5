// The pages work without this file. It adds the search and the button for light and dark.
(() => {
  const script = document.currentScript;
  const root = document.documentElement;
  root.dataset.script = "on";
  const stored = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;

  const theme = document.querySelector(".theme");
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* the choice holds for this page */ }
  });

  const form = document.querySelector(".search");
  const input = form.querySelector("input");
  const list = form.querySelector("ul");
  const base = script.dataset.index.replace(/search-index\.js$/, "");
  let index = null, loading = false;

  window.strataSearch = (pages) => {
    index = pages.map((p) => ({ ...p, low: p.title.toLowerCase(), body: p.text.toLowerCase() }));
    show();
  };
  const load = () => {
    if (loading) return;
    loading = true;
    const s = document.createElement("script");
    s.src = script.dataset.index;
    document.head.append(s);
  };

  // score is higher for words in the title than for words in a heading, and lowest in the text. A
  // page without one of the words has none.
  const score = (page, words) => {
    let sum = 0;
    for (const w of words) {
      const heading = page.headings.find((h) => h.t.toLowerCase().includes(w));
      if (page.low.includes(w)) sum += 20;
      if (heading) sum += 6;
      const at = page.body.indexOf(w);
      if (at < 0 && !heading && !page.low.includes(w)) return 0;
      if (at >= 0) sum += 1 + Math.min(4, page.body.split(w, 6).length - 1);
    }
    return sum;
  };

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = !words.length || !index;
    if (list.hidden) return;
    const found = index.map((page) => [score(page, words), page]).filter(([n]) => n > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, 12);
    for (const [, page] of found) {
      const heading = page.headings.find((h) => words.some((w) => h.t.toLowerCase().includes(w)));
      const at = Math.max(0, page.body.indexOf(words[0]) - 50);
      const link = document.createElement("a");
      link.href = base + page.url + (heading && !words.every((w) => page.low.includes(w)) ? "#" + heading.i : "");
      link.textContent = page.title;
      const excerpt = document.createElement("small");
      excerpt.textContent = page.text.slice(at, at + 120);
      link.append(excerpt);
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
    }
    if (!found.length) {
      const none = document.createElement("li");
      none.textContent = "No page has all of these words.";
      list.append(none);
    }
  };

  input.addEventListener("focus", load);
  input.addEventListener("input", () => { load(); show(); });
  form.addEventListener("submit", (e) => { e.preventDefault(); list.querySelector("a")?.click(); });
  document.addEventListener("keydown", (e) => {
    const typing = /^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? "");
    if (e.key === "/" && !typing) { e.preventDefault(); input.focus(); return; }
    if (e.key === "Escape" && form.contains(document.activeElement)) { list.hidden = true; input.blur(); return; }
    if ((e.key === "ArrowDown" || e.key === "ArrowUp") && form.contains(document.activeElement)) {
      const links = [...list.querySelectorAll("a")];
      const next = links.indexOf(document.activeElement) + (e.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? input : links[Math.min(next, links.length - 1)])?.focus();
      e.preventDefault();
    }
  });
  document.addEventListener("click", (e) => { if (!form.contains(e.target)) list.hidden = true; });
})();
