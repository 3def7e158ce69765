import { ScriptedPolicy } from "@waggle/testing";
import { expect, test } from "vitest";
import { recordedTurns, replayedPolicy } from "./replayed-policy.ts";
import { consent, echoing, environmentOf, fixed, run, say, tokensOf } from "./rollout.fixture.ts";
import { rollOut } from "./roll-out.ts";

const call = (text: string) => ({ name: "echo", arguments: { text } });
const first = { turns: [say("One.", call("a")), say("Two.", call("b")), say("Done.")] };

test("a branch starts with the recorded turns, log-probs and versions, then the policy continues", async () => {
  const { trajectory } = await run({ ...first, version: 3 }, environmentOf(echoing));
  const steps: string[] = [];
  const other = new ScriptedPolicy({ turns: [say("Else.", call("c")), say("End.")], version: 5 });
  const branch = await rollOut({
    policy: replayedPolicy(other, recordedTurns(trajectory, 1)),
    environment: environmentOf((action, signal) => {
      steps.push(action.text);
      return echoing(action, signal);
    }),
    ...fixed,
    consent,
  });
  // The environment executed the recorded turn.
  expect(steps).toEqual(["One.", "Else.", "End."]);
  const cut = trajectory.segments.findIndex(({ id }) => id === trajectory.turns[1]?.segmentId);
  expect(branch.segments.slice(0, cut)).toEqual(trajectory.segments.slice(0, cut));
  const versions = branch.segments.flatMap((s) => (s.kind === "sampled" ? s.policyVersion : []));
  expect(versions).toEqual([3, 5, 5]);
  expect(branch.turns[1]?.toolCalls[0]?.arguments).toEqual({ text: "c" });
});

test("all turns or none can be replayed, and more than all is refused", async () => {
  const { trajectory } = await run(first, environmentOf(echoing));
  const rest = new ScriptedPolicy({ turns: [say("Never asked.")] });
  const whole = await rollOut({
    policy: replayedPolicy(rest, recordedTurns(trajectory, 3)),
    environment: environmentOf(echoing),
    ...fixed,
    consent,
  });
  expect(tokensOf(whole)).toEqual(tokensOf(trajectory));
  expect(() => replayedPolicy(rest, recordedTurns(trajectory, 4))).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("replay fails when the environment answers differently", async () => {
  const { trajectory } = await run(first, environmentOf(echoing));
  const changed = environmentOf(({ toolCalls }) =>
    Promise.resolve({
      toolResults: toolCalls.map(({ id }) => ({ callId: id, ok: true, value: "other" })),
      terminated: toolCalls.length === 0,
    }),
  );
  const rollout = rollOut({
    policy: replayedPolicy(new ScriptedPolicy({ turns: [say("x")] }), recordedTurns(trajectory, 2)),
    environment: changed,
    ...fixed,
    consent,
  });
  await expect(rollout).rejects.toMatchObject({ code: "REPLAY_DIVERGED" });
});
