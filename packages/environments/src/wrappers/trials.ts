/** Repeats a task in one context, so that a policy can improve on earlier trials. */
import type { JudgedEnvironment, Judgment } from "../environment-spec.ts";

/**
 * When a trial ends, the policy is told whether it was right and starts the same task again in the same
 * context. Only the last trial is judged.
 *
 * @param continues - called after each trial with the rewards of all trials. Returns whether another follows.
 * @param begin - creates the environment of the next trial.
 */
export function trials(
  first: JudgedEnvironment,
  continues: (rewards: readonly number[]) => boolean,
  begin: () => JudgedEnvironment,
): JudgedEnvironment {
  let instance = first;
  const rewards: number[] = [];
  /** Judgment of the last trial. It is kept because an environment cannot be judged again. */
  let ended: Judgment | null = null;
  return {
    environment: {
      task: first.environment.task,
      observe: () => first.environment.observe(),
      async step(action, signal) {
        const observation = await instance.environment.step(action, signal);
        if (!observation.terminated) return observation;
        const judgment = await instance.judge(action.text);
        rewards.push(judgment.reward);
        if (!continues(rewards)) {
          ended = judgment;
          return observation;
        }
        instance = begin();
        const { userMessage } = await instance.environment.observe();
        const said = `${judgment.success ? "Right" : "Wrong"}. Again: ${userMessage}`;
        return { ...observation, userMessage: said, terminated: false };
      },
    },
    judge: async (finalText) => {
      const judgment = ended ?? (await instance.judge(finalText));
      const { turnRewards: _, ...whole } = judgment;
      return { ...whole, parts: { ...judgment.parts, trials: rewards.length } };
    },
  };
}
