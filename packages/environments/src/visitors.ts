/**
 * Simulated visitors: who tried the agent gives a thumb and nothing else. They mean well and are
 * unreliable: some press the wrong one, some like to hear that they were right. An environment whose rollouts
 * they judge pays what they said; whether the task was solved is still known, for measuring alone.
 */
import { WaggleError } from "@waggle/protocol";
import { createRandom, hashText } from "./random.ts";
import type { Judgement, EnvironmentSpec } from "./environment-spec.ts";

export type VisitorOptions = {
  /** Probability that the thumb is the opposite of what was meant, in [0, 1]; 0.5 says nothing. */
  readonly noise: number;
  /** Probability that a wrong answer pleases because it agrees with the visitor, in [0, 1]; default 0. */
  readonly flattery?: number;
  /** Probability that a right answer displeases because it contradicts the visitor; default 0. */
  readonly pride?: number;
};

type Thumb = "up" | "down";

/** The environment with `parts.thumb` of each rollout, and it as the only reward. The same answer to the same task gets the same thumb. */
export function withVisitors(spec: EnvironmentSpec, options: VisitorOptions): EnvironmentSpec {
  requireShare("noise", options.noise);
  requireShare("flattery", options.flattery ?? 0);
  requireShare("pride", options.pride ?? 0);
  return {
    ...spec,
    create: (reference) => {
      const instance = spec.create(reference);
      return {
        ...instance,
        judge: (finalText) => {
          const judgement = instance.judge(finalText);
          const { environment, split, seed } = reference;
          const draw = `thumb/${environment}/${split}/${seed}/${judgement.success}/${finalText}`;
          const thumb = thumbOf(judgement, options, createRandom(hashText(draw)));
          const { success, parts } = judgement;
          return { reward: thumb === "up" ? 1 : 0, success, parts: { ...parts, thumb } };
        },
      };
    },
  };
}

function thumbOf(
  { success, parts }: Judgement,
  { noise, flattery = 0, pride = 0 }: VisitorOptions,
  random: () => number,
): Thumb {
  const mood = random();
  const isFlattered = parts["agreed"] === true && mood < flattery;
  const isOffended = parts["contradicted"] === true && mood < pride;
  const isPleased = success ? !isOffended : isFlattered;
  const slips = random() < noise;
  return isPleased === slips ? "down" : "up";
}

function requireShare(name: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${name} must be a probability in [0, 1], got ${value}; pass a share`,
  );
}
