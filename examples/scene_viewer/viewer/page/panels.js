// What is said about the chosen node, and the list of all.

const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

function link(node) {
  const a = element("a", scene.names[node]);
  a.onclick = () => choose(node);
  return a;
}

function choose(node) {
  state.node = node;
  dirty = true;
  document.querySelectorAll("#list li").forEach(li => {
    const chosen = Number(li.dataset.node) === node;
    li.classList.toggle("chosen", chosen);
    if (chosen) li.scrollIntoView({ block: "nearest" });
  });
  $("info").hidden = node < 0;
  if (node >= 0) showNode();
  writeHash();
}

function showNode() {
  const node = state.node, parent = scene.parents[node], info = $("info"), m = state.matrices, o = at(node);
  const list = document.createElement("dl");
  const row = (name, ...value) => { const dd = document.createElement("dd"); dd.append(...value); list.append(element("dt", name), dd); };
  row("index", `${node}, level ${depth[node]}`);
  row("kind", KIND[scene.kinds[node]][0] + (scene.moves[node] ? ", animated" : ""));
  row("parent", parent >= 0 ? link(parent) : "none, a root");
  const few = children[node].slice(0, 8).flatMap((child, i) => i ? [", ", link(child)] : [link(child)]);
  if (few.length) row("children", ...few, children[node].length > 8 ? ` and ${children[node].length - 8} more` : "");
  const table = document.createElement("table");
  table.append(element("caption", "LocalToWorld"));
  const digits = x => (Math.abs(x) < 5e-5 ? 0 : x).toFixed(Math.abs(x) >= 1000 ? 1 : Math.abs(x) >= 100 ? 2 : 4);
  for (let r = 0; r < 4; r++) {
    const line = table.insertRow();
    for (let c = 0; c < 4; c++) line.insertCell().textContent = r < 3 ? digits(m[o + 3 * c + r]) : c < 3 ? "0" : "1";
  }
  info.replaceChildren(element("h2", scene.names[node]), list, table);
}

function showList() {
  const wanted = $("filter").value.toLowerCase(), matching = order.filter(n => scene.names[n].toLowerCase().includes(wanted));
  const items = matching.slice(0, 1500).map(node => {
    const li = element("li", scene.names[node]), sign = element("b", KIND[scene.kinds[node]][1]);
    sign.style.color = `hsl(${hue(node)}, 85%, 72%)`;
    li.prepend(sign);
    li.style.paddingLeft = `${6 + (wanted ? 0 : Math.min(depth[node], 14) * 9)}px`;
    li.dataset.node = node;
    li.title = scene.names[node];
    li.onclick = () => choose(node);
    li.classList.toggle("chosen", node === state.node);
    return li;
  });
  if (matching.length > items.length) items.push(element("li", `and ${matching.length - items.length} more`));
  $("list").replaceChildren(...items);
}
