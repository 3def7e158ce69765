/**
 * `npm create waggle` as outside developers run it: from a registry, into a folder outside the repository. Each
 * template's own tests pass, its types are right, and its built page answers the request that it suggests, in Chromium
 * with the nano model. This takes minutes, so `npm test` tries one template, from packed packages:
 * `own-project.test.ts`.
 */
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { filesIn } from "../fixtures/files-in.ts";
import { isLong } from "../fixtures/long.ts";
import { askInPanel, openExample, settledState } from "../fixtures/open-example.ts";
import { type RegistryFolder, registryFolder } from "../fixtures/registry-folder.ts";

let registry: RegistryFolder | undefined;
beforeAll(async () => {
  if (isLong()) registry = await registryFolder();
});
afterAll(() => registry?.remove());
afterEach(() => {
  vi.unstubAllEnvs();
});

test.runIf(isLong()).each([
  ["vite", "You reserve meeting rooms.", "Reserve a room for 6 people"],
  ["html", "You look after the plants of a greenhouse.", "Give 100 ml to each dry plant"],
  ["react", "You keep a board of cards in order.", "Move the oldest P417 card"],
])(
  "the template %s installs from a registry, passes its tests and builds a page that answers",
  async (template, marker, request) => {
    const { path, npm } = registry as RegistryFolder;
    const created = npm(path, "create", "waggle", template, "--", "--template", template);
    expect(created).toContain(`made ${template} from the template ${template}`);
    const project = join(path, template);
    expect(npm(project, "test")).toMatch(/Tests +[34] passed/);
    expect(npm(project, "run", "check")).toMatch(/ is ready\n$/);
    vi.stubEnv("WAGGLE_EDGE_URL", "https://edge.example");
    // It checks the types first, where there are types.
    npm(project, "run", "build");
    expect(existsSync(join(project, "dist", "index.html"))).toBe(true);
    const code = globSync("dist/assets/*.js", { cwd: project })
      .map((file) => readFileSync(join(project, file), "utf8"))
      .join("\n");
    // The page has its prompt and its tools; the demonstrator and the verifier stay outside.
    expect(code).toContain(marker);
    expect(code).not.toContain("nearMiss");
    await answersSuggestion(join(project, "dist"), request);
    // The next template needs the space, and nothing of this one.
    rmSync(join(project, "node_modules"), { recursive: true });
  },
  180_000,
);

/** Opens a built page and sends the request that the panel suggests. */
async function answersSuggestion(folder: string, request: string): Promise<void> {
  const { page, errors, close } = await openExample(filesIn(folder));
  try {
    expect(await settledState(page)).toMatch(/^ready/);
    const panel = page.locator("waggle-agent");
    const suggested = panel.getByRole("button", { name: request });
    await askInPanel(page, await suggested.innerText());
    expect(await panel.getByRole("article").innerText()).not.toBe("");
    expect(errors).toEqual([]);
  } finally {
    await close();
  }
}
