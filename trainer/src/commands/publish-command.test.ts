/** An adapter folder against an in-memory edge, with rollouts of the nano model. */
import { mkdtemp, rm, truncate, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHOP } from "@waggle/demo/environment";
import { initializeAdapter } from "@waggle/model";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { writeOutput } from "../files/output.ts";
import { createReporter } from "../metrics/reporter.ts";
import { adapterFolderFiles } from "../model/adapter-folder.ts";
import { type BaseModel, readBaseModel } from "../model/base-model.ts";
import type { AdapterResult } from "../sink/adapter-publication.ts";
import { createProgram } from "./program.ts";
import { publishFolder, writeResult } from "./publish-command.ts";

const MODEL = join(import.meta.dirname, "../../../packages/model/nano");
const GIVEN = {
  model: MODEL,
  threads: 1,
  seed: 1,
  constrainToolCalls: true,
  evaluationTasks: 8,
  promotionMargin: 0.03,
  dryRun: false,
  own: SHOP,
};

let model: BaseModel;
beforeAll(async () => {
  model = await readBaseModel(MODEL);
});

/** An adapter folder; a fresh adapter does not change the base's outputs. */
async function adapterFolder(layers = model.config.layers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-adapter-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = { ...model.config, layers };
  const path = join(folder, "adapter");
  const adapter = initializeAdapter(config, { rank: 2, alpha: 4, seed: 1 });
  await writeOutput(path, adapterFolderFiles(adapter, config));
  return path;
}

function publish(folder: string, edge: FakeEdge, lines: string[] = [], more: object = {}) {
  const report = createReporter((line) => lines.push(line), true);
  const { signal } = new AbortController();
  return publishFolder(folder, model, edge.client(), { ...GIVEN, ...more }, report, signal);
}

test("an adapter folder is evaluated beside the stable version, published and promoted, once", async () => {
  const edge = new FakeEdge([], model.reference.sha256);
  const folder = await adapterFolder();
  const lines: string[] = [];
  const dry = await publish(folder, edge, [], { dryRun: true });
  expect(dry).toMatchObject({ outcome: "passed", version: null });
  expect([edge.policies.length, edge.objects.size]).toEqual([1, 0]);

  const first = await publish(folder, edge, lines);
  expect(first).toMatchObject({ outcome: "promoted", version: 1, status: "stable" });
  expect(first.evaluation).toEqual(dry.evaluation);
  expect(first.evaluation).toMatchObject({ tasks: 8, gained: 0, lost: 0, comparedWith: 0 });
  expect(lines.filter((line) => /"evaluating".*"done":8,"tasks":8/.test(line))).toHaveLength(2);
  expect(edge.stable).toBe(1);

  const again = await publish(folder, edge);
  expect(again).toMatchObject({ outcome: "known", version: 1, status: "stable" });
  expect(edge.policies).toHaveLength(2);
}, 120_000);

/** Runs the command against an edge without objects. Returns its output and what it sent. */
function publishAlone(...args: readonly string[]) {
  const out: string[] = [];
  const sent: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    writeError: () => {},
    environment: { WAGGLE_TRAINER_CREDENTIAL: "secret" },
    fetch: async (input, init) => {
      const { method, url } = new Request(input, init);
      const { pathname } = new URL(url);
      if (method !== "HEAD") sent.push(`${method} ${pathname}`);
      const error = { code: "NOT_FOUND", message: "no such object" };
      return method === "HEAD" ? Response.json({ error }, { status: 404 }) : Response.json({});
    },
  });
  const ended = program.parseAsync(["publish", "--edge", "https://edge.test", ...args], {
    from: "user",
  });
  return { ended, out, sent };
}

test("without an adapter the model is published alone, and a dry run sends nothing", async () => {
  const dry = publishAlone("--model", MODEL, "--dry-run", "--json");
  await dry.ended;
  expect(dry.out).toEqual([JSON.stringify({ baseModel: model.reference.sha256 })]);
  expect(dry.sent).toEqual([]);
  const { ended, out, sent } = publishAlone("--model", MODEL);
  await ended;
  const files = model.reference.files.map(({ sha256 }) => `PUT /v1/trainer/objects/${sha256}`);
  const whole = sent.slice(0, -1).filter((call) => !call.endsWith("/gzip"));
  expect(whole.toSorted()).toEqual(files.toSorted());
  expect(sent.at(-1)).toBe("PUT /v1/trainer/base-model");
  expect(out).toEqual([`${MODEL} is published as version 0`]);
});

test("a forgotten adapter does not publish the default model", async () => {
  const { ended, sent } = publishAlone();
  await expect(ended).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "name the adapter's folder, or pass --model to publish a model alone",
  });
  expect(sent).toEqual([]);
});

test("a folder that does not fit is refused before anything is sent", async () => {
  const edge = new FakeEdge([], model.reference.sha256);
  const other = new FakeEdge([], "0".repeat(64));
  const folder = await adapterFolder();
  await expect(publish(folder, other)).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringMatching(/serves base model 000000000000, but .*--model/) as string,
  });
  await expect(publish(await adapterFolder(2 * model.config.layers), edge)).rejects.toMatchObject({
    code: "ADAPTER_INCOMPATIBLE",
  });
  await truncate(join(folder, "adapter_model.safetensors"), 1000);
  await expect(publish(folder, edge)).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
  await unlink(join(folder, "adapter_config.json"));
  await expect(publish(folder, edge)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("PEFT's layout") as string,
  });
  expect([edge.policies.length, edge.objects.size, other.objects.size]).toEqual([1, 0, 0]);
});

test("an environment that is not built in is refused with the option that names it", async () => {
  const edge = new FakeEdge([], model.reference.sha256);
  await expect(publish(await adapterFolder(), edge, [], { own: undefined })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(
      /assigns tasks of shop to site default, and shop is not built in.*--env \.\/shop\.ts.*--site desk/,
    ) as string,
  });
});

test("another environment than the assigned one is refused, also where that one is built in", async () => {
  const edge = new FakeEdge([], model.reference.sha256);
  edge.control = { ...edge.control, environment: "form" };
  await expect(publish(await adapterFolder(), edge)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(
      /^--env is environment shop, but the edge assigns tasks of form to site default/,
    ) as string,
  });
  expect([edge.policies.length, edge.objects.size]).toEqual([1, 0]);
});

test("an adapter that is not served is an error with the figures, after its JSON", () => {
  const evaluation = { tasks: 64, successes: 20, stableSuccesses: 30, comparedWith: 3 };
  const refused: AdapterResult = {
    outcome: "refused",
    version: 4,
    status: "rolled-back",
    evaluation,
    reason: "it fell",
  };
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  expect(() => writeResult(refused, true, write)).toThrow(
    /it fell \(it solved 20 of 64 tasks, version 3 solved 30\)/,
  );
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([refused]);
  writeResult({ ...refused, outcome: "promoted", status: "stable" }, false, write);
  expect(lines.at(-1)).toMatch(/^version 4 is stable/);
});
