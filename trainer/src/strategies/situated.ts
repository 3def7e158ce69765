/**
 * `situated`: two rollouts of the policy, the second with a prompt to reconsider; then a replay of
 * each and a demonstration. The second replay and the demonstration say the text for their
 * situation before their first call.
 */
import type { DemonstratedAction, EnvironmentSpec } from "@waggle/environments";
import { type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import type { TaskReference, Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { told } from "@waggle/environments";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { demonstratedRollout } from "../rollouts/demonstrated-rollout.ts";
import { byTask, rollout } from "./single-rollout.ts";
import type { CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";

export const situatedRollouts: RolloutStrategy<PlanOf<"situated">> = {
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, (task, at) =>
      situations(plan, parts, task, derivedSeed(options.seed, at), (nth, sentence) =>
        rollout(parts, options, task, [at, nth], {
          role: "student",
          ...(sentence === "" ? {} : { around: told(sentence) }),
        }),
      ),
    ),
};

/** @param explore - runs a rollout of the policy with an additional sentence */
async function situations(
  { rethink, words }: PlanOf<"situated">,
  { spec, format, policy: { contextLength } }: CollectParts,
  task: TaskReference,
  seed: number,
  explore: (nth: number, sentence: string) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  const first = await explore(0, "");
  const second = await explore(1, rethink);
  const said = async (
    role: string,
    actor: Pick<EnvironmentSpec, "demonstrator">,
    before: string,
  ): Promise<JudgedTrajectory> => {
    const { trajectory, verification } = await demonstratedRollout(
      saying({ ...spec, ...actor }, before),
      task,
      format,
      { random: seededRandom(seed), mistakes: 0, contextLength },
    );
    return toJudgedTrajectory(trajectory, verification, { role });
  };
  return [
    first,
    second,
    await said("go-on", { demonstrator: repeating(first.record, format) }, ""),
    await said("rethink", { demonstrator: repeating(second.record, format) }, words.rethink),
    await said("ask", spec, words.ask),
  ];
}

/** Replays recorded actions, whatever it observes. */
function repeating(
  { turns, segments }: Trajectory,
  format: ChatFormat,
): EnvironmentSpec["demonstrator"] {
  return () => {
    const left = turns.map(({ segmentId, toolCalls }): DemonstratedAction => {
      const tokenIds = segments.find(({ id }) => id === segmentId)?.tokenIds ?? [];
      const { text } = format.parseAssistant(format.decodeAssistant(tokenIds));
      return {
        text,
        calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      };
    });
    return () => left.shift() ?? { text: "", calls: [] };
  };
}

/** Says a text before its first call. */
function saying(spec: EnvironmentSpec, words: string): EnvironmentSpec {
  return {
    ...spec,
    demonstrator: async (reference, random, mistakes) => {
      const act = await spec.demonstrator(reference, random, mistakes);
      let isSaid = words === "";
      return (observation) => {
        const action = act(observation);
        if (isSaid || action.calls.length === 0) return action;
        isSaid = true;
        return { ...action, text: `${words} ${action.text}`.trim() };
      };
    },
  };
}
