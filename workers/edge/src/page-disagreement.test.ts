/**
 * A page whose tool gives another result than the environment: from its upload through the trainer's replay and the edge
 * to the words that the dashboard shows.
 */
import { rollOut } from "@waggle/agent";
import { defineEnvironment } from "@waggle/agent/define";
import type { OperatorSummary, TaskReference, TrajectoriesResponse } from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { disagreementText, reasonText } from "../../../apps/dashboard/src/reason-text.ts";
import { createReplay } from "../../../trainer/src/check/replay.ts";
import {
  asOperator,
  ask,
  assign,
  asTrainer,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  upload,
} from "./testing/edge.ts";

const tokenizer = new ByteTokenizer();
const { vocabularySize } = tokenizer;
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });

/** A ledger, whose tool also returns this note and this key. */
const ledger = (note: string, apiKey: string) =>
  defineEnvironment({
    name: "rooms", // the environment of the tests' site
    prompt: "You add numbers.",
    tasks: () => ({ request: "Add 2.", state: { sum: 1 }, data: {} }),
    tools: {
      add: {
        description: "Add a number.",
        parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        run: ({ n }, state) => {
          state.sum += n;
          return { apiKey, note, sum: state.sum };
        },
      },
    },
    verify: ({ state }) => state.sum === 3,
  });
const inPractice = ledger("", "k-2");

/** What a page uploads that runs this ledger. */
function rolledOut(inPage: ReturnType<typeof ledger>, task: TaskReference, baseModel: string) {
  return rollOut({
    policy: new ScriptedPolicy({
      turns: [
        format.encodeAssistant("", [{ name: "add", arguments: { n: 2 } }]),
        format.encodeAssistant("Added.", []),
      ],
      baseModel,
      version: 0,
      vocabularySize,
    }),
    environment: inPage.create(task).environment,
    chatFormat: format,
    limits: { maxTurns: 4, maxTokensPerTurn: 500, timeoutMs: 0 },
    consent: { version: "1", scopes: ["collect", "train"], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
    seed: 1,
  });
}

/** Uploads rollouts of three pages, replays them and reports the results. */
async function reported(inPage: ReturnType<typeof ledger>) {
  const baseModel = await freshEdge(vocabularySize);
  for (let page = 0; page < 3; page += 1) {
    const { token } = await openSession();
    const assignment = await assign(token);
    if (assignment.task === null) throw new Error("the edge assigned no task");
    const { assignmentId, task } = assignment;
    const rollout = await rolledOut(inPage, task, baseModel);
    await upload(token, await makeUpload(baseModel, assignment, { ...rollout, assignmentId }));
  }
  const { leaseId, fencingToken, groups } = await lease();
  const options = { format, vocabularySize, contextLength: 4096 };
  const replay = createReplay({ ...options, environments: [inPractice] });
  const outcomes = await Promise.all(
    groups.flatMap(({ trajectories }) =>
      trajectories.map(async ({ digest, trajectory }) => {
        const { holds: _, ...result } = await replay(trajectory);
        return { digest, ...result };
      }),
    ),
  );
  const path = `/v1/trainer/leases/${leaseId}/acknowledge`;
  return { path, body: { fencingToken, outcomes } };
}

const rejected = (): Promise<TrajectoriesResponse> =>
  ask("GET", "/v1/operator/trajectories?status=rejected", asOperator);

test("the dashboard names the call and both results of a page that disagrees, short and without secrets", async () => {
  const hostile = `<b>\u202e${"x".repeat(10_000)}`;
  const { path, body } = await reported(ledger(hostile, "k-1"));
  await ask("POST", path, { ...asTrainer, body });
  const { rows } = await rejected();
  expect(rows).toHaveLength(3);
  const [first] = rows.map((row) => disagreementText(row)[0] ?? "");
  expect(first?.replace(/x+/, "x…x")).toBe(
    String.raw`At turn 1, add({"n":2}) gives {"apiKey":"…","note":"<b>\u{202e}x…x… in the page and {"apiKey":"…","note":"","sum":3} in the environment.`,
  );
  expect(first?.length).toBeLessThan(400);
  const summary: OperatorSummary = await ask("GET", "/v1/operator/summary", asOperator);
  expect(summary.rejectedByReason.map(({ reason }) => reasonText(reason))).toEqual([
    "the site's page and its environment disagree at turn 1",
  ]);
});

test("the edge refuses a difference that is long or has hidden characters", async () => {
  const { path, body } = await reported(ledger("other", "k-1"));
  for (const inPage of ["x".repeat(201), "\u202e"]) {
    const outcomes = body.outcomes.map((outcome) => ({
      ...outcome,
      difference: { turn: 1, tool: "add", arguments: "{}", inPage, inEnvironment: "" },
    }));
    const sent = await call("POST", path, { ...asTrainer, body: { ...body, outcomes } });
    expect(sent).toMatchObject({ status: 400, body: { error: { code: "SCHEMA_INVALID" } } });
  }
  expect((await rejected()).rows).toEqual([]);
});

test("a trainer of the previous release sends no difference, and is served", async () => {
  const { path, body } = await reported(ledger("other", "k-1"));
  const outcomes = body.outcomes.map(({ digest }) => ({
    digest,
    status: "rejected",
    reason: "replay-mismatch at turn 1",
  }));
  await ask("POST", path, { ...asTrainer, body: { ...body, outcomes } });
  const { rows } = await rejected();
  expect(rows.map(({ difference }) => difference)).toEqual([null, null, null]);
});
