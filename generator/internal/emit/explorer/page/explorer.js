"use strict";
// The program of a page of strata explorer. It reads the data of the page and shows it. Texts of
// schemas become texts of elements, and never markup.
const explore = () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const app = document.getElementById("app");
  const states = ["lone", "added", "same", "changed", "back", "bag", "nowhere", "absent"];
  const live = new Set(["lone", "added", "same", "changed", "back"]);

  // make returns an element with properties and children. Texts become text nodes.
  const make = (tag, properties, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(properties ?? {})) {
      if (name === "class") e.className = value;
      else if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
      else if (value !== undefined) e.setAttribute(name, value);
    }
    e.append(...children.filter((c) => c !== "" && c !== undefined && c !== null));
    return e;
  };
  const drawn = (tag, attributes, ...children) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    e.append(...children);
    return e;
  };

  // cellsOf returns a cell of a property for each version.
  const known = new Map();
  const cellsOf = (property) => {
    let cells = known.get(property);
    if (cells) return cells;
    cells = [];
    for (const r of property.runs) {
      const text = (i) => data.texts[r[i] ?? 0];
      const flags = r[8] ?? 0;
      const cell = {
        state: states[r[1] ?? 0], name: text(2), type: data.types[r[3] ?? 0], doc: text(4), was: text(5), wasType: text(6), preset: text(7),
        required: flags & 1, readOnly: flags & 2, secret: flags & 4, outdated: flags & 8, dropped: flags & 16, converted: flags & 32, moved: text(9), child: r[10] ?? 0,
        keys: (data.keys[r[11] ?? 0] ?? []).map((k) => ({name: data.texts[k[0]], since: k[1], type: data.texts[k[2]], old: k[3]})),
      };
      for (let n = r[0]; n > 0; n--) cells.push(cell);
    }
    known.set(property, cells);
    return cells;
  };

  // A node is a property at one path of a kind. object is the object that has it.
  const node = (kind, parent, object, property, suffix) => ({kind, parent, object, property, id: data.texts[property.id] + suffix, level: parent ? parent.level + 1 : 1});
  const rootsOf = (kind) => {
    kind.roots ??= [{kind, id: "spec", root: 0, level: 1}].concat(kind.status ? [{kind, id: "status", root: kind.status, level: 1}] : []);
    return kind.roots;
  };
  const objectsIn = (n) => n.root !== undefined ? [n.root] : [...new Set(cellsOf(n.property).map((c) => c.child).filter((c) => c))];
  const below = (n) => n.below ??= objectsIn(n).flatMap((object, i) =>
    (n.kind.objects[object].of ?? []).map((p) => node(n.kind, n, object, p, i ? "~" + i : "")));
  const hasBelow = (n) => objectsIn(n).some((object) => n.kind.objects[object].of?.length > 0);
  const trail = (n) => n.parent ? [...trail(n.parent), n.id] : [n.id];
  const find = (kind, ids) => {
    let all = rootsOf(kind), at;
    for (const id of ids) {
      at = all.find((n) => n.id === id);
      if (!at) return undefined;
      all = below(at);
    }
    return at;
  };
  // at returns the cell of a node in a version: that of the property, or where the bag is that has
  // the value as a part of another one.
  const at = (n, v) => {
    if (n.root !== undefined) return {state: "same", name: n.id, type: {text: "object"}, keys: [], root: true, child: n.root};
    const own = cellsOf(n.property)[v];
    if (own.state !== "absent" && has(n.parent, v, n.object)) return own;
    for (let up = n.parent, object = n.object; up; object = up.object, up = up.parent) {
      if (up.root !== undefined) break;
      if (!has(up.parent, v, up.object)) continue;
      const keys = cellsOf(up.property)[v].keys.filter((k) => cellsOf(up.property)[k.since].child === object);
      if (keys.length) return {...own, state: "within", keys, owner: up};
      break;
    }
    return {...own, state: "nowhere", keys: []};
  };
  const has = (n, v, object) => {
    if (n.root !== undefined) return n.kind.objects[object].of?.some((p) => cellsOf(p)[v].state !== "absent") ?? false;
    const c = at(n, v);
    return live.has(c.state) && c.child === object;
  };
  const pathIn = (n, v) => n.root !== undefined ? n.id : pathIn(n.parent, v) + "." + (cellsOf(n.property)[v].name || n.id) + stepsOf(n, v);
  const stepsOf = (n, v) => cellsOf(n.property)[v].child ? [...cellsOf(n.property)[v].type.wrap ?? ""].slice(n.id === "*" ? 1 : 0).map((w) => w === "l" ? "[]" : ".*").join("") : "";
  const pathOf = (n) => trail(n).join(".");

  // The state of the page. It is in the fragment of the address.
  const view = {kind: data.kinds[0], node: undefined, a: "", b: "", sample: "", all: false, query: ""};
  const open = new Set();
  const linkTo = (change) => {
    const s = {...view, ...change};
    const path = [s.kind.name, ...(s.node ? trail(s.node) : [])].map(encodeURIComponent).join("/");
    const more = new URLSearchParams();
    for (const [name, value] of [["a", s.a], ["b", s.b], ["sample", s.sample], ["all", s.all ? "1" : ""], ["q", s.query]]) if (value) more.set(name, value);
    return "#" + path + (more.size ? "?" + more : "");
  };
  const read = () => {
    const [path, more] = location.hash.slice(1).split("?");
    let ids;
    try { ids = path.split("/").map(decodeURIComponent); } catch { ids = [""]; }
    const given = new URLSearchParams(more ?? "");
    view.kind = data.kinds.find((k) => k.name === ids[0]) ?? data.kinds[0];
    view.node = ids.length > 1 ? find(view.kind, ids.slice(1)) : undefined;
    const label = (name) => view.kind.versions.some((v) => v.label === given.get(name)) ? given.get(name) : "";
    view.a = label("a"); view.b = label("b"); view.sample = label("sample");
    if (!view.a || !view.b) view.a = view.b = "";
    view.all = given.get("all") === "1"; view.query = given.get("q") ?? "";
    for (let n = view.node?.parent; n; n = n.parent) open.add(n);
  };
  const go = (change) => {
    const link = linkTo(change);
    if (link !== location.hash) history.pushState(null, "", link);
    read();
    render();
  };
  const indexOf = (label) => view.kind.versions.findIndex((v) => v.label === label);

  // The words of a cell.
  const words = (c) => {
    const gone = c.dropped ? "dropped; " : "";
    if (c.moved && !live.has(c.state)) return gone + "moved to " + c.moved;
    switch (c.state) {
      case "lone": return c.name;
      case "added": return "new: " + c.name;
      case "same": return "same";
      case "back": return "back" + changes(c, ": ");
      case "changed": return changes(c, "");
      case "bag": return gone + "in the bag: " + keysText(c);
      case "within": return gone + "in the bag: " + keysText(c) + " of " + c.owner.id;
      default: return c.dropped ? "dropped" : "–";
    }
  };
  const changes = (c, prefix) => {
    const all = [c.was && "renamed from " + c.was, c.wasType ? "retyped from " + c.wasType : c.converted && "converted"].filter((t) => t);
    return all.length ? prefix + all.join(", ") : "";
  };
  const keysText = (c) => [...new Set(c.keys.filter((k) => !k.old).map((k) => k.name))].join(", ");
  const classOf = (c) => (c.moved && !live.has(c.state) ? "moved" : c.state) + (c.dropped && c.state === "nowhere" ? " dropped" : "");

  // differs returns what differs of a node between two versions; empty if nothing does.
  const differs = (n, a, b) => {
    const x = at(n, a), y = at(n, b), was = live.has(x.state), is = live.has(y.state);
    if (!was && !is) return "";
    if (!was) return "added";
    if (!is) return y.moved ? "moved to " + y.moved : "removed";
    const all = [];
    if (x.name !== y.name) all.push("renamed from " + x.name);
    if (x.type.text !== y.type.text) all.push("type was " + x.type.text);
    if (!!x.required !== !!y.required) all.push(y.required ? "required now" : "no longer required");
    if (x.preset !== y.preset) all.push("default was " + (x.preset || "none"));
    return all.join(", ");
  };
  // comparison lists the nodes that differ between two versions. It visits each object once, at the
  // shortest path, because an object may contain itself.
  const comparison = (kind, a, b) => {
    const out = [], seen = new Set(), queue = rootsOf(kind).map((r) => [r, r.root]);
    for (let i = 0; i < queue.length; i++) {
      const [n, object] = queue[i];
      if (seen.has(object)) continue;
      seen.add(object);
      for (const c of below(n)) {
        if (c.object !== object) continue;
        const text = differs(c, a, b);
        if (text) out.push({node: c, text, path: pathOf(c)});
        if (live.has(at(c, a).state) && live.has(at(c, b).state)) for (const o of objectsIn(c)) queue.push([c, o]);
      }
    }
    return out.sort((x, y) => x.path < y.path ? -1 : 1);
  };

  // visible lists the nodes of the table.
  const visible = () => {
    const out = [];
    const add = (n) => { out.push(n); if (open.has(n)) below(n).forEach(add); };
    rootsOf(view.kind).forEach(add);
    return out;
  };

  // The parts of the page.
  const chain = make("div", {class: "chain", tabindex: "0", role: "group", "aria-label": "Chain of versions"});
  const results = make("ul", {class: "found", role: "listbox", id: "found", "aria-label": "Properties that match", hidden: ""});
  const input = make("input", {type: "search", id: "search", role: "combobox", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false"});
  const kinds = make("select", {onchange: () => go({kind: data.kinds[kinds.selectedIndex], node: undefined, a: "", b: "", sample: "", query: ""})}, ...data.kinds.map((k) => make("option", {}, k.name)));
  const first = make("select", {onchange: () => compare(first.value, second.value)});
  const second = make("select", {onchange: () => compare(first.value, second.value)});
  const grid = make("table", {class: "grid", role: "treegrid", "aria-label": "Properties by version"});
  const about = make("aside", {"aria-label": "Details", "aria-live": "polite"});
  const sampleVersion = make("select", {onchange: () => go({sample: sampleVersion.value})});
  const sampleAll = make("input", {type: "checkbox", onchange: () => go({all: sampleAll.checked, sample: sampleVersion.value})});
  const sampleText = make("pre", {tabindex: "0", "aria-label": "Sample manifest"});
  const copied = make("span", {class: "quiet", role: "status"});
  const keysList = [
    ["/", "search"], ["↑ ↓", "move between rows"], ["← →", "fold and unfold a row, and move between cells"], ["Enter", "show the details of the row"],
    ["c", "compare versions"], ["s", "go to the sample manifest"], ["o", "go to the object"], ["?", "list the keys"], ["Escape", "close, and end a comparison"],
  ];
  const help = make("dialog", {"aria-label": "Keys"}, make("h2", {}, "Keys"), make("dl", {}, ...keysList.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])), make("form", {method: "dialog"}, make("button", {onclick: (e) => { e.preventDefault(); help.close(); }}, "Close")));
  const wide = make("div", {class: "scroll", onscroll: () => drawNear()}, grid);
  const samples = make("section", {"aria-label": "Sample"}, make("h2", {}, "Sample manifest"),
    make("div", {class: "tools"}, make("label", {}, "Version", sampleVersion), make("label", {}, "All properties", sampleAll), make("button", {onclick: () => copy()}, "Copy"), copied), sampleText);
  const pasted = make("textarea", {rows: "12", spellcheck: "false", autocomplete: "off"});
  const shown = make("p", {role: "status"});
  const views = make("div", {class: "views"});
  const converter = app.dataset.converter;
  const objects = make("section", {class: "objects", "aria-label": "Object in every version"}, make("h2", {}, "An object in every version"), ...(converter ? [
    make("label", {}, "Object to show, as YAML or JSON", pasted),
    make("div", {class: "tools"}, make("button", {onclick: () => showObject()}, "Show in every version"), make("button", {onclick: () => { pasted.value = sampleText.textContent; pasted.focus(); }}, "Take the sample")),
    make("p", {class: "quiet"}, "The page converts the object itself. It sends nothing."), shown, views,
  ] : [make("p", {}, "These pages cannot convert objects. Write them with ", make("code", {}, "strata explorer --convert"), " to see an object that you paste in every version.")]));
  app.replaceChildren(
    make("header", {}, make("h1", {}, data.group), make("div", {class: "tools"},
      make("label", {}, "Kind", kinds), make("div", {class: "search"}, make("label", {for: "search"}, "Search"), input, results),
      make("label", {}, "Compare", first), make("label", {}, "with", second),
      make("button", {onclick: () => help.showModal()}, "Keys"), make("a", {href: app.dataset.index}, "All groups"))),
    chain, make("main", {class: "page"}, wide, make("div", {}, about, samples), objects), help);
  const compare = (a, b) => go(a && b && a !== b ? {a, b} : {a: "", b: ""});

  // drawChain draws the versions, each with an arrow to its neighbour towards the hub.
  const drawChain = () => {
    const all = view.kind.versions, width = 12 + 7.4 * Math.max(...all.map((v) => v.label.length)), height = 26, gap = 28;
    const places = [], columns = [];
    all.forEach((v, i) => {
      if (v.leaf) return;
      places[i] = {x: columns.length * (width + gap), y: 0};
      columns.push(1);
    });
    all.forEach((v, i) => {
      if (!v.leaf) return;
      const column = places[v.next].x / (width + gap);
      places[i] = {x: places[v.next].x, y: columns[column]++ * (height + 14)};
    });
    const tall = Math.max(...columns) * (height + 14) + 4;
    const svg = drawn("svg", {role: "group", width: columns.length * (width + gap), height: tall, "aria-label": "Versions of " + view.kind.name + ", each with its neighbour towards the hub"},
      drawn("defs", {}, drawn("marker", {id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse"}, drawn("path", {d: "M0 0 8 4 0 8z"}))));
    all.forEach((v, i) => {
      if (v.next === i) return;
      const p = places[i], q = places[v.next], y = height / 2 + 2;
      const d = v.leaf ? `M${p.x + 2} ${p.y + y}h-1V${q.y + height + 3}` : p.x < q.x ? `M${p.x + width} ${y}H${q.x - 2}` : `M${p.x} ${y}H${q.x + width + 2}`;
      svg.append(drawn("path", {d: v.leaf ? `M${p.x + 10} ${p.y + 2}V${q.y + height + 4}` : d, "marker-end": "url(#tip)"}));
    });
    all.forEach((v, i) => {
      const p = places[i], hub = v.next === i;
      const steps = v.byHand ?? [];
      const said = v.label + (hub ? ", the hub" : ", next to " + all[v.next].label) + (v.leaf ? ", a leaf" : "") + (v.pruned ? ", pruned" : "") + (view.kind.live ? ", " + objectsOf(view.kind.live.originals[i]) : "") + (steps.length ? ", steps written by hand: " + steps.join(", ") : "");
      svg.append(drawn("a", {href: linkTo({sample: v.label}), class: hub ? "hub" : v.leaf ? "leaf" : "", "aria-label": said}, drawn("title", {}, said),
        drawn("rect", {x: p.x + 1, y: p.y + 2, width: width - 2, height, rx: 4}), Object.assign(drawn("text", {x: p.x + width / 2, y: p.y + 19}), {textContent: v.label}),
        ...(steps.length ? [drawn("circle", {class: "byhand", cx: p.x + width - 5, cy: p.y + 6, r: 5})] : [])));
    });
    const written = all.filter((v) => v.byHand);
    chain.replaceChildren(svg, ...(written.length ? [make("ul", {class: "steps", "aria-label": "Steps written by hand"}, ...written.map((v) =>
      make("li", {}, make("span", {class: "byhand", "aria-hidden": "true"}, "● "), v.label + (v.next === all.indexOf(v) ? "" : " to " + all[v.next].label) + ": ", make("span", {class: "code"}, v.byHand.join(", ")))))] : []));
  };

  // The rows of the table are drawn as they are needed: some at once, and more when the reader comes
  // near the last one.
  const block = 100;
  let pending = {rows: [], columns: [], compared: false, next: 0};
  const drawMore = () => {
    const {rows, columns, compared, next} = pending, some = rows.slice(next, next + block);
    pending.next += some.length;
    grid.tBodies[0].append(...some.map((r, i) => {
      const out = row(r, columns, compared);
      out.setAttribute("aria-rowindex", String(next + i + 2));
      return out;
    }));
    return some.length > 0;
  };
  // drawUntil draws rows up to that of a node, and at least the first ones.
  const drawUntil = (n) => {
    const at = pending.rows.findIndex((r) => r.node === n);
    do { if (!drawMore()) return; } while (pending.next <= at);
  };
  const drawNear = () => { while (wide.scrollTop + 2 * wide.clientHeight > wide.scrollHeight && drawMore()); };
  // drawGrid draws the table, with one cell that the keyboard reaches.
  const drawGrid = () => {
    const compared = view.a && view.b, columns = view.kind.versions.map((v, i) => i).filter((i) => !compared || view.kind.versions[i].label === view.a || view.kind.versions[i].label === view.b);
    if (compared && indexOf(view.a) > indexOf(view.b)) columns.reverse();
    const head = make("tr", {role: "row"}, make("th", {scope: "col", role: "columnheader"}, "Property"),
      ...columns.map((i) => make("th", {scope: "col", role: "columnheader", title: view.kind.versions[i].warning}, view.kind.versions[i].label, view.kind.versions[i].next === i ? make("span", {class: "quiet"}, " hub") : "", view.kind.live ? make("span", {class: "live"}, objectsOf(view.kind.live.originals[i])) : "")),
      compared ? make("th", {scope: "col", role: "columnheader"}, "Change") : "");
    const rows = compared ? comparison(view.kind, indexOf(view.a), indexOf(view.b)) : visible().map((n) => ({node: n}));
    const body = make("tbody", {});
    pending = {rows, columns, compared, next: 0};
    if (!rows.length) body.append(make("tr", {role: "row"}, make("td", {role: "gridcell", colspan: columns.length + 2}, "No property differs.")));
    const focused = grid.contains(document.activeElement) ? placeOf(document.activeElement) : undefined;
    grid.replaceChildren(make("thead", {}, head), body);
    grid.setAttribute("aria-rowcount", String(rows.length + 1));
    drawUntil(view.node);
    if (focused?.node) drawUntil(focused.node);
    const chosen = body.querySelector('tr[aria-selected="true"]') ?? body.firstElementChild;
    const cell = focused && drawnRow(focused.node)?.children[focused.column] || chosen?.firstElementChild;
    if (cell) cell.tabIndex = 0;
    if (focused) cell?.focus();
  };
  const objectsOf = (n) => n + (n === 1 ? " object" : " objects");
  const row = ({node: n, text}, columns, compared) => {
    const folds = !compared && hasBelow(n);
    const out = make("tr", {role: "row", "aria-level": compared ? 1 : n.level, "aria-expanded": folds ? String(open.has(n)) : undefined, "aria-selected": String(n === view.node)});
    const latest = n.root === undefined ? cellsOf(n.property).findLast((c) => live.has(c.state)) : undefined;
    const name = make("th", {scope: "row", role: "rowheader", class: "name code", tabindex: "-1", title: pathOf(n)},
      make("span", {class: "turn", "aria-hidden": "true"}, folds ? (open.has(n) ? "▾" : "▸") : ""), compared ? pathOf(n) : latest?.name || n.id);
    if (!compared) name.style.paddingInlineStart = n.level * 0.9 + "rem";
    out.append(name, ...columns.map((i) => {
      const c = at(n, i), told = c.root ? "" : compared && live.has(c.state) ? c.name + ": " + c.type.text : words(c);
      return make("td", {role: "gridcell", tabindex: "-1", class: c.root ? "same" : classOf(c)}, told);
    }), compared ? make("td", {role: "gridcell", tabindex: "-1"}, text) : "");
    out.node = n;
    return out;
  };
  const drawnRow = (n) => [...grid.tBodies[0]?.rows ?? []].find((r) => r.node === n);
  const rowOf = (n) => {
    if (n && !drawnRow(n)) drawUntil(n);
    return drawnRow(n);
  };
  const placeOf = (cell) => ({node: cell.closest("tr")?.node, column: [...cell.closest("tr")?.children ?? []].indexOf(cell.closest("th, td"))});
  const fold = (n, unfold) => { if (unfold) open.add(n); else open.delete(n); drawGrid(); };
  const focus = (cell) => {
    if (!cell) return;
    for (const e of grid.querySelectorAll('[tabindex="0"]')) e.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
    cell.scrollIntoView({block: "nearest", inline: "nearest"});
  };
  grid.addEventListener("click", (e) => {
    const r = e.target.closest("tbody tr");
    if (!r?.node) return;
    focus(e.target.closest("th, td"));
    if (e.target.closest("th") && hasBelow(r.node) && !view.a) fold(r.node, !open.has(r.node));
    go({node: r.node.root === undefined ? r.node : undefined});
  });
  grid.addEventListener("keydown", (e) => {
    const cell = e.target.closest("tbody th, tbody td"), r = cell?.closest("tr");
    if (!r?.node || e.ctrlKey || e.metaKey || e.altKey) return;
    const column = [...r.children].indexOf(cell), folds = r.getAttribute("aria-expanded");
    switch (e.key) {
      case "ArrowDown": if (!r.nextElementSibling) drawMore(); focus(r.nextElementSibling?.children[column]); break;
      case "ArrowUp": focus(r.previousElementSibling?.children[column]); break;
      case "ArrowRight": if (column === 0 && folds === "false") fold(r.node, true); else focus(cell.nextElementSibling); break;
      case "ArrowLeft": if (column > 0) focus(cell.previousElementSibling); else if (folds === "true") fold(r.node, false); else focus(rowOf(r.node.parent)?.firstElementChild); break;
      case "Home": focus(r.firstElementChild); break;
      case "End": focus(r.lastElementChild); break;
      case "Enter": go({node: r.node.root === undefined ? r.node : undefined}); break;
      default: return;
    }
    e.preventDefault();
  });

  // spans joins versions that follow each other and have the same text.
  const spans = (texts) => {
    const out = [];
    texts.forEach((text, i) => {
      const label = view.kind.versions[i].label, last = out.at(-1);
      if (last && last.text === text) last.to = label; else out.push({text, from: label, to: label});
    });
    return out;
  };
  const spanText = (s) => s.from === s.to ? s.from : s.from + " to " + s.to;
  const drawDetails = () => {
    const n = view.node;
    if (!n) {
      about.replaceChildren(make("h2", {}, view.kind.name), make("p", {class: "quiet"}, view.kind.resource), view.kind.live ? make("p", {}, "The cluster has " + objectsOf(view.kind.live.objects) + ". A column has the number of those that were last written in its version.") : "", make("p", {}, "Choose a property to see its versions, its names and where its value is stored."));
      return;
    }
    const versions = view.kind.versions, cells = versions.map((_, i) => at(n, i)), has = cells.map((c) => live.has(c.state));
    const list = (all) => make("ul", {}, ...all.map((t) => make("li", {}, t)));
    const latest = cells.findLast((c) => live.has(c.state)) ?? cells.at(-1);
    const names = spans(cells.map((c, i) => has[i] ? c.name : "")).filter((s) => s.text);
    const hidden = spans(cells.map((c, i) => has[i] ? "" : c.moved ? "moved to " + c.moved : c.state === "nowhere" ? "no value is possible" : storedText(n, c, i))).filter((s) => s.text);
    const types = spans(cells.map((c, i) => has[i] ? c.type.text + flagsText(c) : "")).filter((s) => s.text);
    const shapes = spans(cells.map((c, i) => has[i] && c.keys.length ? "other shapes: " + keyTexts(c) : "")).filter((s) => s.text);
    const part = (title, all) => all.length ? [make("dt", {}, title), make("dd", {}, list(all))] : [];
    const values = latest.type.values?.join(", ");
    about.replaceChildren(make("h2", {class: "code"}, pathOf(n)), make("dl", {},
      ...part("Versions with it (" + has.filter((h) => h).length + " of " + versions.length + ")", spans(has.map(String)).filter((s) => s.text === "true").map(spanText)),
      ...part("Names", names.map((s) => s.text + ": " + spanText(s))),
      ...part("Where the value is when a version hides it", hidden.map((s) => spanText(s) + ": " + s.text)),
      ...part("Types", types.map((s) => spanText(s) + ": " + s.text)),
      ...part("Values", values ? [values] : []),
      ...part("In bags beside it", shapes.map((s) => spanText(s) + ": " + s.text)),
      ...part("Declared changes", (n.property.declared ?? []).map(([v, text, other]) => versions[v].label + " to " + versions[versions[v].next].label + ": " + data.texts[text] + (other ? " (" + data.texts[other] + ")" : ""))),
      ...(latest.doc ? [make("dt", {}, "Description"), make("dd", {}, latest.doc)] : [])),
      make("p", {}, make("a", {href: linkTo({}), class: "noprint"}, "Link to this view")));
  };
  const keyTexts = (c) => c.keys.map((k) => (k.old ? "old key " : "key ") + JSON.stringify(k.name) + " (" + k.type + ", of " + view.kind.versions[k.since].label + ")").join(" or ");
  const storedText = (n, c, v) => {
    const holder = c.state === "within" ? c.owner.parent : n.parent;
    return (c.state === "within" ? "within " + c.owner.id + ", " : "") + "in the property bag of " + pathIn(holder, v) + ", " + keyTexts(c);
  };
  const flagsText = (c) => [[c.required, "required"], [c.readOnly, "read-only"], [c.secret, "secret"], [c.outdated, "deprecated"], [c.preset, "default " + c.preset]].filter(([set]) => set).map(([, text]) => ", " + text).join("");

  // sampleOf returns a manifest of a version: required properties, or all that clients write.
  const sampleOf = (kind, v, all) => {
    const lines = ["apiVersion: " + scalar(data.group + "/" + kind.versions[v].label), "kind: " + scalar(kind.name), "metadata:", "  name: example"];
    const object = (n, indent, above) => {
      const before = lines.length;
      for (const c of below(n)) {
        const cell = at(c, v);
        if (!live.has(cell.state) || cell.readOnly || !(all || cell.required) || cell.name === "*" || lines.length > 1000) continue;
        value(c, cell, indent, above);
      }
      return lines.length > before;
    };
    const value = (n, cell, indent, above) => {
      const name = indent + scalar(cell.name) + ":";
      let inner = indent + "  ", first = "";
      lines.push(name);
      const wraps = [...cell.type.wrap ?? ""];
      for (const w of wraps) {
        if (first) { lines.push(first); first = ""; }
        if (w === "l") { first = inner + "-"; inner += "  "; } else { lines.push(inner + "key:"); inner += "  "; }
      }
      const end = (text) => { if (first) lines.push(first + " " + text); else lines[lines.length - 1] += " " + text; };
      if (!cell.child) return end(cell.preset && !wraps.length ? flow(cell.preset) : flow(cell.type.leaf || '"string"'));
      const start = lines.length;
      if (above.has(cell.child) || !object(n, inner, new Set([...above, cell.child]))) return end("{}");
      if (first) lines[start] = first + " " + lines[start].trimStart();
    };
    for (const r of rootsOf(kind).slice(0, 1)) {
      if (kind.versions[v].atRoot) { object(r, "", new Set([0])); continue; }
      lines.push("spec:");
      if (!object(r, "  ", new Set([0]))) lines[lines.length - 1] += " {}";
    }
    return lines.join("\n") + "\n";
  };
  // scalar returns a text in YAML, quoted unless it can only be a text. JSON is YAML, except for
  // some characters that JSON need not escape.
  const scalar = (text) => /^[A-Za-z_][A-Za-z0-9_.\/-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : flow(JSON.stringify(text));
  const flow = (json) => json.replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  const drawSample = () => {
    const label = view.sample || (view.kind.versions.find((v, i) => v.next === i) ?? view.kind.versions[0]).label;
    sampleVersion.value = label;
    sampleAll.checked = view.all;
    copied.textContent = "";
    sampleText.textContent = sampleOf(view.kind, indexOf(label), view.all);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(sampleText.textContent);
    } catch {
      getSelection().selectAllChildren(sampleText);
      document.execCommand("copy");
    }
    copied.textContent = "copied";
  };

  // load runs a script beside the page.
  const load = (file) => new Promise((done, failed) => document.head.append(
    make("script", {src: file, onload: () => done(), onerror: () => failed(new Error("The file " + decodeURIComponent(file) + " is not beside this page."))})));
  // start starts the program that converts objects. It returns a function that calls it.
  const start = async () => {
    await load(converter);
    await load(app.dataset.plans);
    const packed = Uint8Array.from(atob(globalThis.strataProgram), (c) => c.charCodeAt(0));
    delete globalThis.strataProgram;
    const program = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const go = new globalThis.Go();
    go.run((await WebAssembly.instantiate(program, go.importObject)).instance);
    const call = (...texts) => {
      const out = JSON.parse(globalThis.strataConvert(...texts));
      if (out?.error) throw new Error(out.error);
      return out;
    };
    call("plans", globalThis.strataPlans);
    return call;
  };
  let started;
  const showObject = async () => {
    shown.textContent = "Loading the program …";
    views.replaceChildren();
    try {
      const call = await (started ??= start());
      const out = call("views", pasted.value), kind = data.kinds.find((k) => k.name === out.kind) ?? view.kind;
      views.replaceChildren(...out.views.map((v) => viewOf(call, kind, v)));
      const refused = out.views.filter((v) => v.problems).length, steps = out.views.filter((v) => v.byHand).map((v) => v.version);
      shown.textContent = out.kind + " in " + (out.views.length - refused - steps.length) + " of " + out.views.length + " versions." +
        (steps.length ? " Not shown, because steps written by hand convert them: " + steps.join(", ") + "." : "");
    } catch (e) {
      if (!globalThis.strataConvert) started = undefined;
      shown.textContent = e.message;
    }
  };
  // viewOf shows an object in one version. An edit there lists what it changes in the hub.
  const viewOf = (call, kind, v) => {
    const hub = kind.versions.find((w, i) => w.next === i).label, hidden = v.hidden ?? [];
    const what = v.byHand ? "not shown: steps written by hand convert it" : v.problems ? "cannot be shown" : hidden.length ? "hides " + hidden.length + (hidden.length === 1 ? " value" : " values") : "hides nothing";
    const out = make("details", {}, make("summary", {}, make("span", {class: "code"}, v.version), v.version === hub ? " (hub)" : "", ": " + what));
    if (v.problems) out.append(make("ul", {}, ...v.problems.map((p) => make("li", {}, p))));
    if (!v.text) return out;
    const text = make("textarea", {rows: String(Math.min(30, v.text.split("\n").length + 1)), spellcheck: "false", "aria-label": "The object in " + v.version});
    text.value = v.text;
    const effect = make("div", {role: "status"});
    const list = (all) => make("ul", {}, ...all.map((c) => make("li", {}, ...c)));
    const place = (c) => c.key === undefined ? make("span", {class: "code"}, c.path) : make("span", {}, make("span", {class: "code"}, c.path), ", key ", make("span", {class: "code"}, JSON.stringify(c.key)), " of the property bag");
    if (hidden.length) out.append(make("h3", {}, "Hidden, and stored in the property bag"), list(hidden.map((h) => [place(h), ": ", make("span", {class: "code"}, h.value)])));
    text.addEventListener("input", () => {
      try {
        const {changes} = call("changes", v.text, text.value, hub);
        effect.replaceChildren(make("h3", {}, "This edit changes in the hub, " + hub), changes?.length ? list(changes.map((c) => [place(c), ": ", make("span", {class: "code"}, c.before || "absent"), " becomes ", make("span", {class: "code"}, c.after || "absent")])) : make("p", {}, "Nothing."));
      } catch (e) {
        effect.replaceChildren(make("p", {}, e.message));
      }
    });
    out.append(text, effect);
    return out;
  };

  // The index of the search has an entry for each property of each object, at the first path.
  let index;
  const indexed = () => {
    if (index) return index;
    index = {entries: []};
    for (const kind of data.kinds) {
      const seen = new Set(), queue = [...rootsOf(kind)];
      for (let i = 0; i < queue.length; i++) {
        const n = queue[i];
        const path = n.parent ? n.path = n.parent.path + "." + n.id : n.path = n.id;
        if (n.root === undefined) {
          const names = new Set(), docs = new Set();
          for (const r of n.property.runs) { if (r[2]) names.add(data.texts[r[2]]); if (r[4]) docs.add(r[4]); }
          names.delete(n.id);
          index.entries.push({node: n, path, text: (kind.name + " " + path + " " + [...names].join(" ")).toLowerCase(), last: n.id.toLowerCase(), docs: [...docs]});
        }
        for (const object of objectsIn(n)) {
          if (seen.has(object)) continue;
          seen.add(object);
          queue.push(...below(n).filter((c) => c.object === object));
        }
      }
    }
    index.paths = joined(index.entries.map((e) => e.text));
    index.docs = joined(data.texts.map((t) => t.toLowerCase().replaceAll("\n", " ")));
    return index;
  };
  // joined makes one text of many, and hits returns which of them have a word: to search one long
  // text is faster than to search many.
  const joined = (all) => {
    const starts = new Uint32Array(all.length + 1);
    all.forEach((t, i) => { starts[i + 1] = starts[i] + t.length + 1; });
    return {text: all.join("\n"), starts};
  };
  const hits = ({text, starts}, word) => {
    const out = new Uint8Array(starts.length - 1);
    for (let at = text.indexOf(word), i = 0; at >= 0; at = text.indexOf(word, starts[i + 1])) {
      while (starts[i + 1] <= at) i++;
      out[i] = 1;
    }
    return out;
  };
  const most = 50;
  const search = (query) => {
    const all = query.toLowerCase().split(/\s+/).filter((w) => w);
    if (!all.length) return [];
    const {entries, paths, docs} = indexed(), last = all.at(-1);
    const inPath = all.map((w) => hits(paths, w)), inDoc = all.map((w) => hits(docs, w));
    const ranked = [[], [], [], []];
    entries.forEach((e, n) => {
      let rank = 2;
      for (let i = 0; i < all.length; i++) {
        if (inPath[i][n]) continue;
        if (!e.docs.some((d) => inDoc[i][d])) return;
        rank = 3;
      }
      if (rank === 2 && e.last.startsWith(last)) rank = e.last === last ? 0 : 1;
      if (ranked[rank].length < most) ranked[rank].push(e);
    });
    const far = (e) => e.node.kind === view.kind ? 0 : 1;
    return ranked.flatMap((r) => r.sort((x, y) => far(x) - far(y) || x.path.length - y.path.length)).slice(0, most);
  };
  const showFound = () => {
    const found = search(input.value);
    results.replaceChildren(...found.map((e, i) => Object.assign(make("li", {role: "option", id: "found" + i, "aria-selected": String(i === 0), onmousedown: (event) => event.preventDefault(), onclick: () => choose(e)}, make("span", {class: "code"}, e.path), make("span", {class: "quiet"}, e.node.kind.name)), {entry: e})));
    if (!found.length && input.value.trim()) results.append(make("li", {class: "quiet", role: "option", "aria-disabled": "true"}, "No property has all of these words."));
    const shown = results.childElementCount > 0;
    results.hidden = !shown;
    input.setAttribute("aria-expanded", String(shown));
    if (found.length) input.setAttribute("aria-activedescendant", "found0"); else input.removeAttribute("aria-activedescendant");
  };
  const hideFound = () => { results.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const choose = (entry) => {
    hideFound();
    const other = entry.node.kind !== view.kind;
    go({kind: entry.node.kind, node: entry.node, a: "", b: "", query: input.value, ...(other ? {sample: ""} : {})});
    focus(rowOf(view.node)?.firstElementChild);
  };
  input.addEventListener("input", showFound);
  input.addEventListener("focus", () => { if (input.value) showFound(); });
  input.addEventListener("blur", hideFound);
  input.addEventListener("keydown", (e) => {
    const all = [...results.children], now = all.findIndex((o) => o.getAttribute("aria-selected") === "true");
    if (e.key === "Enter" && !results.hidden && all[now]?.entry) choose(all[now].entry);
    else if (e.key === "Escape") { hideFound(); if (!input.value) focus(grid.querySelector('[tabindex="0"]')); return; }
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const next = all[now + (e.key === "ArrowDown" ? 1 : -1)];
      if (next?.entry) {
        all[now]?.setAttribute("aria-selected", "false");
        next.setAttribute("aria-selected", "true");
        next.scrollIntoView({block: "nearest"});
        input.setAttribute("aria-activedescendant", next.id);
      }
    } else return;
    e.preventDefault();
  });
  document.addEventListener("keydown", (e) => {
    if (e.target.closest("input, select, textarea, dialog") || e.ctrlKey || e.metaKey || e.altKey) return;
    switch (e.key) {
      case "/": input.focus(); input.select(); break;
      case "c": first.focus(); break;
      case "s": sampleVersion.focus(); break;
      case "o": if (!converter) return; pasted.focus(); break;
      case "?": help.showModal(); break;
      case "Escape": if (view.a) compare("", ""); break;
      default: return;
    }
    e.preventDefault();
  });

  let drawnKind;
  const render = () => {
    if (drawnKind !== view.kind) {
      drawnKind = view.kind;
      const labels = view.kind.versions.map((v) => v.label);
      first.replaceChildren(make("option", {value: ""}, "nothing"), ...labels.map((l) => make("option", {}, l)));
      second.replaceChildren(make("option", {value: ""}, "nothing"), ...labels.map((l) => make("option", {}, l)));
      sampleVersion.replaceChildren(...labels.map((l) => make("option", {}, l)));
      kinds.selectedIndex = data.kinds.indexOf(view.kind);
      for (const r of rootsOf(view.kind)) {
        open.add(r);
        if (below(r).length <= 5) for (const n of below(r)) if (hasBelow(n)) open.add(n);
      }
    }
    document.title = view.kind.name + (view.node ? " " + pathOf(view.node) : "") + " – " + data.group;
    if (view.a) { first.value = view.a; second.value = view.b; }
    else if (first.value && second.value) first.value = second.value = "";
    if (document.activeElement !== input && view.query) input.value = view.query;
    drawChain();
    drawGrid();
    drawDetails();
    drawSample();
  };
  addEventListener("beforeprint", () => { while (drawMore()); });
  addEventListener("popstate", () => { read(); render(); });
  addEventListener("hashchange", () => { read(); render(); });
  read();
  render();
  if (view.node) rowOf(view.node)?.scrollIntoView({block: "nearest"});
  (globalThis.requestIdleCallback ?? setTimeout)(() => indexed());
};
// The browser shows the head of the page before it reads the data. A hidden page is never painted.
if (document.hidden) explore();
else requestAnimationFrame(() => setTimeout(explore));
