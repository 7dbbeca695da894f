// The module, its functions by name, and its memory. It imports nothing.

const NONE = 0xffffffff;
const element = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });
let wasm = null;

/** Bytes out of gzip in base64. */
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function startWasm() {
  const bytes = await unpacked(document.getElementById("wasm").textContent);
  wasm = (await WebAssembly.instantiate(bytes, {})).instance.exports;
}

// Views of memory: made anew for each use, because memory that grows leaves old views empty.
const floatsOf = length => new Float32Array(wasm.memory.buffer, wasm.floats(), length);
const numbersOf = length => new Uint32Array(wasm.memory.buffer, wasm.numbers(), length);
const textOf = length => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.text(), length));

const nodeName = node => node === NONE ? "the world" : textOf(wasm.name(node));
const childrenOf = node => [...numbersOf(wasm.children(node))];
const parentOf = node => wasm.parent(node) >>> 0;
const worldOf = node => floatsOf(wasm.world(node)).slice();
/** Why the last call failed. */
const reason = () => textOf(wasm.text_len());

/** Whether it is a scene. */
function openFile(title, bytes) {
  const name = new TextEncoder().encode(title), at = wasm.input(name.length + bytes.length);
  const room = new Uint8Array(wasm.memory.buffer, at, name.length + bytes.length);
  room.set(name);
  room.set(bytes, name.length);
  return wasm.open(name.length) === 1;
}
