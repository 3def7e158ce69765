/**
 * User-defined reward functions, which judge rollouts in place of an environment's verifier, in training and
 * evaluation. If the function fails there is no reward, and the rollout is left out.
 */
import { isObject, type Task, type ToolCall, type ToolResult, WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec, Judgment } from "./environment-spec.ts";
import type { PromptColumns } from "./prompts/prompt-row.ts";
import { within } from "./wrappers/wrapped-environment.ts";

/** One turn that reached the environment. */
type RewardedTurn = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
};

/** The argument of a reward function. */
export type RewardedRollout = {
  readonly task: Task;
  /** The row of the prompt dataset; `null` in other environments. */
  readonly row: PromptColumns | null;
  /** The last turn's text; `null` if a limit cut the rollout before it answered. */
  readonly text: string | null;
  readonly turns: readonly RewardedTurn[];
  /** The verdict of the environment's own verifier. */
  readonly verification: Judgment;
};

/** The result of a reward function: the reward, optionally with more of the judgment. */
export type Reward =
  | number
  | {
      readonly reward: number;
      /** Default: whether the reward is at least 1. */
      readonly success?: boolean;
      /** Named components, for people and logs. */
      readonly parts?: Judgment["parts"];
    };

/** Judges a rollout. */
export type RewardFunction = (rollout: RewardedRollout) => Reward | Promise<Reward>;

/**
 * The environment, judged by this function. Its own verifier's verdict is kept in the parts, as
 * `environmentReward` and `environmentSuccess`.
 *
 * @param name - of the function, for errors.
 */
export function withReward(
  spec: EnvironmentSpec,
  name: string,
  reward: RewardFunction,
): EnvironmentSpec {
  return {
    ...spec,
    create: (reference) => {
      const instance = spec.create(reference);
      const turns: RewardedTurn[] = [];
      const recorded = within(instance, {
        async step(action, signal) {
          const observation = await instance.environment.step(action, signal);
          const { text, toolCalls } = action;
          turns.push({ text, toolCalls, toolResults: observation.toolResults });
          return observation;
        },
      });
      return {
        ...recorded,
        judge: async (text) => {
          const verification = await instance.judge(text);
          const task = spec.task(reference);
          const row = spec.columns?.(reference) ?? null;
          return rewarded(name, reward, { task, row, text, turns, verification });
        },
      };
    },
  };
}

/** Calls the function. @throws WaggleError `REWARD_UNAVAILABLE` if it throws or returns no finite number. */
async function rewarded(
  name: string,
  reward: RewardFunction,
  rollout: RewardedRollout,
): Promise<Judgment> {
  let given: Reward;
  try {
    given = await reward(rollout);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `reward function ${name} failed: ${message.slice(0, 300)}`,
      { retryable: true, cause },
    );
  }
  const whole = isObject(given) ? given : { reward: given };
  if (typeof whole.reward !== "number" || !Number.isFinite(whole.reward)) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `reward function ${name} returned ${String(whole.reward).slice(0, 40)}; it must return a finite number, or an object with a finite number as reward`,
      { retryable: true },
    );
  }
  const { verification } = rollout;
  return {
    reward: whole.reward,
    success: whole.success ?? whole.reward >= 1,
    parts: {
      ...verification.parts,
      environmentReward: verification.reward,
      environmentSuccess: verification.success,
      ...whole.parts,
    },
  };
}
