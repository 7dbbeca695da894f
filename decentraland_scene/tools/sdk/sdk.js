// Scenes of @dcl/ecs that do what `src/main.rs` says, a line each:
//
//   new VERSION COUNT            scenes 0, 1, ..., in place of those before
//   add SCENE                    a new entity: its id
//   put SCENE ENTITY COMPONENT HEX
//   delete SCENE ENTITY COMPONENT
//   remove SCENE ENTITY
//   receive SCENE TRANSPORT HEX  what came: transport 0 is the renderer's, 1 the network's
//   update SCENE                 a tick: what the scene sends, "RENDERER NETWORK,NETWORK,..."
//   dump SCENE                   all components, and the entities that are removed
//
// Each line is answered by one line.
'use strict'

const readline = require('node:readline')

const hex = (bytes) => Buffer.from(bytes).toString('hex')
const unhex = (text) => new Uint8Array(Buffer.from(text, 'hex'))

// A component of any bytes.
const bytes = {
  serialize: (value, buffer) => value.forEach((byte) => buffer.writeUint8(byte)),
  deserialize: (buffer) => {
    const value = new Uint8Array(buffer.remainingBytes())
    for (let i = 0; i < value.length; i++) value[i] = buffer.readUint8()
    return value
  },
  create: () => new Uint8Array(),
  jsonSchema: { type: 'object', properties: {}, serializationType: 'custom' },
}

function scene(version) {
  const folder = `ecs-${version}/dist-cjs`
  const { Engine, components } = require(folder)
  const { ReadWriteByteBuffer } = require(`${folder}/serialization/ByteBuffer`)
  const { isNetworkMessage } = require(`${folder}/serialization/crdt/network/utils`)
  const engine = Engine()
  const own = engine.defineComponentFromSchema('test::bytes', bytes)
  const NetworkEntity = components.NetworkEntity(engine)
  const byId = new Map()
  const all = [components.Transform(engine), own, NetworkEntity, components.NetworkParent(engine)]
  all.forEach((component) => byId.set(component.componentId, component))
  let sent
  const keep = (place) => async (packets) => {
    const list = Array.isArray(packets) ? packets : [packets]
    sent[place] = list.filter((packet) => packet.length > 0).map(hex)
  }
  const renderer = { type: 'renderer', filter: () => true, send: keep(0) }
  // As the SDK's own: entities of no network do not go.
  const isSynced = (message) => isNetworkMessage(message) || NetworkEntity.has(message.entityId)
  const network = { type: 'network', filter: isSynced, send: keep(1) }
  const transports = [renderer, network]
  transports.forEach((transport) => engine.addTransport(transport))
  return {
    add: () => engine.addEntity(),
    put: (entity, id, value) => {
      const component = byId.get(Number(id))
      const read = component.schema.deserialize(new ReadWriteByteBuffer(unhex(value ?? '')))
      component.createOrReplace(Number(entity), read)
    },
    delete: (entity, id) => byId.get(Number(id)).deleteFrom(Number(entity)),
    remove: (entity) => engine.removeEntity(Number(entity)),
    receive: (transport, packet) => transports[transport].onmessage(unhex(packet)),
    update: async () => {
      sent = [[], []]
      await engine.update(1)
      return sent.map((packets) => packets.join(',')).join(' ')
    },
    dump: () => {
      const known = new Set()
      const note = (entity) => known.add(entity) && false
      all.forEach((component) => component.dumpCrdtStateToBuffer(new ReadWriteByteBuffer(), note))
      // A buffer of old SDKs goes wrong where it grows: each gets its own.
      const dumped = [...known].flatMap((entity) =>
        all.map((component) => {
          const buffer = new ReadWriteByteBuffer()
          component.dumpCrdtStateToBuffer(buffer, (other) => other === entity)
          return hex(buffer.toBinary())
        }),
      )
      const removed = [...known].filter((entity) => engine.getEntityState(entity) === 2)
      return `${dumped.join('')} ${removed.join(',')}`
    },
  }
}

let scenes = []

async function answer([verb, ...rest]) {
  const [first, ...details] = rest
  if (verb !== 'new') return scenes[first][verb](...details)
  scenes = Array.from({ length: Number(details[0]) }, () => scene(first))
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const said = await answer(line.split(' '))
    process.stdout.write(`${typeof said === 'string' || typeof said === 'number' ? said : ''}\n`)
  }
}

main()
