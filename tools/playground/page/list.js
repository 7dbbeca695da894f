// The nodes as a tree that opens where it is asked to: 100,000 rows would be no list.

const $ = id => document.getElementById(id);
const MOST_ROWS = 150;
const opened = new Set(), longer = new Map();
let chosen = NONE;

function showList() {
  const rows = [worldRow()], list = $("list"), scrolled = list.scrollTop;
  // Its own ancestor, on a cycle, is shown once.
  const add = (node, depth, above) => {
    const children = childrenOf(node), isOpen = opened.has(node) && !above.has(node);
    rows.push(row(node, depth, children.length, isOpen));
    if (isOpen) addAll(node, children, depth + 1, new Set(above).add(node));
  };
  const addAll = (parent, children, depth, above) => {
    const most = longer.get(parent) ?? MOST_ROWS;
    for (const child of children.slice(0, most)) add(child, depth, above);
    if (children.length > most) rows.push(moreRow(parent, children.length - most, depth));
  };
  addAll(NONE, childrenOf(NONE), 0, new Set());
  list.replaceChildren(...rows);
  list.scrollTop = scrolled;
  markChosen();
}

function row(node, depth, children, isOpen) {
  const li = element("li", ""), twist = element("b", children ? isOpen ? "▾" : "▸" : "·");
  li.append(twist, element("span", nodeName(node)), element("i", children ? String(children) : ""), element("em", "⠿", "grip"));
  li.style.paddingLeft = `${4 + Math.min(depth, 14) * 11}px`;
  li.dataset.node = node;
  li.tabIndex = -1;
  li.setAttribute("role", "treeitem");
  li.setAttribute("aria-level", depth + 1);
  if (children) li.setAttribute("aria-expanded", isOpen);
  twist.onclick = event => { event.stopPropagation(); fold(node, !isOpen); };
  return li;
}

function worldRow() {
  const li = element("li", "", "world");
  li.append(element("b", "◎"), element("span", "the world"), element("i", "no parent"));
  li.dataset.node = NONE;
  return li;
}

function moreRow(parent, count, depth) {
  const li = element("li", `${count} more …`, "more");
  li.style.paddingLeft = `${24 + depth * 11}px`;
  li.onclick = () => { longer.set(parent, (longer.get(parent) ?? MOST_ROWS) + 500); showList(); };
  return li;
}

function fold(node, isOpen) {
  if (isOpen) opened.add(node); else opened.delete(node);
  showList();
}

/** Opens what is above a node; of long lists, as far as it stands. */
function reveal(node) {
  const seen = new Set();
  for (let n = node; n !== NONE && !seen.has(n); n = parentOf(n)) {
    seen.add(n);
    const parent = parentOf(n), at = childrenOf(parent).indexOf(n);
    if (parent !== NONE) opened.add(parent);
    if (at >= (longer.get(parent) ?? MOST_ROWS)) longer.set(parent, at + 50);
  }
}

const rowOf = node => $("list").querySelector(`[data-node="${node}"]`);

function markChosen() {
  for (const li of $("list").querySelectorAll(".chosen")) li.classList.remove("chosen");
  if (chosen !== NONE) rowOf(chosen)?.classList.add("chosen");
  const first = (chosen !== NONE && rowOf(chosen)) || $("list").children[1];
  if (first) first.tabIndex = 0;
}

function chooseNode(node) {
  chosen = node;
  if (node === NONE) { markChosen(); return; }
  reveal(node);
  showList();
  rowOf(node)?.scrollIntoView({ block: "nearest" });
}

// Arrows walk the rows and fold them.
function walkList(event) {
  const li = document.activeElement.closest?.("#list li");
  if (!li) return;
  const node = Number(li.dataset.node), next = { ArrowDown: li.nextElementSibling, ArrowUp: li.previousElementSibling }[event.key];
  if (next) { next.tabIndex = -1; next.focus(); }
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft") { fold(node, event.key === "ArrowRight"); rowOf(node)?.focus(); }
  else if (event.key === "Enter" || event.key === " ") { chooseNode(node); rowOf(node)?.focus(); }
  else return;
  event.preventDefault();
}
