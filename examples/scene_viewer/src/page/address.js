// The address says what is shown: #anim=0&t=0.5&node=3, where node is an index or a name.

function writeHash() {
  const parts = [`anim=${state.clip}`];
  if (!state.playing) parts.push(`t=${state.clock.toFixed(3)}`);
  if (state.node >= 0) parts.push(`node=${state.node}`);
  try { history.replaceState(null, "", "#" + parts.join("&")); } catch { /* some browsers forbid it for files */ }
}

async function readHash() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const clip = Number(wanted.get("anim") ?? 0);
  await chooseClip(scene.clips[clip] ? clip : 0);
  if (wanted.has("t")) {
    state.playing = false;
    seek(Math.max(0, Math.min(current().frames - 1, Math.round(Number(wanted.get("t")) / current().interval) || 0)));
  }
  if (wanted.has("yaw")) camera.yaw = Number(wanted.get("yaw")) || 0;
  if (wanted.has("pitch")) camera.pitch = Number(wanted.get("pitch")) || 0;
  const name = wanted.get("node");
  const node = name === null ? -1 : /^\d+$/.test(name) ? Number(name) : scene.names.indexOf(name);
  choose(node >= 0 && node < count ? node : -1);
  setPlaying(state.playing);
}

onhashchange = async () => { await readHash(); stayAboveGround(); };
