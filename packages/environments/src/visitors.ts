/**
 * Simulated visitors who give a thumb up or down and nothing else. They mean well but are unreliable: some
 * press the wrong thumb, some like agreement more than the truth. The thumb replaces the environment's reward;
 * `success` still reports whether the task was solved, for measurement only.
 */
import { WaggleError, mulberry32, hashText } from "@waggle/protocol";
import type { Judgment, EnvironmentSpec } from "./environment-spec.ts";

/** How unreliable the visitors are. */
export type VisitorOptions = {
  /** Probability that the thumb is flipped, in [0, 1]. At 0.5 it carries no information. */
  readonly noise: number;
  /** Probability that a wrong answer pleases because it agrees with the visitor, in [0, 1]. Default 0. */
  readonly flattery?: number;
  /** Probability that a right answer displeases because it contradicts the visitor, in [0, 1]. Default 0. */
  readonly pride?: number;
};

type Thumb = "up" | "down";

/**
 * The environment with a thumb as its only reward, also given in `parts.thumb`. The same answer to the same
 * task always gets the same thumb.
 */
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
        judge: async (finalText) => {
          const judgment = await instance.judge(finalText);
          const { environment, split, seed } = reference;
          const draw = `thumb/${environment}/${split}/${seed}/${judgment.success}/${finalText}`;
          const thumb = thumbOf(judgment, options, mulberry32(hashText(draw)));
          const { success, parts } = judgment;
          return { reward: thumb === "up" ? 1 : 0, success, parts: { ...parts, thumb } };
        },
      };
    },
  };
}

function thumbOf(
  { success, parts }: Judgment,
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
    `${name} must be a probability in [0, 1], got ${value}`,
  );
}
