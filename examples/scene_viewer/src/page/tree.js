// The list of nodes, as a tree that the keyboard walks: arrows, Home, End; Enter chooses.
// Subtrees fold: the triangle before a node, and the arrows to the left and right.

/** Rows that the list has at once, and those that a file may begin with unfolded. */
const MOST_ITEMS = 1500, OPEN_ITEMS = 300;
const folded = new Set();
/** All rows' nodes, each one's place among them (-1 for none), and the first in the list. */
let rows = [], rowOf = new Int32Array(0), firstRow = 0;

/** Big files begin folded: open are the upper levels whose rows together are few. */
function foldDeep() {
  const widths = [];
  for (const node of order) widths[depth[node]] = (widths[depth[node]] ?? 0) + 1;
  let levels = 0, open = 0;
  while (levels < widths.length && open + widths[levels] <= OPEN_ITEMS) open += widths[levels++];
  for (const node of order) if (children[node].length && depth[node] >= levels - 1) folded.add(node);
}

/** `order` has each subtree in one piece behind its node: a folded one is a stretch left out. */
function unfoldedNodes() {
  const nodes = [];
  let top = Infinity;
  for (const node of order) {
    if (depth[node] > top) continue;
    top = folded.has(node) ? depth[node] : Infinity;
    nodes.push(node);
  }
  return nodes;
}

/** The rows anew, and of them those about a node, or the first. */
function showList(about = -1) {
  const wanted = $("filter").value.toLowerCase();
  rows = wanted ? order.filter(n => scene.names[n].toLowerCase().includes(wanted)) : unfoldedNodes();
  rowOf = new Int32Array(count).fill(-1);
  rows.forEach((node, row) => { rowOf[node] = row; });
  $("list").classList.toggle("flat", Boolean(wanted) || deepest === 0);
  showRows(about >= 0 ? rowOf[about] : 0);
}

function showRows(row) {
  firstRow = Math.floor(Math.max(0, row) / MOST_ITEMS) * MOST_ITEMS;
  const items = rows.slice(firstRow, firstRow + MOST_ITEMS).map(item), after = rows.length - firstRow - items.length;
  if (items.length) items[Math.max(0, row) - firstRow].tabIndex = 0;
  if (firstRow > 0) items.unshift(pageOf(`${firstRow} before`, firstRow - 1));
  if (after > 0) items.push(pageOf(`${after} more`, firstRow + MOST_ITEMS));
  $("none").textContent = items.length ? "" : `no node has “${$("filter").value}” in its name`;
  $("list").replaceChildren(...items);
  mark(state.node);
}

/** A row that leads to the rows before or after those that the list has. */
function pageOf(text, row) {
  const li = document.createElement("li"), button = Object.assign(element("button", text), { type: "button", className: "link" });
  li.setAttribute("role", "none");
  button.onclick = () => { showRows(row); focusNode(rows[row]); };
  li.append(button);
  return li;
}

/** Elements at the end of a node's row: the playground has some. */
let rowEnd = () => [];

/** Deep levels lie closer, and the deepest in one line: names need the room. */
const indentOf = level => 9 * Math.min(level, 8) + 4 * Math.max(0, Math.min(level, 16) - 8);

function item(node) {
  const isFlat = $("list").classList.contains("flat"), li = element("li", ""), sign = element("b", KIND[scene.kinds[node]][1]);
  const fold = element("span", children[node].length ? folded.has(node) ? "▸" : "▾" : ""), siblings = siblingsOf(node);
  sign.style.color = `hsl(${hue(node)}, 85%, ${theme.bones + 2}%)`;
  fold.className = "fold";
  for (const each of [fold, sign]) each.setAttribute("aria-hidden", "true");
  li.append(fold, sign, nameOf(node));
  li.style.paddingLeft = `${6 + (isFlat ? 0 : indentOf(depth[node]))}px`;
  li.dataset.node = node;
  li.title = `${scene.names[node]}: ${KIND[scene.kinds[node]][0]}`;
  li.tabIndex = -1;
  li.setAttribute("role", "treeitem");
  li.setAttribute("aria-level", isFlat ? 1 : depth[node] + 1);
  li.setAttribute("aria-setsize", isFlat ? rows.length : siblings.length);
  li.setAttribute("aria-posinset", 1 + (isFlat ? rowOf[node] : placeOf[node]));
  if (!isFlat && children[node].length) li.setAttribute("aria-expanded", !folded.has(node));
  li.append(...rowEnd(node));
  li.onclick = event => { if (event.target === fold && children[node].length) setFolded(node, !folded.has(node)); else { focusItem(li); showNodes(false); clickNode(node, event); } };
  return li;
}

const itemOf = node => $("list").querySelector(`[data-node="${node}"]`);

function setFolded(node, closed) {
  if (closed) folded.add(node); else folded.delete(node);
  const { scrollTop } = $("list");
  showList(node);
  $("list").scrollTop = scrollTop;
  focusNode(node);
}

/** One item at a time is reached by Tab. */
function focusItem(li) {
  $("list").querySelector('[tabindex="0"]')?.setAttribute("tabindex", -1);
  li.tabIndex = 0;
  li.focus();
}

function focusNode(node) {
  if (!(rowOf[node] >= 0)) return;
  if (!itemOf(node)) showRows(rowOf[node]);
  focusItem(itemOf(node));
}

/** The chosen node, unfolded, in the list's view. */
function markChosen(node) {
  let isHidden = false;
  for (let up = above[node] ?? -1; up >= 0; up = above[up]) isHidden = folded.delete(up) || isHidden;
  if (isHidden) showList(node);
  else if (rowOf[node] >= 0 && !itemOf(node)) showRows(rowOf[node]);
  else mark(node);
}

function mark(node) {
  for (const li of $("list").querySelectorAll(".chosen")) { li.classList.remove("chosen"); li.setAttribute("aria-selected", "false"); }
  const li = itemOf(node);
  if (!li) return;
  li.classList.add("chosen");
  li.setAttribute("aria-selected", "true");
  li.scrollIntoView({ block: "nearest" });
}

/** Keys of a row that fold or walk; what each does returns where the focus goes, if anywhere. */
const ROW_KEYS = {
  ArrowDown: node => rows[rowOf[node] + 1],
  ArrowUp: node => rows[rowOf[node] - 1],
  Home: () => rows[0],
  End: () => rows[rows.length - 1],
  ArrowLeft: node => canFold(node) && !folded.has(node) ? setFolded(node, true) : above[node],
  ArrowRight: node => canFold(node) && folded.has(node) ? setFolded(node, false) : children[node][0],
  "*": node => { siblingsOf(node).forEach(sibling => folded.delete(sibling)); showList(node); return node; },
};
const canFold = node => children[node].length > 0 && !$("list").classList.contains("flat");

$("list").addEventListener("keydown", event => {
  const li = event.target.closest("[data-node]");
  if (!li || event.ctrlKey || event.metaKey || event.altKey) return;
  const node = Number(li.dataset.node), key = ROW_KEYS[event.key];
  if (key) focusNode(key(node) ?? -1);
  else if (event.key === "Enter") choose(node);
  else if (event.key === "f" || event.key === "F") { choose(node); frameNode(node); }
  else return;
  event.preventDefault();
  event.stopPropagation();
});
