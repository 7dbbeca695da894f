// The list of all nodes, as a tree that the keyboard walks: arrows, Home, End; Enter or Space
// chooses.

const MOST_ITEMS = 1500;

function showList() {
  const wanted = $("filter").value.toLowerCase(), matching = order.filter(n => scene.names[n].toLowerCase().includes(wanted));
  const items = matching.slice(0, MOST_ITEMS).map(node => item(node, wanted ? 0 : Math.min(depth[node], 14)));
  if (items.length) items[0].tabIndex = 0;
  if (matching.length > items.length) items.push(element("li", `and ${matching.length - items.length} more`));
  $("list").replaceChildren(...items);
  markChosen(state.node);
}

function item(node, indent) {
  const li = element("li", scene.names[node]), sign = element("b", KIND[scene.kinds[node]][1]);
  sign.style.color = `hsl(${hue(node)}, 85%, ${theme.bones + 2}%)`;
  sign.setAttribute("aria-hidden", "true");
  li.prepend(sign);
  li.style.paddingLeft = `${6 + indent * 9}px`;
  li.dataset.node = node;
  li.title = `${scene.names[node]}: ${KIND[scene.kinds[node]][0]}`;
  li.tabIndex = -1;
  li.setAttribute("role", "treeitem");
  li.setAttribute("aria-level", depth[node] + 1);
  li.onclick = () => { focusItem(li); choose(node); };
  return li;
}

const itemOf = node => $("list").querySelector(`[data-node="${node}"]`);

/** One item at a time is reached by Tab. */
function focusItem(li) {
  $("list").querySelector('[tabindex="0"]')?.setAttribute("tabindex", -1);
  li.tabIndex = 0;
  li.focus();
}

function markChosen(node) {
  for (const li of $("list").querySelectorAll(".chosen")) { li.classList.remove("chosen"); li.setAttribute("aria-selected", "false"); }
  const li = itemOf(node);
  if (!li) return;
  li.classList.add("chosen");
  li.setAttribute("aria-selected", "true");
  li.scrollIntoView({ block: "nearest" });
}

$("list").addEventListener("keydown", event => {
  const li = event.target.closest("[data-node]");
  if (!li || event.ctrlKey || event.metaKey || event.altKey) return;
  const node = Number(li.dataset.node), all = $("list").querySelectorAll("[data-node]");
  const next = {
    ArrowDown: () => li.nextElementSibling, ArrowUp: () => li.previousElementSibling,
    Home: () => all[0], End: () => all[all.length - 1],
    ArrowLeft: () => itemOf(scene.parents[node]), ArrowRight: () => itemOf(children[node][0]),
  }[event.key];
  if (next) { const to = next(); if (to?.dataset.node !== undefined) focusItem(to); }
  else if (event.key === "Enter" || event.key === " ") choose(node);
  else if (event.key === "f" || event.key === "F") { choose(node); frameNode(node); }
  else return;
  event.preventDefault();
  event.stopPropagation();
});
