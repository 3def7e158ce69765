/** Candidates that forgot, and ones that did not, published through the gate with a scripted policy. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedPolicy } from "@waggle/agent";
import {
  createTurnEnvironment,
  type EnvironmentSpec,
  leveledReferences,
  toolResult,
} from "@waggle/environments";
import { type Adapter, initializeAdapter } from "@waggle/model";
import { FULL_SUPPORT, type PolicyContext, type PromotionGate } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, onTestFinished, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { TINY } from "../edge-training/training.fixture.ts";
import { isReadable } from "../evaluation/retention.ts";
import { createReporter } from "../metrics/reporter.ts";
import { createAdapterCache } from "../model/adapter-cache.ts";
import { publishAdapter } from "./adapter-publication.ts";
import { promotionRule } from "./promotion-rule.ts";
import { checkRetention, type RetentionPlayer, retentionPlayer } from "./retention-check.ts";

const ADAPTER = initializeAdapter(TINY, { rank: 2, alpha: 4, seed: 1 });
const GATE: PromotionGate = { minTasks: 1, margin: 1, significance: 0.05, retentionTasks: 20 };
const { signal } = new AbortController();

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });

const HELLO = "Hello! I can't do that.";
const FRAGMENT = '<tool_call>{"name": "add_to_cart", "argum';

const WAVE = {
  name: "wave",
  description: "Wave.",
  parameters: { type: "object" },
  source: "page",
} as const;

/** Greetings, and wishes to refuse. Its judge breaks at the answer "broken". */
const EVERYDAY: EnvironmentSpec = {
  ...leveledReferences("everyday", 1),
  maxTurns: 2,
  task: (reference) => ({
    ...reference,
    kind: reference.seed % 2 === 0 ? "greeting" : "refusal",
    template: "everyday",
    system: "",
    request: "hello",
  }),
  create: (reference) => ({
    environment: createTurnEnvironment({
      task: reference,
      begin: () => ({ system: "", tools: [WAVE], userMessage: "hello" }),
      run: (call) => toolResult(call, () => null),
    }),
    judge: (text) => {
      if (text === "broken") throw new Error("the judge is away");
      const wanted = reference.seed % 2 === 0 ? "Hello" : "can't";
      const success = text?.includes(wanted) === true;
      return { reward: success ? 1 : 0, success, parts: {} };
    },
  }),
  demonstrator: () => () => ({ text: HELLO, calls: [] }),
};

type Answers = { readonly base: string; readonly candidate: string };
type Played = {
  readonly player: RetentionPlayer;
  readonly rollouts: () => number;
  /** Turns that were sampled under a grammar. */
  readonly constrained: () => number;
};

/** The set, played by a policy that gives the same answer at every task. */
function played(answers: Answers, constrainToolCalls?: boolean): Played {
  let current = answers.base;
  let rollouts = 0;
  let constrained = 0;
  const say = () => {
    rollouts += 1;
    const [stop = 0] = format.stopTokenIds;
    return [...tokenizer.encodeTemplate(current), stop];
  };
  const scripted = scriptedPolicy(say, 4096);
  const policy = {
    ...scripted,
    createContext: async (): Promise<PolicyContext> => {
      const context = await scripted.createContext();
      return {
        ...context,
        generate: (options) => {
          if (options.grammar !== undefined) constrained += 1;
          return context.generate(options);
        },
      };
    },
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
    setAdapter: async (_: number, adapter: Adapter | null) => {
      current = adapter === null ? answers.base : answers.candidate;
    },
  } as const;
  const practiced = { ...EVERYDAY, name: "shop", retention: EVERYDAY };
  const parts = { policy, format, sampling: FULL_SUPPORT };
  const player = retentionPlayer(practiced, { seed: 1, constrainToolCalls }, async () => parts);
  if (player === undefined) throw new Error("the environment has a retention set");
  return { player, rollouts: () => rollouts, constrained: () => constrained };
}

/** Publishes a candidate that solves every practiced task, or none; the base solves half of them. */
async function publish(
  edge: FakeEdge,
  retention?: RetentionPlayer,
  { lines = [], isBetter = true }: { readonly lines?: string[]; readonly isBetter?: boolean } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "waggle-retention-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = edge.client();
  const tasks = 20;
  return publishAdapter(
    {
      edge: client,
      adapterCache: createAdapterCache({
        folder,
        config: TINY,
        download: (digest) => client.getObject(digest),
      }),
      evaluate: async (_, adapter) => ({
        successes: Array.from({ length: tasks }, (_one, i) =>
          adapter === null ? i % 2 === 0 : isBetter,
        ),
        readable: Array.from({ length: tasks }, () => true),
      }),
      environment: "shop",
      evaluationName: "twenty-tasks",
      mayPromote: promotionRule(0.03),
      retention,
      report: createReporter((line) => lines.push(line), true),
    },
    ADAPTER,
    { tasks, isDryRun: false },
    signal,
  );
}

