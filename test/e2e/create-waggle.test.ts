/**
 * `npm create waggle` as outside developers run it: from a registry, into a folder outside the repository. Each
 * template's own tests pass, its types are right, and its built page answers the request that it suggests, in Chromium
 * with the nano model. `npm run dev` opens its page and reloads it on a change, and a dry run of the deployment bundles its
 * Worker. This takes minutes, so `npm test` tries one template, from packed packages: `own-project.test.ts`.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { filesIn } from "../fixtures/files-in.ts";
import { isLong } from "../fixtures/long.ts";
import { npmRunDev } from "../fixtures/npm-run-dev.ts";
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
  ["vite", "You reserve meeting rooms.", "Reserve a room for 6 people", "meeting-rooms"],
  [
    "html",
    "You look after the plants of a greenhouse.",
    "Give 100 ml to each dry plant",
    "greenhouse",
  ],
  ["react", "You keep a board of cards in order.", "Move the oldest P417 card", "board"],
])(
  "the template %s installs from a registry, passes its tests, builds a page that answers, and runs",
  async (template, marker, request, id) => {
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
    await reloadsWhileItRuns(project, id);
    expect(npm(project, "run", "deploy", "--", "--dry-run")).toContain(
      `env.TASK_ENVIRONMENT ("${id}")`,
    );
    // The next template needs the space, and nothing of this one.
    rmSync(join(project, "node_modules"), { recursive: true });
  },
  600_000,
);

/** `npm run dev` opens the page, reloads it after a change of its tools, and ends with Ctrl-C. */
async function reloadsWhileItRuns(project: string, id: string): Promise<void> {
  const [config = ""] = globSync("waggle.config.*", { cwd: project });
  // A base that trains in seconds, which is not for use.
  edit(join(project, config), (text) =>
    text.replace("languages:", "base: { steps: 20 },\n  languages:"),
  );
  const dev = npmRunDev(project);
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: CHROMIUM_FLAGS,
  });
  try {
    const page = await browser.newPage();
    await page.goto(await dev.addressOf(id));
    expect(await settledState(page)).toMatch(/^ready/);
    await page.evaluate(() => Object.assign(window, { isOld: true }));
    const [tools = ""] = globSync("src/tools.*", { cwd: project });
    edit(join(project, tools), (text) => `${text}\nexport const CHANGED = true;\n`);
    await expect
      .poll(() => page.evaluate(() => "isOld" in window).catch(() => true), { timeout: 30_000 })
      .toBe(false);
    expect(await settledState(page)).toMatch(/^ready/);
  } finally {
    await browser.close();
    expect(await dev.interrupt()).toEqual([]);
  }
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

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
