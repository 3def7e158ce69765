/**
 * Asserts the architecture of docs/design.md: layers import only lower layers, packages of one layer do not import each
 * other, heavy libraries stay in listed packages, sources have at most 400 lines, and packages declare what they import.
 */
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const LAYERS: Record<string, number> = {
  "packages/protocol": 0,
  "packages/text": 1,
  "packages/model": 1,
  "packages/learning": 2,
  "packages/collector": 2,
  "packages/environments": 2,
  "packages/evaluation": 2,
  "packages/exchange": 2,
  "packages/runtime": 3,
  "packages/engine": 3,
  "packages/agent": 3,
  "packages/site": 4,
  "packages/embed": 5,
  "workers/edge": 5,
  trainer: 5,
  "packages/create-waggle": 0,
  "apps/demo": 6,
  "apps/dashboard": 6,
  "apps/practice": 6,
  "packages/dev": 7,
  "packages/cli": 8,
};

/** Libraries that only the listed packages may import. */
const HEAVY: Record<string, readonly string[]> = {
  "onnxruntime-web": ["packages/runtime", "packages/engine"],
  "onnxruntime-node": ["packages/runtime", "packages/engine"],
  "@tensorflow/": ["packages/engine"],
  webgpu: ["packages/engine"],
  "@bufbuild/": ["packages/model"],
  "@huggingface/": ["packages/text"],
  idb: ["packages/collector"],
  "@modelcontextprotocol/client": ["packages/agent"],
  "@ai-sdk/": ["packages/runtime"],
  ai: ["packages/embed"],
  react: ["packages/embed"],
  hyparquet: ["packages/exchange"],
  "hyparquet-writer": ["packages/exchange"],
  "@msgpack/": ["packages/exchange"],
  "oxc-parser": ["packages/site"],
  hono: ["workers/edge"],
  uplot: ["apps/dashboard"],
  echarts: ["trainer"],
};

const folders = Object.keys(LAYERS);
const sources = folders.flatMap((folder) =>
  globSync(`${folder}/src/**/*.ts`, { cwd: ROOT }).map((file) => ({ folder, file })),
);
const isTest = (file: string) => /\.(test|bench|contract|test-d|fixture)\.ts$/.test(file);

const IMPORT =
  /^\s*(?:import|export)\b[^;]*?from\s+["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|^\s*import\s+["']([^"']+)["']/gm;

function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

const imports = (file: string) => importsOf(readFileSync(join(ROOT, file), "utf8"));

/** The fakes, and the demo shop as an example of a site. */
const FOR_TESTS: ReadonlySet<string> = new Set(["@waggle/testing", "@waggle/demo"]);

const packageName = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

test("every package has a layer, and every layer has existing packages", () => {
  const found = ["packages/*", "workers/*", "apps/*"]
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: ROOT }))
    .map((file) => file.replace("/package.json", ""));
  expect(found.filter((folder) => folder !== "packages/testing").sort()).toEqual(
    folders.filter((folder) => folder !== "trainer").sort(),
  );
});

test("sources import workspace packages of lower layers only", () => {
  const upward = sources.flatMap(({ folder, file }) =>
    imports(file)
      .filter((specifier) => specifier.startsWith("@waggle/"))
      .filter((specifier) => !(isTest(file) && FOR_TESTS.has(packageName(specifier))))
      .filter((specifier) => {
        const target = folders.find((other) =>
          `/${other}`.endsWith(packageName(specifier).slice(7)),
        );
        if (target === folder) return true;
        return target === undefined || !((LAYERS[target] ?? 9) < (LAYERS[folder] ?? 0));
      })
      .map((specifier) => `${file} imports ${specifier}`),
  );
  expect(upward).toEqual([]);
});

