/**
 * Simulated visitors who give a thumb up or down, whose site reports an outcome, or who type what they think. They
 * mean well but are
 * unreliable: some press the wrong thumb, some like agreement more than the truth. Some outcomes are reported wrongly.
 * This feedback replaces the environment's reward; `success` still reports whether the task was solved, for measurement
 * only.
 */
import { WaggleError, mulberry32, hashText } from "@waggle/protocol";
import type { Judgment, EnvironmentSpec } from "./environment-spec.ts";

/** How unreliable the visitors are. */
export type VisitorOptions = {
  /** Weights of the feedback in the reward. Feedback without a weight is not given. Default: thumbs alone. */
  readonly feedback?: {
    readonly thumb?: number;
    readonly outcome?: number;
    readonly message?: number;
    readonly edit?: number;
  };
  /** Probability that what a visitor or the site says is flipped, in [0, 1]. At 0.5 it carries no information. */
  readonly noise: number;
  /** Probability that a wrong answer pleases because it agrees with the visitor, in [0, 1]. Default 0. */
  readonly flattery?: number;
  /** Probability that a right answer displeases because it contradicts the visitor, in [0, 1]. Default 0. */
  readonly pride?: number;
};

type Thumb = "up" | "down";

/**
 * The environment with feedback as its only reward. `parts` has it as `thumb`, `outcome:solved`, `message` and `edit`. The same
 * answer to the same task always gets the same feedback. Where the verifier names the right answer, a visitor who corrects
 * a wrong one says it in `correction`, and one who edits it writes it; others leave the answer as it is.
 */
export function withVisitors(spec: EnvironmentSpec, options: VisitorOptions): EnvironmentSpec {
  requireShare("noise", options.noise);
  requireShare("flattery", options.flattery ?? 0);
  requireShare("pride", options.pride ?? 0);
  const weights = options.feedback ?? { thumb: 1 };
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
          const random = mulberry32(hashText(draw));
          const thumb = thumbOf(judgment, options, random);
          const { success } = judgment;
          const solved = success !== random() < options.noise;
          const message = success !== random() < options.noise ? "next-thanks" : "next-corrects";
          const { thumb: ofThumb = 0, outcome: ofOutcome = 0, message: ofMessage = 0 } = weights;
          const { edit: ofEdit = 0 } = weights;
          const { right } = judgment.parts;
          const wanted = !success && typeof right === "string" ? right : null;
          const isCorrected = message === "next-corrects" && wanted !== null;
          const slips = ofEdit > 0 && random() < options.noise;
          const good =
            (thumb === "up" ? ofThumb : 0) +
            (solved ? ofOutcome : 0) +
            (message === "next-thanks" ? ofMessage : 0) +
            ofEdit;
          const parts = {
            ...judgment.parts,
            ...(ofThumb > 0 && { thumb }),
            ...(ofOutcome > 0 && { "outcome:solved": solved }),
            ...(ofMessage > 0 && { message }),
            ...(ofMessage > 0 && isCorrected && { correction: `No, ${wanted}.` }),
            ...(ofEdit > 0 && { edit: slips ? (finalText ?? "") : (wanted ?? finalText ?? "") }),
          };
          return { reward: good / (ofThumb + ofOutcome + ofMessage + ofEdit), success, parts };
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
