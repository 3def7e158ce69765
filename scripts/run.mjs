/**
 * First step of every npm script: installs the pinned dependencies if needed, then runs a TypeScript entry with the
 * pinned Node. Plain JavaScript, so that the Node 20 of a fresh machine can run it. With WAGGLE_NODE=current, the
 * entry runs with the Node that runs this file.
 *
 *   node scripts/run.mjs scripts/start.ts [arguments]
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const marker = join(root, "node_modules", ".waggle-installed");
const pinnedNode = join(
  root,
  "node_modules",
  "node",
  "bin",
  process.platform === "win32" ? "node.exe" : "node",
);
const isCurrent = process.env["WAGGLE_NODE"] === "current";

// Its install script downloads CUDA libraries. npm 11 does not run it (`allowScripts`), but npm 10 would, and so
// would `npm install` in the temporary folder of a test.
process.env["ONNXRUNTIME_NODE_INSTALL"] ??= "skip";

const oldest = isCurrent ? 22 : 20;
const [major] = process.versions.node.split(".").map(Number);
if (major < oldest) {
  console.error(
    `This needs Node ${oldest} or newer, but this is Node ${process.versions.node}; install a newer version from https://nodejs.org`,
  );
  process.exit(1);
}

const lock = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");
const installed =
  existsSync(marker) && readFileSync(marker, "utf8") === lock && existsSync(pinnedNode);
if (!installed) {
  console.error("Installing dependencies (about a minute the first time) …");
  // Not `npm ci`, which refuses a lockfile without packages of platforms that a registry does not have.
  const npm = spawnSync(
    "npm",
    ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" },
  );
  if (npm.status !== 0) {
    console.error(
      `npm install failed with exit status ${npm.status}; see its output above, then try again`,
    );
    process.exit(npm.status ?? 1);
  }
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, lock);
}

// Tools start through `env node`, which takes the first Node on the path.
const bin = join(root, "node_modules", ".bin");
const first = isCurrent ? [dirname(process.execPath), bin] : [bin];
const child = spawn(
  isCurrent ? process.execPath : pinnedNode,
  ["--conditions=source", "--disable-warning=ExperimentalWarning", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: [...first, process.env["PATH"] ?? ""].join(delimiter) },
  },
);
// The child shares the terminal and receives Ctrl-C itself; this process only waits for it to end.
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => signal === "SIGTERM" && child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
