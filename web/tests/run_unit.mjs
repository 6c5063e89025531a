// Bundles the unit tests, which are TypeScript, and runs them with Node's test runner.
// usage: run_unit.mjs [OUT]     OUT: folder for the bundles, default node_modules/.unit
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../node_modules/.unit"));
const tests = readdirSync(join(here, "unit")).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join(here, "unit", name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], {
  stdio: "inherit",
  env: { ...process.env, SINEW_ROBOTS: resolve(here, "../../robots") },
});
process.exit(run.status ?? 1);
