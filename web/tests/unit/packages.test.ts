import assert from "node:assert/strict";
import { test } from "node:test";
import peers from "../../../tests/interop/package-lock.json";
import cockpit from "../../package-lock.json";

const DEBIAN = 18; // the Node.js of Debian 12, which a new machine has

test("all packages work with Debian's Node.js", () => {
  for (const lock of [cockpit, peers]) {
    for (const [name, entry] of Object.entries(lock.packages)) {
      const wish = (entry as { engines?: { node?: string } }).engines?.node ?? "*";
      const accepted = wish.split("||").map((range) => Number(/\d+/.exec(range)?.[0] ?? 0));
      assert.ok(Math.min(...accepted) <= DEBIAN, `${name} wants Node.js ${wish}`);
    }
  }
});
