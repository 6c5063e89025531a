// Expands a robot with `sinew xacro` and with xacro-parser: the elements must be the same.
// usage: xacro_compare.mjs FOLDER PROGRAM FILE.xacro
import { execFileSync } from 'node:child_process';
import { openPeer } from './xacro_peer.mjs';

const [folder, program, file] = process.argv.slice(2);
const peer = await openPeer(folder);
const ours = peer.parse(execFileSync(program, ['xacro', file], { encoding: 'utf8' }));
const theirs = peer.parse(await peer.expand(file));
let count = 0;

// JavaScript prints 1.0 as 1: numbers are compared by value, to the last digits of a double.
function sameWord(a, b) {
  const [x, y] = [Number(a), Number(b)];
  return a === b || (a !== '' && Math.abs(x - y) <= 1e-15 * Math.max(Math.abs(x), Math.abs(y)));
}

function sameText(a, b) {
  const [x, y] = [a.trim().split(/\s+/), b.trim().split(/\s+/)];
  return x.length === y.length && x.every((word, i) => sameWord(word, y[i]));
}

function fail(path, what) {
  console.error(`${path}: ${what}`);
  process.exit(1);
}

function compare(a, b, path) {
  if (a.tagName !== b.tagName) {
    fail(path, `<${a.tagName}>, xacro-parser has <${b.tagName}>`);
  }
  count += 1;
  const attributes = (e) => Array.from(e.attributes).filter((x) => !x.name.startsWith('xmlns'));
  if (attributes(a).length !== attributes(b).length) {
    fail(path, 'other attributes');
  }
  for (const { name, value } of attributes(a)) {
    if (!sameText(value, b.getAttribute(name) ?? '')) {
      fail(path, `${name} is '${value}', of xacro-parser '${b.getAttribute(name)}'`);
    }
  }
  const children = (e) => Array.from(e.childNodes).filter((x) => x.nodeType === 1);
  const [x, y] = [children(a), children(b)];
  if (x.length !== y.length) {
    fail(path, `${x.length} elements, of xacro-parser ${y.length}`);
  }
  x.forEach((child, i) => compare(child, y[i], `${path}/${child.tagName}[${i}]`));
}

compare(ours, theirs, ours.tagName);
if (count < 100) {
  fail(file, `only ${count} elements were compared`);
}
console.log(`xacro: ${count} elements are the same`);
