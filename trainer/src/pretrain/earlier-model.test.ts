import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProgram } from "../commands/program.ts";
import { readBaseModel } from "../model/base-model.ts";

const ENVIRONMENT = "bandit";

let folder: string;
let first: string;

/** Trains for one step. @returns what it wrote to standard error. */
async function trainBase(out: string, options: string): Promise<string> {
  const errors: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: (text) => void errors.push(text),
    environment: {},
  });
  const paths = `--out ${out} --run ${out}-run`;
  const line = `train-base --env ${ENVIRONMENT} ${options} --steps 1 --tasks 1 ${paths}`;
  await program.parseAsync(line.split(" "), { from: "user" });
  return errors.join("\n");
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-earlier-"));
  first = join(folder, "first");
  await trainBase(first, "--size small");
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("training goes on from a model: its tokenizer stays, its weights change a little", async () => {
  const out = join(folder, "second");
  await trainBase(out, `--size small --from ${first}`);
  const [before, after] = [await readBaseModel(first), await readBaseModel(out)];
  const file = (of: string) => readFile(join(of, "tokenizer.json"), "utf8");
  expect(await file(out)).toBe(await file(first));
  let largest = 0;
  for (const [name, { data }] of before.weights) {
    const now = after.weights.get(name)?.data ?? new Float32Array();
    expect(now).toHaveLength(data.length);
    for (const [i, value] of data.entries()) {
      largest = Math.max(largest, Math.abs(value - (now[i] ?? 0)));
    }
  }
  // AdamW moves a weight by about the learning rate, which is 1.5e-5 in the first step of the warm-up.
  expect(largest).toBeGreaterThan(1e-6);
  expect(largest).toBeLessThan(1e-3);
  const card = await readFile(join(out, "README.md"), "utf8");
  expect(card).toContain(before.reference.sha256.slice(0, 16));
  expect(card).not.toContain("random weights");
  expect(card).toContain("learning rate 0.0015 ");
  expect(await readFile(join(first, "README.md"), "utf8")).toContain("learning rate 0.003 ");
}, 120_000);

test("a model of another size is refused", async () => {
  const run = trainBase(join(folder, "third"), `--size medium --from ${first}`);
  await expect(run).rejects.toThrow(/not one that train-base --size medium makes/);
}, 120_000);
