/**
 * Several environments as one, to train a model on all of their tasks. Each task belongs to one of them and keeps its
 * reference, so verifiers, replays and evaluation are those of the parts. It changes no task.
 */
import { hashText, mulberry32, type TaskReference, WaggleError } from "@waggle/protocol";
import type { EnvironmentSpec } from "../environment-spec.ts";

/** An environment with its share of the tasks of a level. */
export type MixedPart = {
  readonly spec: EnvironmentSpec;
  readonly level: number;
  /** Relative to the other parts, above 0. */
  readonly share: number;
};

/**
 * The environment with all tasks of the parts. Its seeds draw the part.
 *
 * @param levels - the parts of each level; a part can be in several
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment.
 */
export function mixed(
  name: string,
  levels: readonly (readonly [MixedPart, ...MixedPart[]])[],
): EnvironmentSpec {
  const specs = [...new Set(levels.flat().map(({ spec }) => spec))];
  const of = ({ environment }: TaskReference): EnvironmentSpec => {
    const spec = specs.find((one) => (one.environments ?? [one.name]).includes(environment));
    if (spec !== undefined) return spec;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the task belongs to environment "${environment.slice(0, 64)}", which is not a part of "${name}"`,
    );
  };
  return {
    name,
    environments: specs.flatMap((spec) => spec.environments ?? [spec.name]),
    levels: levels.length,
    maxTurns: Math.max(...specs.map(({ maxTurns }) => maxTurns)),
    reference: (seed, split, level) => {
      const [first, ...others] = levels[level] ?? [];
      if (first === undefined) {
        throw new WaggleError("INVALID_ARGUMENT", `"${name}" has no level ${level}`);
      }
      const total = others.reduce((sum, { share }) => sum + share, first.share);
      let left = mulberry32(hashText(`${name}/${split}/${seed >>> 0}`))() * total;
      const part = others.find(({ share }) => (left -= share) < 0) ?? first;
      return part.spec.reference(seed, split, part.level);
    },
    levelOf: (reference) => {
      const spec = of(reference);
      const level = spec.levelOf(reference);
      const isIn = (parts: readonly MixedPart[]): boolean =>
        parts.some((part) => part.spec === spec && part.level === level);
      return Math.max(0, levels.findIndex(isIn));
    },
    task: (reference) => of(reference).task(reference),
    create: (reference) => of(reference).create(reference),
    demonstrator: (reference, ...rest) => of(reference).demonstrator(reference, ...rest),
  };
}
