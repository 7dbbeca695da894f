// What is said about the chosen node.

function link(node) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link" });
  button.append(nameOf(node));
  button.onclick = () => choose(node);
  return button;
}

function choose(node) {
  state.node = node;
  lastClick = null;
  dirty = true;
  $("info").hidden = node < 0;
  document.body.classList.toggle("chosen", node >= 0);
  if (node >= 0) showNode();
  // After the panel, which may take room from the list.
  markChosen(node);
  writeHash();
}

function showNode() {
  const node = state.node, parent = scene.parents[node], list = document.createElement("dl"), skin = skinOf(node);
  const row = (name, ...value) => { const dd = document.createElement("dd"); dd.append(...value); list.append(element("dt", name), dd); };
  row("index", `${node}, level ${depth[node]}`);
  row("kind", KIND[scene.kinds[node]][0] + (scene.moves[node] ? ", animated" : ""));
  row("parent", parent >= 0 ? link(parent) : "none, a root");
  const few = children[node].slice(0, 8).flatMap((child, i) => i ? [", ", link(child)] : [link(child)]);
  if (few.length) row("children", ...few, children[node].length > 8 ? ` and ${children[node].length - 8} more` : "");
  const vertices = primitivesOf(node).reduce((sum, primitive) => sum + primitive.vertices, 0);
  if (vertices) row("mesh", counted(vertices, "vertex", "vertices") + (skin ? `, ${counted(skin.joints.length, "joint")}` : ""));
  for (const [of, what, text] of scene.sights ?? []) if (of === node) row(what, text);
  const button = (text, properties, onclick) => Object.assign(element("button", text), { type: "button", ...properties, onclick });
  const close = button("×", { className: "close", title: "close (Escape)", ariaLabel: "close" }, () => choose(-1));
  const frame = button("frame", { className: "near", title: "frame it (F)" }, () => frameNode(state.node)), name = document.createElement("h2");
  const copy = button("copy", { title: "copy the matrix, row by row" }, copyMatrix), more = button("", { id: "more" }, () => showMore(!$("info").classList.contains("whole")));
  const head = document.createElement("header"), title = element("p", "LocalToWorld");
  name.append(nameOf(node));
  head.append(name, frame, close);
  title.append(copy, more);
  $("info").replaceChildren(head, list, partsTable(), title, matrixTable());
  showMore($("info").classList.contains("whole"));
  showNumbers();
}

/** Small screens show the name and the matrix at first, and the rest on demand. */
function showMore(isWhole) {
  $("info").classList.toggle("whole", isWhole);
  $("more").textContent = isWhole ? "less" : "more";
  $("more").setAttribute("aria-expanded", isWhole);
  $("info").scrollTop = 0;
  document.documentElement.style.setProperty("--info", `${$("info").offsetHeight}px`);
  dirty = true;
}

/** Translation, rotation and scale, in the parent and in the world. */
function partsTable() {
  const table = Object.assign(document.createElement("table"), { id: "parts" }), head = table.createTHead().insertRow();
  for (const title of ["", "x", "y", "z"]) head.append(Object.assign(element("th", title), { scope: "col" }));
  for (const [space, title] of [["local", "local, in its parent"], ["world", "world"]]) {
    const body = table.createTBody(), caption = Object.assign(element("th", title), { colSpan: 4, scope: "rowgroup" });
    body.className = space;
    body.insertRow().append(caption);
    for (const [part, unit] of [["translation", ""], ["rotation", " °"], ["scale", ""]]) {
      const line = body.insertRow();
      line.className = part;
      line.append(Object.assign(element("th", part + unit), { scope: "row" }));
      for (let i = 0; i < 3; i++) line.insertCell();
    }
  }
  table.querySelectorAll(".rotation th").forEach(th => { th.title = "about the fixed axes z, then x, then y"; });
  return table;
}

function matrixTable() {
  const table = Object.assign(document.createElement("table"), { id: "matrix", ariaLabel: "LocalToWorld" });
  for (let r = 0; r < 4; r++) {
    const line = table.insertRow();
    for (let c = 0; c < 4; c++) line.insertCell().textContent = c < 3 ? "0" : "1";
  }
  return table;
}

/** The numbers of the frame that is shown, into the cells that are there. */
function showNumbers() {
  const m = state.matrices, o = at(state.node), cells = $("matrix").rows;
  const { linear, position } = current();
  for (let r = 0; r < 3; r++) for (let c = 0; c < 4; c++) {
    const x = m[o + 3 * c + r], digits = digitsFor(Math.max(1, Math.abs(x)), 5, c < 3 ? linear[state.node] : position);
    cells[r].cells[c].textContent = shortened(x, digits);
  }
  const spaces = { local: localOf(state.node), world: m.slice(o, o + 12) };
  for (const body of $("parts").tBodies) {
    const numbers = spaces[body.className], whole = numbers ? takeApart(numbers) : null, steps = stepsOf(state.node, body.className === "local");
    for (const line of [...body.rows].slice(1)) {
      const part = line.className, numbers = whole?.[part];
      const largest = numbers ? Math.max(...numbers.map(Math.abs)) : 0, digits = digitsFor(largest, 5, part === "scale" ? steps.scale * (largest || 1) : steps[part]);
      for (let i = 0; i < 3; i++) line.cells[i + 1].textContent = numbers ? shortened(numbers[i], digits) : "–";
    }
    const title = body.className === "local" ? "local, in its parent" : "world";
    body.rows[0].cells[0].textContent = title + (whole === null ? ", which is flat" : whole.isSheared ? ", sheared" : "");
  }
}
