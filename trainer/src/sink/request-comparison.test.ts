/** What a judge reads of two versions' answers, and which answers can be read. The versions say what a script says. */
import { rollOut } from "@waggle/agent";
import {
  FULL_SUPPORT,
  type LeasedTrajectory,
  type ToolDefinition,
  trajectoryDigest,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { beforeAll, expect, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import type { AnswerJudge } from "../judge/answer-judge.ts";
import { createRequestComparison } from "./request-comparison.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const { signal } = new AbortController();
const SEARCH: ToolDefinition = {
  name: "search",
  description: "Finds rooms.",
  parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  source: "page",
};

const says = (text: string): number[] => format.encodeAssistant(text);
const calls = (q: string): number[] =>
  format.encodeAssistant("", [{ name: "search", arguments: { q } }]);
/** A call that breaks off before its end. */
const broken = [...calls("sea").slice(0, -8), ...calls("sea").slice(-1)];

/** A policy that says these turns, in order. */
const policyOf = (turns: readonly number[][]) =>
  new ScriptedPolicy({ turns, vocabularySize: tokenizer.vocabularySize });

let request: LeasedTrajectory;
beforeAll(async () => {
  const policy = policyOf([calls("sea"), says("Room 7 has a view.")]);
  const { client } = policy;
  const trajectory = await rollOut({
    policy,
    environment: {
      task: null,
      observe: async () => ({ system: "Rooms.", userMessage: "a room", tools: [SEARCH] }),
      step: async ({ toolCalls }) => ({
        toolResults: toolCalls.map(({ id: callId }) => ({ callId, ok: true, value: ["room 7"] })),
        terminated: toolCalls.length === 0,
      }),
    },
    chatFormat: format,
    limits: { maxTurns: 8, maxTokensPerTurn: 1000, timeoutMs: 0 },
    consent: { version: "1", scopes: ["collect", "train"], grantedAt: new Date().toISOString() },
    client,
    seed: 1,
  });
  const digest = await trajectoryDigest(trajectory);
  const visitorId = "00000000-0000-4000-8000-000000000000";
  request = { digest, visitorId, receivedAt: trajectory.startedAt, trajectory, feedback: [] };
});

/** What comes of one request at which the candidate says these turns, and the stable version those. */
async function compared(
  candidate: readonly number[][],
  stable: readonly number[][],
  judge: AnswerJudge | null = null,
) {
  const edge = new FakeEdge([], request.trajectory.baseModel);
  edge.requests = [request];
  const notes: unknown[] = [];
  const compare = createRequestComparison({
    policy: policyOf([...candidate, ...stable]) as unknown as AdaptivePolicy,
    format,
    tools: [SEARCH],
    readOnlyTools: new Set(),
    sampling: FULL_SUPPORT,
    constrainToolCalls: false,
    limits: { maxTurns: 8, maxTokensPerTurn: 60 },
    edge: edge.client(),
    judge,
    most: 4,
    seed: 1,
    report: { note: (...noted) => notes.push(noted) },
  });
  const [after, before] = [
    { version: 9, adapter: null },
    { version: 3, adapter: null },
  ];
  return { found: await compare(after, before, [], 1, signal), notes };
}

/** The judge that prefers the candidate, and what it read. */
function readingJudge() {
  const read: Parameters<AnswerJudge>[0][] = [];
  const judge: AnswerJudge = async (answers) => {
    read.push(answers);
    return "better";
  };
  return { judge, read };
}

test("both versions go on with the recorded results, and the judge reads all of it", async () => {
  const { judge, read } = readingJudge();
  const good = [calls("sea"), says("Room 7.")];
  const { found, notes } = await compared(good, [says("No room.")], judge);
  const candidate = 'search({"q":"sea"})\n= ["room 7"]\nRoom 7.';
  expect(read).toEqual([{ request: "a room", candidate, stable: "No room." }]);
  const counts = { requests: 1, judged: 1, better: 1, worse: 0 };
  expect(found).toMatchObject({ heldOut: [request.digest], comparison: counts, turned: 0 });
  expect(notes).toMatchObject([["compared-requests", { requests: 1, better: 1, failed: 0 }]]);
});

test.each([
  ["the candidate", [calls("park")], [calls("sea"), says("Room 7.")], 'search({"q":"park"})'],
  ["the stable version", [calls("sea"), says("Room 7.")], [calls("park")], 'search({"q":"sea"})'],
])("if %s leaves the record, the first answers are compared alone", async (_, a, b, candidate) => {
  const { judge, read } = readingJudge();
  await compared(a, b, judge);
  expect(read).toMatchObject([{ candidate }]);
  expect([read[0]?.candidate, read[0]?.stable].toSorted()).toEqual([
    'search({"q":"park"})',
    'search({"q":"sea"})',
  ]);
});

test.each<[string, readonly number[][], boolean]>([
  ["an answer", [says("Room 7.")], true],
  ["a call that the record does not answer", [calls("park")], true],
  ["a broken call", [broken, says("Room 7.")], false],
  ["an empty answer", [says("")], false],
  ["an answer without an end", [says("Room 7. ".repeat(20))], false],
])("%s: whether it can be read", async (_, turns, isReadable) => {
  const { found } = await compared(turns, [says("No room.")]);
  expect(found).toMatchObject({ readable: [isReadable], stableReadable: [true] });
  expect(found.comparison).toBeUndefined();
});

test("a judge whose server is down is asked a few times only", async () => {
  const others = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const id = `00000000-0000-4000-8000-${String(i + 1).padStart(12, "0")}`;
      const trajectory = { ...request.trajectory, id };
      return { ...request, visitorId: id, trajectory, digest: await trajectoryDigest(trajectory) };
    }),
  );
  const edge = new FakeEdge([], request.trajectory.baseModel);
  edge.requests = others;
  let asked = 0;
  const turns = [...others.map(() => says("Room 7.")), ...others.map(() => says("No room."))];
  const compare = createRequestComparison({
    policy: policyOf(turns) as unknown as AdaptivePolicy,
    format,
    tools: [],
    readOnlyTools: new Set(),
    sampling: FULL_SUPPORT,
    constrainToolCalls: false,
    limits: { maxTurns: 8, maxTokensPerTurn: 60 },
    edge: edge.client(),
    judge: async () => {
      asked += 1;
      return "failed";
    },
    most: 12,
    seed: 1,
    report: { note: () => {} },
  });
  const version = { version: 1, adapter: null };
  const { comparison } = await compare(version, version, [], 1, signal);
  expect(asked).toBe(5);
  expect(comparison).toMatchObject({ requests: 12, judged: 0 });
});
