// A row that is dragged onto another gets it as its parent. A mouse drags anywhere on a row, a
// finger at its grip: elsewhere it scrolls. By keys: X takes a row, V puts it below another one.

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
}

/** The row of a node, or of the world, that an element is in. */
const rowIn = target => target?.closest?.("#list [data-node], #world");
const nodeOf = row => Number(row.dataset.node);

function beginDrag(event) {
  const row = rowIn(event.target), isGrip = event.target.classList?.contains("grip");
  if (!row || nodeOf(row) === NONE || event.button || event.pointerType !== "mouse" && !isGrip) return;
  dragged = { node: nodeOf(row), x: event.clientX, y: event.clientY, ghost: null };
}

const rowAt = event => rowIn(document.elementFromPoint(event.clientX, event.clientY));

function moveDrag(event) {
  if (!dragged) return;
  if (!dragged.ghost) {
    if (Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) < 5) return;
    dragged.ghost = Object.assign(element("div", nodeName(dragged.node)), { className: "ghost panel" });
    document.body.append(dragged.ghost);
  }
  dragged.ghost.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 4}px)`;
  markTarget(rowAt(event));
  const { top, bottom } = $("list").getBoundingClientRect();
  if (event.clientY < top + 24) $("list").scrollTop -= 10;
  if (event.clientY > bottom - 24) $("list").scrollTop += 10;
}

function markTarget(row) {
  for (const other of document.querySelectorAll(".target")) if (other !== row) other.classList.remove("target");
  row?.classList.add("target");
}

function endDrag(event) {
  const { node, ghost } = dragged ?? {}, row = rowAt(event);
  dragged = null;
  if (!ghost) return;
  ghost.remove();
  markTarget(null);
  if (row && event.type === "pointerup") reparent(node, nodeOf(row));
}

function dragByKeys(event) {
  const row = rowIn(document.activeElement);
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "x" && nodeOf(row) !== NONE) { taken = nodeOf(row); say(`${nodeName(taken)} is taken: V puts it below another node`); }
  if (event.key === "v" && taken !== NONE) { reparent(taken, nodeOf(row)); taken = NONE; }
}

function startDrag() {
  addEventListener("pointerdown", beginDrag);
  addEventListener("pointermove", moveDrag);
  addEventListener("pointerup", endDrag);
  addEventListener("pointercancel", endDrag);
  addEventListener("keydown", dragByKeys);
}
