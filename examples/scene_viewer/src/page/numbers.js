// The inverse of `pack.rs`.

/** Bytes out of gzip in base64. */
async function inflate(text) {
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** World matrices as 12 numbers, column by column, frame by frame. */
async function unpack(clip) {
  const bytes = await inflate(clip.data);
  let at = 0;
  const number = () => {
    let value = 0, scale = 1, byte;
    do { byte = bytes[at++]; value += (byte & 127) * scale; scale *= 128; } while (byte > 127);
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  const all = new Float32Array(clip.frames * count * 12);
  for (let node = 0; node < count; node++) {
    for (let i = 0; i < 12; i++) {
      const unit = i < 9 ? clip.linear[node] : clip.position;
      let last = number(), speed = 0;
      const varies = bytes[at++] === 1;
      for (let frame = 0; frame < clip.frames; frame++) {
        if (varies && frame > 0) { speed += number(); last += speed; }
        all[(frame * count + node) * 12 + i] = last * unit;
      }
    }
  }
  return all;
}
