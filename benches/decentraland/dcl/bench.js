// Parses and merges the same batches with @dcl/ecs. Called by
// `cargo bench -p benches --bench scenes -- side-by-side`:
//   node bench.js ROUNDS (BEFORE.crdt BATCH.crdt)...
// prints the best time for each batch in milliseconds, one a line.
'use strict'

const fs = require('node:fs')
const { Engine, components } = require('@dcl/ecs/dist-cjs')

// An engine with the Transform component and a transport to feed; nothing is sent anywhere.
function scene() {
  const engine = Engine()
  const transform = components.Transform(engine)
  const transport = { type: 'renderer', filter: () => false, send: async () => {} }
  engine.addTransport(transport)
  return { engine, transform, receive: transport.onmessage }
}

async function round(before, batch) {
  const { engine, transform, receive } = scene()
  if (before.length > 0) {
    receive(before)
    await engine.update(1)
  }
  const start = performance.now()
  receive(batch)
  await engine.update(1)
  const time = performance.now() - start
  if (transform.getOrNull(512) === null) throw new Error('the batch was not merged')
  return time
}

async function main([rounds, ...files]) {
  const read = (file) => new Uint8Array(fs.readFileSync(file))
  for (let i = 0; i < files.length; i += 2) {
    const [before, batch] = [read(files[i]), read(files[i + 1])]
    let best = Infinity
    for (let r = 0; r < Number(rounds); r++) best = Math.min(best, await round(before, batch))
    console.log(best.toFixed(3))
  }
}

main(process.argv.slice(2))
