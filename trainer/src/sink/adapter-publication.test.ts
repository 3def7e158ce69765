import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Adapter, initializeAdapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { EdgeClient } from "../edge/edge-client.ts";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { TINY } from "../edge-training/training.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import { createAdapterCache } from "../model/adapter-cache.ts";
import { type AdapterResult, publishAdapter } from "./adapter-publication.ts";
import { promotionRule } from "./promotion-rule.ts";

const ADAPTER = initializeAdapter(TINY, { rank: 2, alpha: 4, seed: 1 });
const BASE = "b".repeat(64);

type Given = {
  readonly isBetter?: boolean;
  readonly edgeClient?: (client: EdgeClient) => EdgeClient;
  /** Called at the end of each evaluation. */
  readonly onEvaluated?: (version: number) => Promise<void> | void;
  readonly tasks?: number;
  /** Tasks, from the first, in which the adapter has an unreadable turn. */
  readonly unreadable?: number;
  readonly signal?: AbortSignal;
};

/** Publishes over 20 tasks: the base solves ten, the adapter all or none. */
async function publish(edge: FakeEdge, given: Given = {}): Promise<AdapterResult> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-publication-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = (given.edgeClient ?? ((same) => same))(edge.client());
  const isOurs = (adapter: Adapter | null): boolean => adapter?.tensors === ADAPTER.tensors;
  return publishAdapter(
    {
      edge: client,
      adapterCache: createAdapterCache({
        folder,
        config: TINY,
        download: (digest) => client.getObject(digest),
      }),
      evaluate: async (version, adapter) => {
        const solves = (i: number): boolean =>
          isOurs(adapter) ? (given.isBetter ?? true) : i % 2 === 0;
        await given.onEvaluated?.(version);
        return {
          successes: Array.from({ length: 20 }, (_, i) => solves(i)),
          readable: Array.from(
            { length: 20 },
            (_, i) => !isOurs(adapter) || i >= (given.unreadable ?? 0),
          ),
        };
      },
      environment: "shop",
      evaluationName: "twenty-tasks",
      mayPromote: promotionRule(0.03),
      report: createReporter(() => {}, true),
    },
    ADAPTER,
    { tasks: given.tasks ?? 20, isDryRun: false },
    given.signal ?? new AbortController().signal,
  );
}

/** Another publisher's version, promoted at once. */
async function promoteAnother(edge: FakeEdge): Promise<void> {
  const client = edge.client();
  const { version } = await client.publish({
    publicationId: crypto.randomUUID(),
    epoch: edge.epoch,
    parent: edge.stable,
    baseModel: BASE,
    adapter: null,
    evaluation: { tasks: 20, successes: 10 },
    step: 7,
    status: "canary",
  });
  await client.promote(version);
}

test("an adapter that fails the gate is recorded with its figures and never served", async () => {
  const edge = new FakeEdge([], BASE);
  const served: number[] = [];
  const result = await publish(edge, {
    isBetter: false,
    onEvaluated: () => void served.push(edge.canary),
  });
  expect(result).toMatchObject({
    outcome: "refused",
    version: 1,
    status: "rolled-back",
    evaluation: { tasks: 20, successes: 0, stableSuccesses: 10, lost: 10 },
    reason: expect.stringContaining("solved none of the 20 tasks") as string,
  });
  expect([edge.stable, edge.canary, ...served]).toEqual([0, 0, 0, 0]);
  expect(await publish(edge)).toMatchObject({ outcome: "known", status: "rolled-back" });
  expect(edge.policies).toHaveLength(2);
});

test("a better adapter with a few unreadable turns is promoted, and one with many is refused", async () => {
  expect(await publish(new FakeEdge([], BASE), { unreadable: 2 })).toMatchObject({
    outcome: "promoted",
  });
  expect(await publish(new FakeEdge([], BASE), { unreadable: 3 })).toMatchObject({
    outcome: "refused",
    reason: "its output was readable on 17 tasks, the stable version's on 20",
  });
});

test("if a trainer promotes a version meanwhile, the adapter is compared with that one", async () => {
  const edge = new FakeEdge([], BASE);
  let isFirst = true;
  const result = await publish(edge, {
    onEvaluated: async () => {
      if (isFirst) await promoteAnother(edge);
      isFirst = false;
    },
  });
  expect(result).toMatchObject({ outcome: "promoted", version: 2 });
  expect(edge.policies.at(-1)).toMatchObject({ parent: 1, step: 7, status: "stable" });
  expect(result.evaluation?.comparedWith).toBe(1);
});

test("an adapter on the canary channel that became stale is rolled back and compared again", async () => {
  const edge = new FakeEdge([], BASE);
  let isFirst = true;
  const result = await publish(edge, {
    edgeClient: (client) => ({
      ...client,
      promote: async (version) => {
        if (!isFirst) return client.promote(version);
        isFirst = false;
        throw new WaggleError("PUBLICATION_STALE", "another version is stable now");
      },
    }),
  });
  expect(result).toMatchObject({ outcome: "promoted", version: 2 });
  expect(edge.policies.map(({ status }) => status)).toEqual(["stable", "rolled-back", "stable"]);
});

test("a publication that was killed before its promotion is completed by the next run", async () => {
  const edge = new FakeEdge([], BASE);
  const killed = publish(edge, {
    edgeClient: (client) => ({ ...client, promote: () => Promise.reject(new Error("killed")) }),
  });
  await expect(killed).rejects.toThrow("killed");
  expect([edge.stable, edge.canary]).toEqual([0, 1]);
  const evaluated: number[] = [];
  const result = await publish(edge, { onEvaluated: (version) => void evaluated.push(version) });
  expect(result).toMatchObject({ outcome: "promoted", version: 1, status: "stable" });
  expect([edge.stable, edge.policies.length, evaluated]).toEqual([1, 2, []]);
});

test("where candidates are released, the adapter starts a release, and another one waits for its end", async () => {
  const edge = new FakeEdge([], BASE);
  edge.firstShare = 0.01;
  const releasing = { outcome: "releasing", version: 1, status: "canary" };
  expect(await publish(edge)).toMatchObject({ ...releasing, evaluation: { successes: 20 } });
  expect([edge.stable, edge.release]).toEqual([0, { version: 1, share: 0.01 }]);
  // Its folder again, as after a kill.
  expect(await publish(edge)).toMatchObject(releasing);
  const evaluated: number[] = [];
  edge.release = { version: 9, share: 0.1 };
  edge.policies.pop();
  await expect(
    publish(edge, { onEvaluated: (version) => void evaluated.push(version) }),
  ).rejects.toMatchObject({ code: "RELEASE_RUNNING" });
  expect(evaluated).toEqual([]);
});

test("nothing is published after Ctrl-C, under a freeze or with too few tasks", async () => {
  const edge = new FakeEdge([], BASE);
  const stop = new AbortController();
  const stopped = publish(edge, { onEvaluated: () => stop.abort(), signal: stop.signal });
  await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  edge.gate = { ...edge.gate, minTasks: 64 };
  await expect(publish(edge)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/at least 64 tasks, but --evaluation-tasks is 20/) as string,
  });
  edge.control = { ...edge.control, frozen: { by: "operator", at: "now", reason: "holiday" } };
  await expect(publish(edge, { tasks: 64 })).rejects.toMatchObject({ code: "FROZEN" });
  expect([edge.policies.length, edge.objects.size, edge.canary]).toEqual([1, 0, 0]);
});
