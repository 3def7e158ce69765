/** What a kind of parameter is, and ways to make one. */
import { integerBelow, pick } from "../draw.ts";
import type { Drawing } from "./drawing.ts";
import * as values from "./values.ts";
import type { Value } from "./values.ts";

type FieldType = "string" | "integer" | "number" | "boolean" | readonly string[];

/** A kind of parameter. */
export type Field = {
  /** Parameter names for it, in words: a tool writes them in its own style. */
  readonly names: readonly string[];
  /** An array lists the values of an enum. */
  readonly type: FieldType;
  readonly draw: (drawing: Drawing) => Value;
  /** Ways to mention it; `{}` is the value. A flag has one list for true and one for false. */
  readonly phrases: readonly string[];
  /** How a question or an answer calls it. */
  readonly label: string;
};

/** What a field is besides its words. */
type Kind = Pick<Field, "type" | "draw">;

export const choice = (options: readonly string[]): Kind => ({
  type: options,
  draw: ({ random }: Drawing): Value => {
    const argument = pick(random, options);
    return { argument, said: argument };
  },
});

/** A flag whose phrase alone says true or false. */
export const flag = (
  yes: readonly string[],
  no: readonly string[],
): Kind & Pick<Field, "phrases"> => ({
  type: "boolean",
  draw: ({ random }: Drawing): Value =>
    random() < 0.7
      ? { argument: true, said: pick(random, yes) }
      : { argument: false, said: pick(random, no) },
  phrases: ["{}"],
});

export const integerIn = (from: number, to: number, step = 1): Kind => ({
  type: "integer",
  draw: (drawing: Drawing): Value => {
    if (step === 1) return values.integer(drawing, from, to);
    const argument = from + step * integerBelow(drawing.random, Math.floor((to - from) / step) + 1);
    return { argument, said: String(argument) };
  },
});

export const text = (draw: Kind["draw"]): Kind => ({ type: "string", draw });

export const oneOf = (names: readonly string[], type: readonly string[], label: string): Field => ({
  names,
  ...choice(type),
  phrases: ["{}"],
  label,
});

export const numberIn = (
  names: readonly string[],
  from: number,
  to: number,
  label: string,
): Field => ({ names, ...integerIn(from, to), phrases: ["{}"], label });
