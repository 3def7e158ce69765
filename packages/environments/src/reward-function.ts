/**
 * Reward functions of users: they judge rollouts in place of an environment's own verifier. Training and
 * evaluation then both go by them. A function that fails is no reward: the rollout is left out.
 */
import { type Task, type ToolCall, type ToolResult, WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec, Judgement } from "./environment-spec.ts";
import type { PromptColumns } from "./prompts/prompt-row.ts";
import { within } from "./wrappers/wrapped-environment.ts";

/** One turn that reached the environment. */
type RewardedTurn = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolResult[];
};

/** What a reward function is told of a rollout. */
export type RewardedRollout = {
  readonly task: Task;
  /** The row of the prompt dataset; `null` in other environments. */
  readonly row: PromptColumns | null;
  /** The last turn's text; `null` where a limit cut the rollout before it answered. */
  readonly text: string | null;
  readonly turns: readonly RewardedTurn[];
  /** What the environment's own verifier says. */
  readonly verification: Judgement;
};

/** A number, or more of the judgement. */
export type Reward =
  | number
  | {
      readonly reward: number;
      /** Default: whether the reward is at least 1. */
      readonly success?: boolean;
      /** Named parts, for people and logs. */
      readonly parts?: Judgement["parts"];
    };

export type RewardFunction = (rollout: RewardedRollout) => Reward | Promise<Reward>;

/**
 * The environment, judged by this function. What its own verifier said stays among the parts, as
 * `environmentReward` and `environmentSuccess`.
 *
 * @param name - names the function in errors.
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
          return asked(name, reward, { task, row, text, turns, verification });
        },
      };
    },
  };
}

/** @throws WaggleError `REWARD_UNAVAILABLE` for a function that throws, or returns no finite number. */
async function asked(
  name: string,
  reward: RewardFunction,
  rollout: RewardedRollout,
): Promise<Judgement> {
  let given: Reward;
  try {
    given = await reward(rollout);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `reward function ${name} failed: ${message.slice(0, 300)}`,
      { cause },
    );
  }
  const whole = typeof given === "object" && given !== null ? given : { reward: given };
  if (typeof whole.reward !== "number" || !Number.isFinite(whole.reward)) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `reward function ${name} returned ${String(whole.reward).slice(0, 40)}; it must return a finite number, or an object with a finite number as reward`,
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