function edgeWith(gate: Partial<PromotionGate> = {}): FakeEdge {
  const edge = new FakeEdge([], "b".repeat(64));
  edge.gate = { ...GATE, ...gate };
  return edge;
}

test("a candidate that answers fragments of calls is refused by what it forgot; without a set it is promoted", async () => {
  const edge = edgeWith();
  const lines: string[] = [];
  const { player } = played({ base: HELLO, candidate: FRAGMENT });
  const forgot = await publish(edge, player, { lines });
  expect(forgot).toMatchObject({
    outcome: "refused",
    reason:
      "it solved 0 of 20 retention tasks, the base 20; it fell most in greeting (10 of 10 lost), refusal (10 of 10 lost)",
    evaluation: { retention: { tasks: 20, successes: 0, baseSuccesses: 20, readable: 0 } },
  });
  expect([edge.stable, edge.canary]).toEqual([0, 0]);
  const told = lines.map((line) => JSON.parse(line) as { event: string });
  expect(told.find(({ event }) => event === "evaluated")).toMatchObject({
    verdict: "roll-back",
    retention: { readableLost: 20 },
  });
  const control = await publish(edgeWith({ retentionTasks: 0 }));
  expect(control).toMatchObject({ outcome: "promoted" });
});

test("a candidate that answers as the base does is promoted with its results", async () => {
  const edge = edgeWith();
  const { player } = played({ base: HELLO, candidate: HELLO });
  expect(await publish(edge, player)).toMatchObject({ outcome: "promoted" });
  expect(edge.policies.at(-1)?.evaluation?.retention).toMatchObject({
    successes: 20,
    baseSuccesses: 20,
    taskSet: "everyday/heldOut/1000000+20/seed-1",
  });
});

test("the set is played as the site samples: under the tools' grammar unless the site turned it off", async () => {
  const answers = { base: HELLO, candidate: HELLO };
  const [usual, free] = [played(answers), played(answers, false)];
  for (const { player } of [usual, free]) await player.play(0, null, 6, signal, undefined);
  expect([usual.constrained(), usual.rollouts()]).toEqual([6, 6]);
  expect([free.constrained(), free.rollouts()]).toEqual([0, 6]);
  // Kept results of the base are never those of the other way.
  expect(free.player.name(6)).not.toBe(usual.player.name(6));
});

test("where the base solves nothing, unreadable answers are refused and readable ones pass", async () => {
  const { player } = played({ base: "Hm.", candidate: FRAGMENT });
  expect(await publish(edgeWith(), player)).toMatchObject({
    outcome: "refused",
    reason: "0 of its 20 answers to retention tasks were readable text, the base's 20",
  });
  const readable = played({ base: "Hm.", candidate: "Oh." }).player;
  expect(await publish(edgeWith(), readable)).toMatchObject({ outcome: "promoted" });
});

test("a trainer without the set is refused where the gate needs one", async () => {
  expect(await publish(edgeWith())).toMatchObject({
    outcome: "refused",
    reason: expect.stringMatching(/needs 20 retention tasks.*--env/) as string,
  });
});

test("a judge that fails is no fall, and too few verdicts are refused", async () => {
  const { player } = played({ base: HELLO, candidate: "broken" });
  expect(await publish(edgeWith(), player)).toMatchObject({
    outcome: "refused",
    reason: "only 0 of 20 retention tasks have a verdict; the gate needs 15",
  });
});

test("the base's results are kept, and a candidate that fails the first gate does not play", async () => {
  const { player, rollouts } = played({ base: HELLO, candidate: HELLO });
  const candidate = { version: 7, adapter: ADAPTER, guidance: undefined };
  const first = await checkRetention(player, {}, candidate, GATE, signal);
  expect(rollouts()).toBe(40);
  const second = await checkRetention(player, first.evaluations, candidate, GATE, signal);
  expect(rollouts()).toBe(60);
  expect(second).toEqual(first);

  const idle = played({ base: HELLO, candidate: HELLO });
  const worse = await publish(edgeWith(), idle.player, { isBetter: false });
  expect(worse).toMatchObject({ outcome: "refused" });
  expect([worse.evaluation?.retention, idle.rollouts()]).toEqual([undefined, 0]);
});

test.each([
  ["Hello! I can't do that.", true],
  ["", false],
  [null, false],
  [FRAGMENT, false],
  ['"arguments": {"id": 4}}</tool_call>', false],
  ["It costs 12 euros.<|im_end|>", true],
])("the answer %j is readable: %s", (text, expected) => {
  expect(isReadable(text)).toBe(expected);
});
