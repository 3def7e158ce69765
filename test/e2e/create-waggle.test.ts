/**
 * `npm create waggle` as outside developers run it: from a registry, into a folder outside the repository. Each
 * template's own tests pass, its types are right and its page builds. This takes minutes, so `npm test` tries one template,
 * from packed packages: `own-project.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalRegistry, publishAll, startRegistry } from "../fixtures/local-registry.ts";
import { isLong } from "../fixtures/long.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";

const work = mkdtempSync(join(tmpdir(), "waggle-create-"));
let registry: LocalRegistry | undefined;

beforeAll(async () => {
  const packages = packedPackages();
  registry = await startRegistry(work);
  await publishAll(registry, packages);
  writeFileSync(join(work, ".npmrc"), registry.npmrc);
});
afterAll(() => {
  registry?.stop();
  rmSync(work, { recursive: true, force: true });
});

function npm(folder: string, ...args: readonly string[]): { readonly stdout: string } {
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      CI: "true",
      ONNXRUNTIME_NODE_INSTALL: "skip",
      npm_config_userconfig: join(work, ".npmrc"),
      npm_config_prefer_offline: "true",
    },
  });
  if (status !== 0)
    throw new Error(`npm ${args.join(" ")}: exit code ${status}\n${stdout}${stderr}`);
  return { stdout: stripVTControlCharacters(stdout) };
}

test.runIf(isLong()).each([
  ["vite", "You reserve meeting rooms."],
  ["html", "You look after the plants of a greenhouse."],
  ["react", "You keep a board of cards in order."],
])(
  "the template %s installs from a registry, passes its tests and builds its page",
  (template, marker) => {
    const { stdout } = npm(work, "create", "waggle", template, "--", "--template", template);
    expect(stdout).toContain(`made ${template} from the template ${template}`);
    const project = join(work, template);
    expect(npm(project, "test").stdout).toMatch(/Tests +[34] passed/);
    expect(npm(project, "run", "check").stdout).toMatch(/ is ready\n$/);
    // It checks the types first, where there are types.
    npm(project, "run", "build");
    expect(existsSync(join(project, "dist", "index.html"))).toBe(true);
    const code = globSync("dist/assets/*.js", { cwd: project })
      .map((file) => readFileSync(join(project, file), "utf8"))
      .join("\n");
    // The page has its prompt and its tools; the demonstrator and the verifier stay outside.
    expect(code).toContain(marker);
    expect(code).not.toContain("nearMiss");
    // The next template needs the space, and nothing of this one.
    rmSync(join(project, "node_modules"), { recursive: true });
  },
  120_000,
);
