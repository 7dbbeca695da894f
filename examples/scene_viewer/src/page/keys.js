// Keys. One means the same wherever the focus is, unless the element with the focus needs it
// itself.

/** As the page says it. */
const HELP = [
  ["drag, arrows", "orbit"], ["right drag, Shift arrows", "pan"], ["wheel, + −", "zoom"], ["click, Enter in the list", "inspect"],
  ["double click, F", "frame it; F without a choice: all"], ["← → in the list", "fold, unfold; * all beside it"], ["Space", "play"],
  [", and .", "a frame back, on"], ["Escape", "choose nothing"],
];

function explainKeys(more = []) {
  $("keys").replaceChildren(...[...HELP, ...more].flatMap(([key, text]) => [element("dt", key), element("dd", text)]));
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function needsKey(target, key) {
  if (target.matches("input[type=search], select")) return true;
  if (target.matches("input[type=range]")) return key in ARROWS || key === "Home" || key === "End";
  return key === " " && target.matches("button, input[type=checkbox], summary");
}

onkeydown = event => {
  if (event.ctrlKey || event.metaKey || event.altKey || needsKey(event.target, event.key)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const arrow = ARROWS[event.key], key = event.key.toLowerCase();
  if (arrow && event.shiftKey) pan(-24 * arrow[0], -24 * arrow[1]);
  else if (arrow) turn(0.08 * arrow[0], -0.08 * arrow[1]);
  else if (key === "+" || key === "=") zoom(0.9);
  else if (key === "-") zoom(1 / 0.9);
  else if (key === " ") setPlaying(!state.playing);
  else if (key === "," || key === ".") step(key === "," ? -1 : 1);
  else if (key === "f") frame();
  else if (key === "escape") escape();
  else return;
  event.preventDefault();
};
