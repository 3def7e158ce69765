/**
 * `npm create waggle` as outside developers run it: from a registry, into a folder outside the repository. Each
 * template's own tests pass, its types are right and its page builds. This takes minutes, so `npm test` tries one template,
 * from packed packages: `own-project.test.ts`.
 */
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import { type RegistryFolder, registryFolder } from "../fixtures/registry-folder.ts";

let registry: RegistryFolder | undefined;
beforeAll(async () => {
  if (isLong()) registry = await registryFolder();
});
afterAll(() => registry?.remove());

test.runIf(isLong()).each([
  ["vite", "You reserve meeting rooms."],
  ["html", "You look after the plants of a greenhouse."],
  ["react", "You keep a board of cards in order."],
])(
  "the template %s installs from a registry, passes its tests and builds its page",
  (template, marker) => {
    const { path, npm } = registry as RegistryFolder;
    const created = npm(path, "create", "waggle", template, "--", "--template", template);
    expect(created).toContain(`made ${template} from the template ${template}`);
    const project = join(path, template);
    expect(npm(project, "test")).toMatch(/Tests +[34] passed/);
    expect(npm(project, "run", "check")).toMatch(/ is ready\n$/);
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
