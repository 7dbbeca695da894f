// The module, its functions by name, and its memory. It imports nothing.

const NONE = 0xffffffff;
let wasm = null;

async function startWasm() {
  const bytes = await inflate($("wasm").textContent);
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

/** The name and the bytes of a file into the module's memory; the length of the name. */
function give({ name, bytes }) {
  const text = new TextEncoder().encode(name), at = wasm.input(text.length + bytes.length);
  const room = new Uint8Array(wasm.memory.buffer, at, text.length + bytes.length);
  room.set(text);
  room.set(bytes, text.length);
  return text.length;
}

/** Opens a glTF file with the files beside it. Whether it is a scene. */
function openFile(file, beside) {
  for (const other of beside) wasm.beside(give(other));
  return wasm.open(give(file)) === 1;
}
