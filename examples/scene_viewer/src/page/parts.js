// Matrices taken apart, in numbers for people: where, how turned, how large.

/** The twelve numbers of a node's matrix in its parent; null where the parent makes space flat. */
function localOf(node) {
  const m = state.matrices, o = at(node), parent = scene.parents[node];
  if (parent < 0) return m.slice(o, o + 12);
  const p = at(parent), column = i => [m[p + 3 * i], m[p + 3 * i + 1], m[p + 3 * i + 2]];
  const [a, b, c, t] = [0, 1, 2, 3].map(column), rows = [cross(b, c), cross(c, a), cross(a, b)], volume = dot(a, rows[0]);
  if (Math.abs(volume) <= 1e-12 * Math.hypot(...a) * Math.hypot(...b) * Math.hypot(...c)) return null;
  return [0, 1, 2, 3].flatMap(i => {
    const v = [0, 1, 2].map(axis => m[o + 3 * i + axis] - (i === 3 ? t[axis] : 0));
    return rows.map(row => dot(row, v) / volume);
  });
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/**
 * Translation, rotation (degrees about the fixed axes z, then x, then y, as
 * Unity has them, so that a turn about y alone is one number) and scale. A mirrored
 * matrix has a negative scale along x; a flat one has no rotation.
 */
function takeApart(m) {
  const [a, b, c] = [0, 1, 2].map(i => [m[3 * i], m[3 * i + 1], m[3 * i + 2]]), scale = [a, b, c].map(v => Math.hypot(...v));
  if (dot(a, cross(b, c)) < 0) scale[0] = -scale[0];
  const whole = { translation: [m[9], m[10], m[11]], rotation: null, scale, isSheared: false };
  if (scale.some(s => Math.abs(s) < 1e-12)) return whole;
  const [x, y, z] = [a, b, c].map((v, i) => v.map(k => k / scale[i])), clamp = k => Math.max(-1, Math.min(1, k));
  const isUpright = Math.abs(z[1]) > 0.99999, degrees = k => k * 180 / Math.PI;
  whole.rotation = [
    Math.asin(clamp(-z[1])),
    isUpright ? Math.atan2(-x[2], x[0]) : Math.atan2(z[0], z[2]),
    isUpright ? 0 : Math.atan2(x[1], y[1]),
  ].map(degrees);
  whole.isSheared = [dot(x, y), dot(y, z), dot(z, x)].some(k => Math.abs(k) > 2e-3);
  return whole;
}

/**
 * How many digits after the point numbers as large as this have, for so many figures in all. None
 * are only rounding, as the page has its numbers in steps: 333 m in steps of 1.3 mm has two,
 * 333.00.
 */
function digitsFor(largest, figures, step) {
  const place = Math.floor(Math.log10(largest || 1));
  return Math.max(0, Math.min(6, figures - 1 - place, Math.floor(-Math.log10(step))));
}

/** Without a minus before zeros, and never wider than its column: 123456789 is 1.235e8. */
function shortened(x, digits) {
  if (Math.abs(x) >= 1e6) return x.toExponential(3).replace("+", "");
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/**
 * What rounding to steps may do to a node's translation, rotation (in degrees) and scale. A thin
 * node's numbers are off by more, for its size, than a cube's; so are a local node's below a small
 * parent.
 */
function stepsOf(node, isLocal) {
  const { position, linear } = current(), parent = isLocal ? scene.parents[node] : -1;
  const thinnest = node => Math.min(...[0, 3, 6].map(i => Math.hypot(...state.matrices.subarray(at(node) + i, at(node) + i + 3)))) || 1;
  const off = [node, parent].reduce((sum, node) => sum + (node < 0 ? 0 : linear[node] / thinnest(node)), 0);
  return { translation: position / (parent < 0 ? 1 : Math.min(1, thinnest(parent))), rotation: Math.max(0.01, off * 180 / Math.PI), scale: off };
}

/** A length in metres, to two or three figures: `12.3 km`, `0.1 m`, `4 mm`. */
function lengthText(metres) {
  const [unit, name] = metres >= 1000 ? [1000, "km"] : metres >= 0.1 || metres === 0 ? [1, "m"] : metres >= 1e-3 ? [1e-3, "mm"] : [1e-6, "µm"];
  return `${Number((metres / unit).toPrecision(3))} ${name}`;
}
