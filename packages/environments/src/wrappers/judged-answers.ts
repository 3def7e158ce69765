/**
 * Several answers to one task in one conversation. The user tells the policy of each wrong answer, and a
 * teacher may answer after the last one. Every turn gets the reward of the answer that it led to. The
 * wrapper does not know the policy or the teacher.
 */
import type { Observation } from "@waggle/protocol";
import { type EnvironmentWrapper, within } from "./wrapped-environment.ts";

/** The answers of one rollout and their rewards. */
export class JudgedAnswers {
  readonly #guidance: string;
  readonly #most: number;
  /** Rewards of the answers, in order. */
  readonly #rewards: number[] = [];
  /** Number of turns of each answer. */
  readonly #turns: number[] = [];
  #turn = 0;
  #heard: Observation | null = null;

  /**
   * @param guidance - what the user says after a wrong answer.
   * @param most - number of answers, at least 1, before the teacher's.
   */
  constructor(guidance: string, most: number) {
    this.#guidance = guidance;
    this.#most = most;
  }

  /** True once the policy has used its answers: the teacher acts from now on. */
  get areSpent(): boolean {
    return this.#rewards.length >= this.#most;
  }

  /** The last observation of the current answer; `null` at its start. */
  get heard(): Observation | null {
    return this.#heard;
  }

  /** `[turns]` rewards. Turns after the last answer lead to none and get 0. */
  turnRewards(turns: number): number[] {
    const paid = this.#turns.flatMap((count, answer) =>
      Array.from({ length: count }, () => this.#rewards[answer] ?? 0),
    );
    return Array.from({ length: turns }, (_, i) => paid[i] ?? 0);
  }

  /** Wraps the environment of the rollout. */
  readonly around: EnvironmentWrapper = (instance) =>
    within(instance, {
      step: async (action, signal) => {
        this.#turn += 1;
        const judged = action.toolCalls.length > 0 ? null : await instance.judge(action.text);
        const isLast = judged === null || judged.success || this.areSpent;
        if (judged !== null) {
          this.#rewards.push(judged.reward);
          this.#turns.push(this.#turn);
          this.#turn = 0;
        }
        if (!isLast) {
          // The next answer, or the teacher, starts the task from its beginning.
          this.#heard = null;
          return { toolResults: [], userMessage: this.#guidance, terminated: false };
        }
        this.#heard = await instance.environment.step(action, signal);
        return this.#heard;
      },
    });
}
