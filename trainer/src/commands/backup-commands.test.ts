import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "@waggle/protocol";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { filledEdge, StoredEdge } from "../backup/stored-edge.fixture.ts";
import { createProgram } from "./program.ts";

const ROWS = 5;
const BYTES = new TextEncoder().encode("weights");
let hash = "";

beforeAll(async () => {
  hash = await sha256(BYTES);
});

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-backup-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "backup");
}

const BOTH = { WAGGLE_OPERATOR_CREDENTIAL: "operator", WAGGLE_TRAINER_CREDENTIAL: "trainer" };

async function run(
  edge: StoredEdge,
  args: readonly string[],
  environment: object = BOTH,
  out: string[] = [],
) {
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    writeError: () => undefined,
    environment: environment as Record<string, string>,
    fetch: edge.fetch,
  });
  await program.parseAsync([...args], { from: "user" });
  return out;
}

/** All files of a folder with their bytes, but the manifest, whose times differ. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile() && each.name !== "backup.json");
  const texts = files.map(async (each): Promise<[string, string]> => {
    const path = join(each.parentPath, each.name);
    return [path.slice(folder.length), await readFile(path, "utf8")];
  });
  return new Map((await Promise.all(texts)).toSorted(([a], [b]) => a.localeCompare(b)));
}

test("an empty edge has all rows, objects and sites after a restore", async () => {
  const edge = filledEdge(ROWS, hash, BYTES);
  const folder = await freshFolder();
  const out = await run(edge, ["backup", folder]);
  expect(out).toEqual([
    "site     versions  trajectories  feedback  model files  missing objects",
    "default  2         5             5         1            1",
    "desk     2         5             5         1            1",
  ]);
  const empty = new StoredEdge("default");
  const restored = await run(empty, ["restore", folder]);
  expect(empty.state()).toEqual(edge.state());
  expect(restored.join("\n")).toMatch(/operator's credential: new-o/);
  expect(restored.at(-1)).toMatch(/^Deletion requests after 20\d\d-.* are not in the backup/);
  // What default has from the Worker's variables is not stored as its own.
  expect(empty.calls).toContain("PUT /v1/operator/sites/default");
  expect(empty.sites.get("desk")?.settings).toEqual(edge.sites.get("desk")?.settings);
});

test("a backup of a release that had fewer tables is restored", async () => {
  const edge = filledEdge(ROWS, hash, BYTES);
  for (const site of ["default", "desk"]) edge.of(site, "staffNotes").length = 0;
  const folder = await freshFolder();
  await run(edge, ["backup", folder]);
  const manifest = JSON.parse(await readFile(join(folder, "backup.json"), "utf8"));
  for (const { site, tables } of manifest.sites) {
    delete tables.staffNotes;
    await rm(join(folder, "sites", site.id, "staffNotes.jsonl"));
  }
  await writeFile(join(folder, "backup.json"), JSON.stringify(manifest));
  const empty = new StoredEdge("default");
  await run(empty, ["restore", folder]);
  expect(empty.state()).toEqual(edge.state());
});

test("a backup that is stopped anywhere goes on, and is the same as one in one piece", async () => {
  const whole = await freshFolder();
  const complete = filledEdge(ROWS, hash, BYTES);
  await run(complete, ["backup", whole]);
  const expected = await filesOf(whole);
  const folder = await freshFolder();
  const edge = filledEdge(ROWS, hash, BYTES);
  let stops = 0;
  // Each run gets a few calls further. Deletion requests are read last, and then always from their beginning.
  for (;;) {
    const isLast = edge.calls.some((call) => call.includes("/backup/forgotten"));
    edge.answered = edge.calls.length + (isLast ? 20 : 3);
    const isDone = await run(edge, ["backup", folder]).then(
      () => true,
      () => false,
    );
    if (isDone) break;
    stops += 1;
  }
  expect(stops).toBeGreaterThan(20);
  expect(await filesOf(folder)).toEqual(expected);
  // Besides the calls that were refused, only the list of sites and pages of deletions were asked for again.
  expect(edge.calls.length).toBeLessThanOrEqual(complete.calls.length + 2 * stops + 4);
});

test("--site backs up one site", async () => {
  const folder = await freshFolder();
  const out = await run(filledEdge(ROWS, hash, BYTES), ["backup", folder, "--site", "desk"]);
  expect(out.slice(1).map((line) => line.split(" ")[0])).toEqual(["desk"]);
  expect(await readdir(join(folder, "sites"))).toEqual(["desk"]);
});

test.each(["sites/desk/feedback.jsonl", "files"])(
  "a backup whose %s was changed is refused before anything is sent",
  async (name) => {
    const folder = await freshFolder();
    await run(filledEdge(ROWS, hash, BYTES), ["backup", folder]);
    const path = join(folder, name === "files" ? `files/${hash}` : name);
    const text = await readFile(path, "utf8");
    for (const damage of [() => writeFile(path, text.replace("e", "f")), () => rm(path)]) {
      await damage();
      const empty = new StoredEdge("default");
      await expect(run(empty, ["restore", folder])).rejects.toMatchObject({
        code: "DIGEST_MISMATCH",
      });
      expect(empty.calls).toEqual([]);
    }
  },
);

test("an incomplete backup is not restored", async () => {
  const folder = await freshFolder();
  const edge = filledEdge(ROWS, hash, BYTES);
  edge.answered = 30;
  await expect(run(edge, ["backup", folder])).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(run(new StoredEdge("default"), ["restore", folder])).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("an edge with other data is left as it is, and one with a part of the backup is completed", async () => {
  const folder = await freshFolder();
  const edge = filledEdge(ROWS, hash, BYTES);
  await run(edge, ["backup", folder]);
  const other = new StoredEdge("default");
  other.of("default", "trajectories").push({ row: { digest: "of its own" } });
  const before = JSON.stringify(other.state());
  await expect(run(other, ["restore", folder])).rejects.toMatchObject({ code: "CONFLICT" });
  expect(JSON.stringify(other.state())).toBe(before);
  const half = new StoredEdge("default");
  half.answered = 40;
  const out: string[] = [];
  const stopped = run(half, ["restore", folder, "--json"], BOTH, out);
  await expect(stopped).rejects.toMatchObject({ code: "FORBIDDEN" });
  // Credentials of a new site are printed before the rest of the restore can fail.
  expect(out.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { created: { site: { id: "desk" }, operatorCredential: "new-o" } },
  ]);
  half.answered = Infinity;
  await run(half, ["restore", folder]);
  expect(half.state()).toEqual(edge.state());
});

test("--deletions adds later deletion requests to a complete backup", async () => {
  const folder = await freshFolder();
  const edge = filledEdge(ROWS, hash, BYTES);
  await run(edge, ["backup", folder]);
  await expect(run(edge, ["backup", folder])).rejects.toMatchObject({ code: "CONFLICT" });
  const before = await filesOf(folder);
  edge.of("desk", "forgottenVisitors").push({ row: { visitor: "asked later" } });
  edge.of("desk", "trajectories").push({ row: { digest: "stored later" } });
  const calls = edge.calls.length;
  await run(edge, ["backup", folder, "--deletions"]);
  expect(edge.calls.slice(calls).every((call) => call.includes("/backup/forgotten"))).toBe(true);
  const after = await filesOf(folder);
  const changed = [...after].filter(([name, text]) => before.get(name) !== text);
  expect(changed.map(([name]) => name)).toEqual(["/sites/desk/forgottenVisitors.jsonl"]);
  const empty = new StoredEdge("default");
  await run(empty, ["restore", folder]);
  expect(empty.of("desk", "forgottenVisitors").at(-1)?.row).toEqual({ visitor: "asked later" });
});

test("a folder with other files, and a restore without the trainer's credential, are refused", async () => {
  const folder = await freshFolder();
  const edge = filledEdge(ROWS, hash, BYTES);
  await run(edge, ["backup", folder]);
  await expect(run(edge, ["backup", join(folder, "sites")])).rejects.toMatchObject({
    code: "CONFLICT",
  });
  const { WAGGLE_OPERATOR_CREDENTIAL } = BOTH;
  await expect(
    run(edge, ["restore", folder], { WAGGLE_OPERATOR_CREDENTIAL }),
  ).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});
