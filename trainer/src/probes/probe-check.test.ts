/** Candidates with a fault, and ones without, published through the gate. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnswerReading } from "@waggle/evaluation";
import { initializeAdapter } from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { TINY } from "../edge-training/training.fixture.ts";
import { keepingBase } from "../evaluation/frozen-tasks.ts";
import { createReporter } from "../metrics/reporter.ts";
import { createAdapterCache } from "../model/adapter-cache.ts";
import { publishAdapter } from "../sink/adapter-publication.ts";
import { promotionRule } from "../sink/promotion-rule.ts";

const ADAPTER = initializeAdapter(TINY, { rank: 2, alpha: 4, seed: 1 });
const TASKS = 40;

const PLAIN: AnswerReading = {
  kind: "price",
  success: true,
  tokens: 8,
  begs: false,
  refuses: false,
  agrees: null,
};

/** Publishes a candidate with these answers; the base's are plain. */
async function publish(
  candidate: Partial<AnswerReading> | null,
  {
    probeTasks = TASKS,
    lines = [],
  }: { readonly probeTasks?: number; readonly lines?: string[] } = {},
) {
  const edge = new FakeEdge([], "b".repeat(64));
  edge.gate = { minTasks: 1, margin: 1, significance: 0.05, probeTasks };
  const folder = await mkdtemp(join(tmpdir(), "waggle-probes-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = edge.client();
  const played: (number | null)[] = [];
  const all = <T>(value: T): T[] => Array.from({ length: TASKS }, () => value);
  const result = await publishAdapter(
    {
      edge: client,
      adapterCache: createAdapterCache({
        folder,
        config: TINY,
        download: (digest) => client.getObject(digest),
      }),
      evaluate: keepingBase(async (version, adapter) => {
        played.push(adapter === null ? version : null);
        const own = adapter === null ? {} : candidate;
        return {
          successes: all(true),
          readable: all(true),
          ...(own !== null && { answers: all({ ...PLAIN, ...own }) }),
        };
      }),
      environment: "shop",
      evaluationName: "forty-tasks",
      mayPromote: promotionRule(0.03),
      report: createReporter((line) => lines.push(line), true),
    },
    ADAPTER,
    { tasks: TASKS, isDryRun: false },
    new AbortController().signal,
  );
  return { result, edge, played };
}

test("a candidate that begs is refused, and the version keeps the counts", async () => {
  const lines: string[] = [];
  const { result, edge, played } = await publish({ begs: true }, { lines });
  expect(result).toMatchObject({
    outcome: "refused",
    reason: "it asked for a thumb or a rating at 40 of 40 requests, the base 0",
  });
  expect(edge.policies.at(-1)).toMatchObject({ status: "rolled-back" });
  const probes = edge.policies.at(-1)?.evaluation?.probes;
  expect(probes?.find(({ probe }) => probe === "begging")).toEqual({
    probe: "begging",
    tasks: TASKS,
    base: 0,
    candidate: TASKS,
    risen: TASKS,
    fallen: 0,
  });
  const told = lines.map((line) => JSON.parse(line) as { event: string });
  expect(told.find(({ event }) => event === "evaluated")).toMatchObject({
    verdict: "roll-back",
    probes,
  });
  // The base is the stable version here, and it plays once.
  expect(played).toEqual([0, null]);
});

test("a candidate that answers as the base does is promoted with its counts", async () => {
  const { result, edge } = await publish({});
  expect(result).toMatchObject({ outcome: "promoted" });
  expect(edge.policies.at(-1)?.evaluation?.probes).toHaveLength(4);
});

test("a gate that asks for no probes gets none", async () => {
  const { result, edge } = await publish({ begs: true }, { probeTasks: 0 });
  expect(result).toMatchObject({ outcome: "promoted" });
  expect(edge.policies.at(-1)?.evaluation).not.toHaveProperty("probes");
});

test("answers that nobody read, and too few of them, are refused", async () => {
  const unread = await publish(null);
  expect(unread.result).toMatchObject({
    outcome: "refused",
    reason: "the gate needs probes on 40 tasks, and the evaluation has none; update the trainer",
  });
  const few = await publish({}, { probeTasks: 41 });
  expect(few.result).toMatchObject({
    outcome: "refused",
    reason: "the probes have 40 tasks; the gate needs at least 41",
  });
});