test("packages/testing imports only what the packages that it tests may import", () => {
  const known = ["@waggle/protocol", "@waggle/model"];
  const above = globSync("packages/testing/src/**/*.ts", { cwd: ROOT }).flatMap((file) =>
    imports(file)
      .filter((specifier) => specifier.startsWith("@waggle/") && !known.includes(specifier))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  expect(above).toEqual([]);
});

test("relative imports stay inside their package", () => {
  const escaping = sources
    .filter(({ file }) => !isTest(file))
    .flatMap(({ folder, file }) =>
      imports(file)
        .filter((specifier) => specifier.startsWith("."))
        .filter((specifier) => relative(folder, join(file, "..", specifier)).startsWith(".."))
        .map((specifier) => `${file} imports ${specifier}`),
    );
  expect(escaping).toEqual([]);
});

test("heavy libraries are imported only by the listed packages", () => {
  const misplaced = sources
    .filter(({ file }) => !isTest(file))
    .flatMap(({ folder, file }) =>
      imports(file).flatMap((specifier) =>
        Object.entries(HEAVY)
          .filter(
            ([library]) =>
              specifier === library ||
              specifier.startsWith(library.endsWith("/") ? library : `${library}/`),
          )
          .filter(([, allowed]) => !allowed.includes(folder))
          .map(([library]) => `${file} imports ${library}`),
      ),
    );
  expect(misplaced).toEqual([]);
});

test("the agent's root entry reaches no environment, so that pages do not load them", () => {
  const agent = sources.filter(({ folder, file }) => folder === "packages/agent" && !isTest(file));
  const reaching = agent
    .filter(({ file }) => !file.startsWith("packages/agent/src/environments/"))
    .filter(({ file }) =>
      imports(file).some(
        (name) => name === "@waggle/environments" || /\/environments\//.test(name),
      ),
    );
  expect(reaching).toEqual([]);
  const entry = "packages/agent/src/environments/judged-rollout.ts";
  expect(agent.map(({ file }) => file)).toContain(entry);
  expect(imports(entry)).toContain("@waggle/environments");
});

test("a package declares every library it imports", () => {
  const undeclared = sources
    .filter(({ file }) => !isTest(file))
    .flatMap(({ folder, file }) => {
      const manifest: unknown = JSON.parse(
        readFileSync(join(ROOT, folder, "package.json"), "utf8"),
      );
      const {
        dependencies = {},
        peerDependencies = {},
        devDependencies = {},
      } = manifest as Record<string, Record<string, string> | undefined>;
      const declared = new Set(
        [dependencies, peerDependencies, devDependencies].flatMap((group) => Object.keys(group)),
      );
      return imports(file)
        .filter((specifier) => !/^[.#]|^(node|cloudflare|virtual):|^\//.test(specifier))
        .filter((specifier) => !declared.has(packageName(specifier)))
        .map((specifier) => `${file} imports ${specifier}`);
    });
  expect(undeclared).toEqual([]);
});

test("public entries have no star exports and sources have no default exports", () => {
  const offending = sources
    // Wrangler runs the Worker's default export, and a site's config names modules by theirs.
    .filter(({ folder, file }) => !isTest(file) && !["apps/demo", "workers/edge"].includes(folder))
    .filter(({ file }) =>
      /^export \* |^export default /m.test(readFileSync(join(ROOT, file), "utf8")),
    )
    .map(({ file }) => file);
  expect(offending).toEqual([]);
});

test("no source is longer than 400 lines", () => {
  const long = sources
    .map(({ file }) => ({ file, lines: readFileSync(join(ROOT, file), "utf8").split("\n").length }))
    .filter(({ lines }) => lines > 400);
  expect(long).toEqual([]);
});

test("static imports, re-exports and dynamic imports are all found", () => {
  const planted =
    'import { x } from "@waggle/embed";\nexport { y } from "./y.ts";\nawait import("hono");\nimport "z";';
  expect(importsOf(planted)).toEqual(["@waggle/embed", "./y.ts", "hono", "z"]);
});
