// One picture: meshes below, bones, axes and names over them.

/** Where each node is on the screen. */
let points = [];

/** A camera that the user has moved stays where it is. */
function resize() {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  [width, height] = [canvas.clientWidth, canvas.clientHeight];
  for (const each of [canvas, glCanvas]) { each.width = Math.round(width * ratio); each.height = Math.round(height * ratio); }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  document.documentElement.style.setProperty("--bar", `${$("bar").offsetHeight}px`);
  if (state.matrices && !camera.isMoved) frameAll();
  dirty = true;
}

function draw() {
  updateEye();
  points = scene.names.map((_, node) => project(...position(node)));
  pen.clearRect(0, 0, width, height);
  if (gl) { drawMeshes(); showMeshes(); } else drawFlat();
  if ($("bones").checked) drawBones(points);
  if ($("axes").checked) for (const node of order) if (!isShell(node)) drawAxes(node, Math.min(radius * 0.04, camera.distance * 0.04));
  if (nodesAreDrawn()) drawNodes(points); else hovered = -1;
  if ($("names").checked) drawNames(points);
  if (hovered >= 0 && hovered !== state.node) drawLabel(points[hovered], scene.names[hovered], theme.ink);
  if (state.node >= 0) drawChosen(points[state.node]);
}

const nodesAreDrawn = () => $("bones").checked || !$("meshes").checked;

function drawMeshes() {
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, glCanvas.width, glCanvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  if ($("meshes").checked) paintMeshes();
  paintLines(gridLines(), theme.grid.split(" ").map(x => Number(x) / 255));
}

/**
 * Copies the meshes to where the bones are drawn. Two canvases, one above the other, need not reach
 * the screen together: with a software renderer bones lay over the meshes of the next frame.
 */
function showMeshes() {
  pen.drawImage(glCanvas, 0, 0, width, height);
}

function drawFlat() {
  drawGrid();
  if ($("meshes").checked) drawBoxes(); else faces = [];
}

function drawChosen(p) {
  if ($("trail").checked && current().frames > 1) drawTrail(state.node);
  drawAxes(state.node, Math.min(radius * 0.1, camera.distance * 0.1));
  pen.strokeStyle = theme.accent; pen.lineWidth = 2;
  pen.beginPath(); pen.arc(p[0], p[1], 9, 0, 7); pen.stroke();
  drawLabel(p, scene.names[state.node], theme.accent);
}
