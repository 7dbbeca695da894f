// What is said about the chosen node.

const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

function link(node) {
  const button = Object.assign(element("button", scene.names[node]), { type: "button", className: "link" });
  button.onclick = () => choose(node);
  return button;
}

function choose(node) {
  state.node = node;
  dirty = true;
  markChosen(node);
  $("info").hidden = node < 0;
  if (node >= 0) showNode();
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
  if (vertices) row("mesh", `${vertices} vertices` + (skin ? `, ${skin.joints.length} joints` : ""));
  const close = Object.assign(element("button", "×"), { type: "button", className: "close", title: "close (Escape)" });
  close.setAttribute("aria-label", "close");
  close.onclick = () => choose(-1);
  $("info").replaceChildren(close, element("h2", scene.names[node]), list, document.createElement("table"));
  showNumbers();
}

/** The matrix of the frame that is shown. */
function showNumbers() {
  const table = document.createElement("table"), m = state.matrices, o = at(state.node);
  table.append(element("caption", "LocalToWorld"));
  const digits = x => (Math.abs(x) < 5e-5 ? 0 : x).toFixed(Math.abs(x) >= 1000 ? 1 : Math.abs(x) >= 100 ? 2 : 4);
  for (let r = 0; r < 4; r++) {
    const line = table.insertRow();
    for (let c = 0; c < 4; c++) line.insertCell().textContent = r < 3 ? digits(m[o + 3 * c + r]) : c < 3 ? "0" : "1";
  }
  $("info").querySelector("table")?.replaceWith(table);
}

function tell(finding) {
  $("findings").hidden = false;
  $("findings").append(element("li", finding));
}
