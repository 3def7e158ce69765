/** Several trials of one task in one context. */
import type { JudgedEnvironment } from "../environment-spec.ts";

/**
 * Where a rollout ends, the policy hears what it was worth and begins the same task anew, in the same
 * context. The last rollout is the one that is judged.
 *
 * @param goesOn - asked after each trial, with what all of them were worth.
 */
export function trials(
  first: JudgedEnvironment,
  goesOn: (rewards: readonly number[]) => boolean,
  begin: () => JudgedEnvironment,
): JudgedEnvironment {
  let instance = first;
  const rewards: number[] = [];
  /** What an ended rollout was worth, kept: it cannot be judged again. */
  let ended: ReturnType<JudgedEnvironment["judge"]> | null = null;
  return {
    environment: {
      task: first.environment.task,
      observe: () => first.environment.observe(),
      async step(action, signal) {
        const observation = await instance.environment.step(action, signal);
        if (!observation.terminated) return observation;
        const judgement = instance.judge(action.text);
        rewards.push(judgement.reward);
        if (!goesOn(rewards)) {
          ended = judgement;
          return observation;
        }
        instance = begin();
        const { userMessage } = await instance.environment.observe();
        const said = `${judgement.success ? "Right" : "Wrong"}. Again: ${userMessage}`;
        return { ...observation, userMessage: said, terminated: false };
      },
    },
    judge: (finalText) => {
      const judgement = ended ?? instance.judge(finalText);
      const { turnRewards: _, ...whole } = judgement;
      return { ...whole, parts: { ...judgement.parts, trials: rewards.length } };
    },
  };
}
