// Times xacro-parser: the peer of bench_xacro.
// usage: xacro_bench.mjs FOLDER FILE.xacro
import { basename } from 'node:path';
import { openPeer } from './xacro_peer.mjs';

const [folder, file] = process.argv.slice(2);
const peer = await openPeer(folder);
const times = [];
for (let i = 0; i < 60; i++) {
  const before = process.cpuUsage();
  await peer.expand(file);
  const used = process.cpuUsage(before);
  times.push(1000 * (used.user + used.system));
}
const sorted = times.slice(20).sort((a, b) => a - b); // the first ones are slower: code is compiled
const robot = basename(file).replace(/\.[^.]*$/, '');
console.log(
  `{"library":"xacro-parser","case":"expand","robot":"${robot}","median_ns":${sorted[20].toFixed(1)},` +
    `"p99_ns":${sorted[39].toFixed(1)},"max_ns":${sorted[39].toFixed(1)}}`,
);
