/** Page, Worker and trainer of one site: each contains its own part of the site's code, and no other. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSite, workerEntry } from "@waggle/site/node";
import { waggle } from "@waggle/site/vite";
import { build as bundle } from "esbuild";
import { build, createLogger } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import { PLANNER_FILES, plannerSite } from "../fixtures/planner-site.ts";

const ROOT = join(import.meta.dirname, "../..");
const MARKERS = ["PAGE", "EDGE", "VERIFIER", "DEMONSTRATOR", "REWARD"].map(
  (name) => `${name}-MARKER`,
);
let site: ReturnType<typeof plannerSite>;

beforeAll(() => {
  site = plannerSite({
    "index.html": '<script type="module" src="./page.ts"></script>',
    "page.ts": `import { createAgent } from "@waggle/embed";
import { site } from "virtual:waggle/site";
globalThis.agent = createAgent(site);
globalThis.texts = site.panelTexts;
`,
  });
});
afterAll(() => site.remove());

/** What a program contains: its markers, and its modules of the site and of this repository. */
function contents(code: string, modules: readonly string[]) {
  const own = (folder: string) =>
    modules
      .filter((path) => path.includes(folder))
      .map((path) => path.slice(path.indexOf(folder) + folder.length))
      .toSorted();
  return {
    markers: MARKERS.filter((marker) => code.includes(marker)),
    files: own(`${site.folder}/`),
    packages: [...new Set(own(`${ROOT}/`).map((path) => path.split("/src/")[0]))],
  };
}

/** Builds the page of a site. */
async function buildPage(root: string) {
  const warnings: string[] = [];
  const built = await build({
    configFile: false,
    root,
    customLogger: { ...createLogger("silent"), warn: (text) => void warnings.push(text) },
    plugins: [waggle()],
    resolve: { conditions: ["source", "browser", "module"] },
    build: { write: false, target: "esnext" },
  });
  const outputs = Array.isArray(built) ? built : "output" in built ? [built] : [];
  const chunks = outputs.flatMap(({ output }) => output).filter((one) => one.type === "chunk");
  return { chunks, code: chunks.map((chunk) => chunk.code).join("\n"), warnings };
}

test("the page has its tools, and nothing of the trainer, the verifier, the demonstrator or the edge", async () => {
  const { chunks, code, warnings } = await buildPage(site.folder);
  expect(warnings.join("\n")).toMatch(
    /looks for its edge at http:\/\/localhost:8787; set edge\.url/,
  );
  const modules = chunks.flatMap((chunk) => Object.keys(chunk.modules));
  const page = contents(code, modules);
  expect(page).toMatchObject({
    markers: ["PAGE-MARKER"],
    files: ["index.html", "page.ts", "shared.ts", "tools.ts"],
  });
  expect(page.packages).toContain("packages/embed");
  for (const foreign of ["trainer", "workers/edge", "packages/environments", "packages/site"]) {
    expect(page.packages).not.toContain(foreign);
  }
  // The page's data is there; that of the trainer and of the gate is not.
  for (const own of ["You plan meetings.", "local-planner", "We keep your plans.", "holidays"]) {
    expect(code).toContain(own);
  }
  for (const foreign of ["groupSize", "canaryShare", "publishEvery", "waggle.config"]) {
    expect({ foreign, isThere: code.includes(foreign) }).toEqual({ foreign, isThere: false });
  }
  expect(code).toContain("/room-[0-9]+/i");

  // Code for MCP is in chunks that the page imports only when it calls a server.
  const atOnce = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const chunk of atOnce) {
    for (const one of chunks) if (chunk.imports.includes(one.fileName)) atOnce.add(one);
  }
  const withMcp = chunks.filter(({ modules }) =>
    Object.keys(modules).some((path) => /mcp-tools|modelcontextprotocol/.test(path)),
  );
  expect(withMcp.length).toBeGreaterThan(0);
  expect(withMcp.filter((chunk) => atOnce.has(chunk))).toEqual([]);
}, 120_000);

// Under `npm test`, practice-part.test.ts has what a page gets of an environment, with and without the verifier.
test.runIf(isLong())(
  "a page that practices has the tasks and their tools, and no verifier or demonstrator",
  async () => {
    const built = (collect: "full" | "rewards") => {
      const practicing = plannerSite({
        "index.html": '<script type="module" src="./page.ts"></script>',
        "page.ts": `import { createAgent } from "@waggle/embed";
import { site } from "virtual:waggle/site";
import environment from "./environment.ts";
globalThis.agent = createAgent(site);
globalThis.practice = () =>
  agent.simulate({ environment: (task) => environment.create(task), tasks: 3 });
`,
        "waggle.config.ts": (PLANNER_FILES["waggle.config.ts"] as string)
          .replace("consent: {", `consent: { collect: "${collect}",`)
          .replace('recipe: "grpo", settings: { groupSize: 4 }, ', ""),
      });
      return buildPage(practicing.folder).finally(practicing.remove);
    };
    const full = await built("full");
    expect(full.code).toContain("Move meeting ");
    expect(MARKERS.filter((marker) => full.code.includes(marker))).toEqual(["PAGE-MARKER"]);
    // Such a page judges its tasks itself.
    const rewards = await built("rewards");
    expect(MARKERS.filter((marker) => rewards.code.includes(marker))).toEqual([
      "PAGE-MARKER",
      "VERIFIER-MARKER",
    ]);
  },
  240_000,
);

test("the Worker has the edge tools, and nothing of the page or the trainer", async () => {
  const entry = join(site.folder, "worker.ts");
  const { edgeTools } = (await loadSite(site.folder)).files;
  writeFileSync(entry, workerEntry([{ id: "default", edgeTools }]));
  const { outputFiles, metafile } = await bundle({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: "/",
    format: "esm",
    conditions: ["source", "workerd", "worker"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "silent",
  });
  rmSync(entry);
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [`/${path}`] : [],
    ),
  );
  const worker = contents(outputFiles.map(({ text }) => text).join("\n"), used);
  expect(worker).toMatchObject({
    markers: ["EDGE-MARKER"],
    files: ["edge-tools.ts", "shared.ts", "worker.ts"],
  });
  expect(worker.packages).toContain("workers/edge");
  for (const foreign of ["trainer", "packages/embed", "packages/runtime", "packages/site"]) {
    expect(worker.packages).not.toContain(foreign);
  }
}, 60_000);

test("the trainer loads the environment and the reward, and nothing of the page or the edge", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { loadPractice } = await import("@waggle/site/node");
    const { environment } = await loadPractice(${JSON.stringify(site.folder)});
    console.log(JSON.stringify({ name: environment.name, loaded }));
  `;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=source", "--input-type=module", "--eval", program],
    { cwd: ROOT, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  const { name, loaded } = JSON.parse(stdout) as { name: string; loaded: string[] };
  const modules = loaded.map((url) => (url.startsWith("file:") ? new URL(url).pathname : url));
  const { files, packages } = contents("", modules);
  expect(name).toBe("planner");
  expect(files).toEqual(["environment.ts", "reward.ts", "shared.ts", "waggle.config.ts"]);
  expect(packages).not.toContain("packages/embed");
  expect(packages).not.toContain("workers/edge");
});
