// Mouse and touch on the picture: drag to orbit, two fingers or the right button to pan, wheel or
// pinch to zoom, click to choose, twice to frame.

/** The node at a place of the screen; -1 for none. */
let pick = (x, y) => {
  const near = nodesAreDrawn() ? nodeNear(x, y) : -1;
  if (near >= 0) return near;
  if (!$("meshes").checked) return -1;
  return gl ? nodeOfPixel(x, y) : nodeOfBox(x, y);
};

/** Milliseconds and pixels between the clicks of a double click, at most. */
const SOON = 400, CLOSE = 15;
let lastClick = null;

/** Chooses a node, or -1 for none. */
function clickNode(node, { timeStamp, clientX, clientY }) {
  choose(node);
  lastClick = { node, timeStamp, clientX, clientY };
}

/**
 * A second click at the same place frames the node of the first. Something else may lie there by
 * then: on phones the first one closes the list and opens the panel.
 */
function frameAtSecond(event) {
  const first = lastClick;
  lastClick = null;
  if (!first || event.timeStamp - first.timeStamp > SOON || Math.hypot(event.clientX - first.clientX, event.clientY - first.clientY) > CLOSE) return;
  event.stopPropagation();
  event.preventDefault();
  if (first.node >= 0) frameNode(first.node);
}
for (const each of [canvas, $("list"), $("info")]) each.addEventListener("click", frameAtSecond, true);

const touches = new Map();
let travelled = 0;
canvas.onpointerdown = event => {
  canvas.setPointerCapture(event.pointerId);
  touches.set(event.pointerId, [event.offsetX, event.offsetY]);
  if (touches.size === 1) travelled = 0;
  canvas.classList.add("turning");
};
canvas.onpointermove = event => {
  const last = touches.get(event.pointerId), here = [event.offsetX, event.offsetY];
  if (!last) { hover(...here); return; }
  const [dx, dy] = [here[0] - last[0], here[1] - last[1]];
  travelled += Math.abs(dx) + Math.abs(dy);
  if (touches.size === 2) {
    const other = [...touches].find(([id]) => id !== event.pointerId)[1];
    const gap = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    zoom(gap(last, other) / gap(here, other));
    pan(dx / 2, dy / 2);
  } else if (event.buttons & 2 || event.shiftKey) pan(dx, dy);
  else turn(-dx * 0.008, dy * 0.008);
  touches.set(event.pointerId, here);
};
canvas.onpointerup = canvas.onpointercancel = event => {
  touches.delete(event.pointerId);
  canvas.classList.remove("turning");
};
canvas.onclick = event => { if (travelled < 5) clickNode(pick(event.offsetX, event.offsetY), event); };
canvas.onpointerleave = () => hover(-99, -99);
canvas.oncontextmenu = event => event.preventDefault();
canvas.addEventListener("wheel", event => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0012)); }, { passive: false });

function hover(x, y) {
  const node = nodesAreDrawn() ? nodeNear(x, y) : -1;
  if (node !== hovered) { hovered = node; dirty = true; }
}
