// Mouse and touch on the picture: drag to orbit, two fingers or the right button to pan, wheel or
// pinch to zoom, click to choose.

function pick(x, y) {
  const near = nodesAreDrawn() ? nodeNear(x, y) : -1;
  if (near >= 0) return near;
  if (!$("meshes").checked) return -1;
  return gl ? nodeOfPixel(x, y) : nodeOfBox(x, y);
}

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
  if (event.type === "pointerup" && travelled < 5 && event.button === 0) choose(pick(event.offsetX, event.offsetY));
};
canvas.onpointerleave = () => hover(-99, -99);
canvas.ondblclick = () => { if (state.node >= 0) frameNode(state.node); };
canvas.oncontextmenu = event => event.preventDefault();
canvas.addEventListener("wheel", event => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0012)); }, { passive: false });

function hover(x, y) {
  const node = nodesAreDrawn() ? nodeNear(x, y) : -1;
  if (node !== hovered) { hovered = node; dirty = true; }
}
