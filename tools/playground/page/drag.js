// A row that is dragged onto another gets it as its parent. A mouse drags anywhere on a row, a
// finger at its grip: elsewhere it scrolls. By keys: X takes the chosen node, V puts it below the
// row that has the focus.

let dragged = null, taken = NONE;

function reparent(child, parent) {
  if (child === NONE || child === parent && !$("direct").checked) return;
  const names = [nodeName(child), nodeName(parent)], direct = $("direct").checked && parent !== NONE;
  const done = (direct ? wasm.write_parent : wasm.set_parent)(child, parent) === 1;
  if (!done) { say(reason(), true); return; }
  say(direct ? `Parent of ${names[0]} is ${names[1]} now` : `${names[0]} is below ${names[1]} now, and where it was`);
  wasm.run();
  picture.reparented(child, parent);
  showFindings();
  chooseNode(child);
}

function beginDrag(event) {
  const li = event.target.closest("li");
  const isGrip = event.target.classList.contains("grip");
  if (!li || event.button || event.pointerType !== "mouse" && !isGrip) return;
  dragged = { node: Number(li.dataset.node), x: event.clientX, y: event.clientY, ghost: null };
}

const rowAt = event => document.elementFromPoint(event.clientX, event.clientY)?.closest?.("#list li[data-node]");

function moveDrag(event) {
  if (!dragged || dragged.node === NONE) return;
  if (!dragged.ghost) {
    if (Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) < 5) return;
    dragged.ghost = element("div", nodeName(dragged.node), "ghost panel");
    document.body.append(dragged.ghost);
  }
  dragged.ghost.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 4}px)`;
  markTarget(rowAt(event));
  const { top, bottom } = $("list").getBoundingClientRect();
  if (event.clientY < top + 24) $("list").scrollTop -= 10;
  if (event.clientY > bottom - 24) $("list").scrollTop += 10;
}

function markTarget(li) {
  for (const other of $("list").querySelectorAll(".target")) if (other !== li) other.classList.remove("target");
  li?.classList.add("target");
}

function endDrag(event) {
  const { node, ghost } = dragged ?? {}, li = rowAt(event);
  if (ghost) {
    ghost.remove();
    markTarget(null);
    if (li && event.type === "pointerup") reparent(node, Number(li.dataset.node));
  }
  dragged = null;
}

function dragByKeys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const focused = document.activeElement.closest?.("#list li[data-node]");
  if (event.key === "x" && focused) { taken = Number(focused.dataset.node); say(`${nodeName(taken)} is taken: V puts it below another node`); }
  if (event.key === "v" && focused && taken !== NONE) { reparent(taken, Number(focused.dataset.node)); taken = NONE; rowOf(chosen)?.focus(); }
}

function startDrag() {
  $("list").addEventListener("pointerdown", beginDrag);
  // After a drag from one row to another it is the list that is clicked.
  $("list").addEventListener("click", event => { const li = event.target.closest("li[data-node]"); if (li) chooseNode(Number(li.dataset.node)); });
  $("list").addEventListener("keydown", event => { walkList(event); dragByKeys(event); });
  addEventListener("pointermove", moveDrag);
  addEventListener("pointerup", endDrag);
  addEventListener("pointercancel", endDrag);
}
