// Runs a program that is compiled for wasm32-wasip1: node tools/wasi.js PROGRAM.wasm ARGUMENTS
const { readFileSync } = require("node:fs");
const { WASI } = require("node:wasi");

const wasi = new WASI({
  version: "preview1",
  args: process.argv.slice(2),
  env: process.env,
  preopens: { "/": "/" },
  returnOnExit: true,
});
const program = new WebAssembly.Module(readFileSync(process.argv[2]));
process.exitCode = wasi.start(new WebAssembly.Instance(program, wasi.getImportObject()));
