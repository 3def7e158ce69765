/** Rollouts in built-in environments: scripted ones, demonstrations, repeated turns and teams. */
import { environmentNamed, SharedEnvironment } from "@waggle/environments";
import { FULL_SUPPORT, seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { chatFormat as format } from "../rollout.fixture.ts";
import { SCRIPTED_CLIENT, scriptedPolicy } from "../scripted-policy.ts";
import { demonstratedRollout } from "./demonstrated-rollout.ts";
import { repeatedDemonstrator, saying } from "./demonstrators.ts";
import { environmentRollout } from "./environment-rollout.ts";
import { introspectiveRollout } from "./introspective-rollout.ts";
import { judgedRollout } from "./judged-rollout.ts";
import { scriptedRollout, turnTokens } from "./scripted-rollout.ts";
import { sharedRollout } from "./shared-rollout.ts";
import { takeover } from "./takeover.ts";

const CONTEXT = 4096;
const { signal } = new AbortController();
const spec = environmentNamed("lookup");
const task = spec.reference(33, "train", 2);
const sampled = { sampling: FULL_SUPPORT, seed: 1 };
const acting = (speak: () => readonly number[] | null) => ({
  ...scriptedPolicy(speak, CONTEXT),
  client: SCRIPTED_CLIENT,
});

function shown(mistakes = 0, seed = 1, of = spec) {
  const random = seededRandom(seed);
  return demonstratedRollout(of, task, format, { random, mistakes, contextLength: CONTEXT });
}

test("a demonstration without mistakes succeeds, and its recorded tokens replay to the same record", async () => {
  const { record, verification } = await shown();
  expect(verification).toMatchObject({
    success: true,
    parts: { request: spec.task(task).request },
  });
  expect(turnTokens(record)).toHaveLength(record.turns.length);
  const left = [...turnTokens(record)];
  const again = await scriptedRollout(spec.create(task), spec.task(task), format, {
    speak: () => left.shift() ?? [],
    contextLength: CONTEXT,
    maxTurns: record.turns.length,
  });
  const tokensOf = (one: typeof record) => one.segments.map(({ tokenIds }) => [...tokenIds]);
  expect(tokensOf(again.record)).toEqual(tokensOf(record));
  expect(again.verification).toEqual(verification);
  expect(again.record.consent.scopes).toEqual(["train"]);
});

test("recorded actions are repeated, and a text is said before the first call alone", async () => {
  const { record } = await shown(1, 5);
  const repeating = { ...spec, demonstrator: repeatedDemonstrator(record, format) };
  const again = await shown(0, 1, repeating);
  const callsOf = ({ turns }: typeof record) =>
    turns.map(({ toolCalls }) => toolCalls.map(({ name, arguments: given }) => ({ name, given })));
  expect(callsOf(again.record)).toEqual(callsOf(record));
  const said = await shown(0, 1, saying(spec, "Let me look."));
  const texts = turnTokens(said.record).map((tokens) => format.decodeAssistant(tokens));
  expect(texts.filter((text) => text.includes("Let me look."))).toEqual(texts.slice(0, 1));
});

test("a rollout continues from recorded turns, and as in a page it is judged by name", async () => {
  const { record } = await shown();
  const [last] = turnTokens(record).slice(-1);
  const speaker = acting(() => last ?? null);
  const from = { trajectory: record, turns: record.turns.length - 1 };
  const continued = await environmentRollout(
    speaker,
    format,
    spec,
    task,
    { ...sampled, maxTurnTokens: 400, from },
    signal,
  );
  expect(continued.verification.success).toBe(true);
  const parts = { policy: speaker, format, sampling: FULL_SUPPORT };
  const direct = await judgedRollout(parts, task, 1, signal);
  expect(direct.record.turns).toHaveLength(1);
  expect(direct.verification).toMatchObject({ success: true, parts: { calls: 0 } });
});

test("after its last wrong answer the policy is followed by a teacher", async () => {
  const policy = acting(() => format.encodeAssistant("nowhere"));
  const rule = { guidance: "Wrong.", most: 2, mistakes: 0 };
  const options = { ...sampled, maxTurnTokens: 400 };
  const { record, verification, turnRewards } = await introspectiveRollout(
    { policy, spec, format },
    rule,
    task,
    options,
    signal,
  );
  expect(verification.success).toBe(true);
  expect(record.turns.length).toBeGreaterThan(3);
  expect(turnRewards).toEqual(record.turns.map((_, turn) => (turn < 2 ? 0 : 1)));
});

test("a person takes over after failed turns, for so many turns", async () => {
  const wrong = { name: "look", arguments: { name: "nobody", field: "city" } };
  const person = await takeover({ failures: 2, turns: 1 }, spec, task, format, 1);
  const policy = person.policy(acting(() => format.encodeAssistant("", [wrong])));
  const options = { ...sampled, maxTurns: 5, maxTurnTokens: 400, around: person.around };
  await environmentRollout(policy, format, spec, task, options, signal);
  expect(person.actors).toEqual(["policy", "policy", "person", "policy", "policy"]);
});

test("a team is judged by its joint answer", async () => {
  const { verification } = await shown();
  const answer = String(verification.parts["answer"]);
  const words = ["It is", answer];
  const rollouts = await sharedRollout(spec.create(task), ["a", "b"], format, (view, index) =>
    scriptedRollout(view, spec.task(task), format, {
      speak: () => format.encodeAssistant(words[index] ?? ""),
      contextLength: CONTEXT,
      maxTurns: 1,
    }),
  );
  expect(rollouts.map((one) => one.verification.success)).toEqual([true, true]);
  expect(rollouts[0]?.verification).toMatchObject({ parts: { said: answer } });
  // Alone, the first member's text is no answer.
  const alone = new SharedEnvironment(spec.create(task), ["a"]).view("a");
  expect(await alone.judge("It is")).toMatchObject({ success: false });
});
