/**
 * `npm run release`: publishes every public package whose version is not in the registry, dependencies first, from the
 * staged folders that `npm test` also checks. Each step can be repeated after a failure.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { freePort } from "../packages/dev/src/processes/ports.ts";
import { publishAll, startRegistry } from "./packages/local-registry.ts";
import { packageProblems } from "./packages/package-problems.ts";
import { type PackedPackage, packPackages } from "./packages/packed-package.ts";
import { publicPackages } from "./packages/public-packages.ts";
import { ROOT } from "./root.ts";

/** Port of `--serve`, where it is free. */
const REGISTRY_PORT = 4873;
const VERSION_FILE = join(ROOT, "packages/protocol/src/version.ts");

const program = createCommand("npm run release --")
  .description("publish the packages, or prepare their next version")
  .option("--prepare", "apply the changesets: versions, changelogs, lockfile; publish nothing")
  .option("--pack <folder>", "build the packages and write their tarballs there; publish nothing")
  .option(
    "--serve",
    "build the packages and serve them from a registry on this machine until Ctrl-C; publish nothing",
  )
  .option("--dry-run", "build, pack and check every package; publish nothing")
  .parse();
const { prepare, pack, serve, dryRun } = program.opts<{
  prepare?: boolean;
  pack?: string;
  serve?: boolean;
  dryRun?: boolean;
}>();

/** Runs a command in the repository. Exits if it fails. */
function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (prepare === true) prepareVersion();
else if (pack !== undefined) await writeTarballs(resolve(pack));
else if (serve === true) await servePackages();
else await publish();

/** Leaves the changes uncommitted for review. */
function prepareVersion(): void {
  run("changeset", "version");
  const [first] = publicPackages();
  const text = readFileSync(VERSION_FILE, "utf8");
  writeFileSync(VERSION_FILE, text.replace(/"[^"]+";\n$/, `"${first?.manifest.version}";\n`));
  run("npm", "install", "--package-lock-only", "--ignore-scripts", "--loglevel=error");
  console.log(`version ${first?.manifest.version}: review the changes, then commit them`);
}

async function writeTarballs(into: string): Promise<void> {
  await withPackages((packages) => {
    mkdirSync(into, { recursive: true });
    for (const { tarball } of packages) cpSync(tarball, join(into, basename(tarball)));
    console.log(`${packages.length} packages are in ${into}`);
  });
}

/**
 * Other packages come from npm's registry, so that `npm create waggle` works before a release. npm's cache is a folder of
 * this run: `npm create` would take a `create-waggle` of the same version, built from older sources, out of the user's.
 */
async function servePackages(): Promise<void> {
  console.log("building and packing the packages, which takes some minutes …");
  const folder = mkdtempSync(join(tmpdir(), "waggle-registry-"));
  const registry = await startRegistry(folder, await freePort(REGISTRY_PORT));
  const stopped = new Promise((resolve) => process.once("SIGINT", resolve));
  try {
    await withPackages(async (packages) => {
      await publishAll(registry, packages);
      console.log(`${packages.length} packages are at ${registry.url} until Ctrl-C`);
    });
    console.log(`In another terminal:

  export npm_config_registry=${registry.url}
  export npm_config_cache=${join(folder, "npm-cache")}
  npm create waggle my-site`);
    await stopped;
  } finally {
    registry.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds and packs the packages. Deletes the folder after `work`. */
async function withPackages(
  work: (packages: readonly PackedPackage[]) => void | Promise<void>,
): Promise<void> {
  run("tsc", "-b");
  const folder = mkdtempSync(join(tmpdir(), "waggle-release-"));
  try {
    await work(packPackages(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publish(): Promise<void> {
  await withPackages(async (packages) => {
    for (const packed of packages) {
      const problems = await packageProblems(packed);
      if (problems.length === 0) continue;
      console.error(`${packed.manifest.name}:\n  ${problems.join("\n  ")}`);
      process.exit(1);
    }
    for (const { manifest, staged } of packages) {
      const what = `${manifest.name}@${manifest.version}`;
      if (isPublished(what)) console.log(`${what} is already published`);
      else if (dryRun === true) console.log(`${what} would be published`);
      else run("npm", "publish", staged, "--access", "public", "--ignore-scripts");
    }
  });
}

function isPublished(what: string): boolean {
  try {
    const version = execFileSync("npm", ["view", what, "version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return version.trim() !== "";
  } catch {
    return false; // npm responds with 404 for an unpublished package
  }
}
