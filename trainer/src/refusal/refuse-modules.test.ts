/** A trainer that cannot load environments trains all the same, and says what it was refused. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { environmentNamed } from "@waggle/environments";
import { FULL_SUPPORT } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { liveRequests, withThumbs } from "../edge-training/live-requests.fixture.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../pretrain/environment-base.ts";

const ENVIRONMENTS = dirname(dirname(fileURLToPath(import.meta.resolve("@waggle/environments"))));
const COMMAND = join(import.meta.dirname, "../commands/train-edge-main.ts");
const SESSION = join(import.meta.dirname, "refused-session.fixture.ts");
const NODE = ["--conditions=source", "--disable-warning=ExperimentalWarning"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-refused-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Ended = { readonly code: number; readonly out: string; readonly error: string };

/** Runs a program where modules of these places are refused. */
function refused(places: readonly string[], ...args: readonly string[]): Promise<Ended> {
  const hook = pathToFileURL(join(import.meta.dirname, "refuse-modules.ts"));
  for (const place of places) hook.searchParams.append("place", place);
  return new Promise((resolve) => {
    execFile(process.execPath, [...NODE, "--import", hook.href, ...args], (failure, out, error) =>
      resolve({ code: failure === null ? 0 : Number(failure.code ?? 1), out, error }),
    );
  });
}

test("train-edge starts where environments are refused, and names the module if one is asked for", async () => {
  const help = await refused([ENVIRONMENTS], COMMAND, "train-edge", "--help");
  expect(help).toMatchObject({ code: 0, error: "" });
  expect(help.out).toContain("--tools <source>");
  const asked = await refused(
    [ENVIRONMENTS],
    COMMAND,
    "train-edge",
    "--env",
    "bandit",
    "--model",
    "nano",
  );
  expect(asked.code).not.toBe(0);
  expect(asked.error).toMatch(
    /must not load @waggle\/environments \(.*packages\/environments\/.*\), which .* imports: it was started so that it cannot see what people want/,
  );
}, 60_000);

test("files and folders are refused, also to a worker thread, and nothing else is", async () => {
  const [secret, other, program] = ["secret", "other", "program"].map((name) =>
    join(folder, `${name}.mjs`),
  ) as [string, string, string];
  writeFileSync(secret, "export const wish = 1;");
  writeFileSync(other, "export const fact = 2;");
  const read = (file: string): string =>
    `await import(${JSON.stringify(pathToFileURL(file).href)}).then((m) => console.log(Object.keys(m)[0]), (e) => console.log(e.message));`;
  writeFileSync(
    program,
    `import { isMainThread, Worker } from "node:worker_threads";
${read(secret)}
${read(other)}
if (isMainThread) new Worker(import.meta.filename);`,
  );
  const told = (await refused([secret], program)).out.trim().split("\n");
  const expected = [expect.stringContaining("must not load"), "fact"];
  expect(told).toEqual([...expected, ...expected]);
  // The control: nothing is refused.
  expect((await refused([], program)).out).toBe("wish\nfact\nwish\nfact\n");
  const missing = await refused([join(folder, "nothing")], program);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.error).toContain("ENOENT");
}, 60_000);

// Under `npm test`, a learner of live-signals.test.ts cannot load environments, and without-environment.test.ts publishes.
test.runIf(isLong())(
  "a session that cannot load environments learns from thumbs and publishes to a release",
  async () => {
    const recipe = { ...ENVIRONMENT_BASE, steps: 150, width: 32, layers: 2, mistakes: 0.5 };
    const base = join(folder, "base");
    const model = await environmentBase(environmentNamed("bandit"), base, recipe, {
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    const asked = await liveRequests(model, FULL_SUPPORT, 24);
    const requests = join(folder, "requests.json");
    writeFileSync(requests, JSON.stringify(withThumbs(asked, ({ isWanted }) => isWanted)));
    const places = [ENVIRONMENTS, join(import.meta.dirname, "../studies")];
    const session = await refused(places, SESSION, base, requests, join(folder, "state"));
    expect(session.error).toBe("");
    const { learned, stable } = JSON.parse(session.out) as { learned: number; stable: number };
    expect(learned).toBeGreaterThanOrEqual(16);
    expect(stable).toBe(1);
  },
  300_000,
);
