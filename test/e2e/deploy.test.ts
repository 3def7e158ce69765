/**
 * The build outputs: the Worker with its production configuration, and the packages as npm would distribute them
 * (`dist`, without the workspace's `source` condition). Deploys and publishes nothing.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "vite";
import { DEPLOYED_VARIABLES } from "../../packages/dev/src/stack/worker-project.ts";
import { ROOT } from "../../scripts/root.ts";

/** Root entries that any JavaScript runtime can import. */
const NEUTRAL = [
  "protocol",
  "text",
  "model",
  "learning",
  "evaluation",
  "environments",
  "collector",
  "agent",
];
/** Root entries that pages import. */
const BROWSER_FACING = ["protocol", "text", "collector", "agent", "embed", "runtime"];

const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");

const run = promisify(execFile);
const node = (args: readonly string[], cwd = ROOT) =>
  run(process.execPath, args, {
    cwd,
    // The test runner's conditions and loaders must not affect the builds.
    env: { ...process.env, NODE_OPTIONS: "", WRANGLER_SEND_METRICS: "false", CI: "true" },
  });

describe("the Worker", () => {
  const folder = mkdtempSync(join(tmpdir(), "waggle-deploy-"));
  let said = "";

  beforeAll(async () => {
    const args = ["deploy", "--dry-run", "--env", "production", "--outdir", folder];
    const { stdout } = await node([WRANGLER, ...args], join(ROOT, "workers", "edge"));
    said = stdout;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("passes a dry run of its production configuration with every binding it uses", () => {
    expect(said).toContain("--dry-run: exiting now.");
    for (const resource of [
      "env.COORDINATOR (Coordinator)",
      "env.RATE_LIMITER (RateLimiter)",
      "env.UPLOADS (waggle-uploads-production)",
      "env.DB (waggle-production)",
      "env.OBJECTS (waggle-production)",
    ]) {
      expect(said).toContain(resource);
    }
  });

  test("has the limits that waggle deploy gives the Worker of a site", () => {
    const vars = [...said.matchAll(/env\.(\w+) \("([^"]*)"\)/g)].map(([, name = "", value]) => [
      name,
      value,
    ]);
    const { TASK_ENVIRONMENT: _, ...limits } = Object.fromEntries(vars) as Record<string, string>;
    expect(limits).toEqual(DEPLOYED_VARIABLES);
  });

  test("has a bundle without Node builtins and credentials", () => {
    const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
    expect(scripts).toContain("index.js");
    const imported = scripts.flatMap((name) => {
      const code = readFileSync(join(folder, name), "utf8");
      return [...code.matchAll(/^import\s[^;]*?from\s+"([^"]+)"/gm)].map((match) => match[1] ?? "");
    });
    expect(imported.filter(isBuiltin)).toEqual([]);
    expect(said).not.toMatch(/SESSION_SECRET|CREDENTIAL|SITE_KEYS/);
  });
});

describe("the built packages", () => {
  beforeAll(async () => {
    const names = [...new Set([...NEUTRAL, ...BROWSER_FACING])];
    await node([TSC, "-b", ...names.map((name) => `packages/${name}`)]);
  });

  test.each(NEUTRAL)(
    "the root entry of %s imports in plain Node with the names of its source",
    async (name) => {
      const script = `
        const url = import.meta.resolve("@waggle/${name}");
        const names = Object.keys(await import(url));
        console.log(JSON.stringify({ url, names }));`;
      const { stdout } = await node(["--input-type=module", "--eval", script]);
      const built = JSON.parse(stdout) as { url: string; names: string[] };
      expect(built.url).toMatch(new RegExp(`/packages/${name}/dist/index\\.js$`));
      const source = (await import(`../../packages/${name}/src/index.ts`)) as object;
      expect(built.names.sort()).toEqual(Object.keys(source).sort());
      expect(built.names.length).toBeGreaterThan(0);
    },
  );

  test.each(BROWSER_FACING)(
    "the root entry of %s statically imports no Node builtin",
    async (name) => {
      expect(await builtinsOf(join(ROOT, "packages", name, "dist", "index.js"))).toEqual([]);
    },
  );

  test("control: the same search finds the builtins of an entry for Node", async () => {
    const found = await builtinsOf(join(ROOT, "packages", "runtime", "dist", "node", "index.js"));
    expect(found.length).toBeGreaterThan(0);
  });
});

/** `<builtin> in <file>` for each static import that a bundler reaches from `entry`, including libraries. */
async function builtinsOf(entry: string): Promise<string[]> {
  const found: string[] = [];
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["browser", "module", "import", "default"] },
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ["es"] },
      // Only the root entry's own graph: workers have their own entries, and native libraries are for Node.
      rolldownOptions: { external: (id) => id.startsWith("onnxruntime-") },
    },
    plugins: [
      {
        name: "find-builtins",
        enforce: "pre",
        resolveId(id, importer, { kind }) {
          if (!isBuiltin(id)) return null;
          if (kind === "import-statement") found.push(`${id} in ${importer ?? "?"}`);
          return { id, external: true };
        },
      },
    ],
  });
  return found;
}
