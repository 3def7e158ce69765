/** The defaults of every recipe of the catalogue as data: its settings, and its stages with their parts' options. */
import { isObject } from "@waggle/protocol";
import type { CreateRecipe } from "../composition/definition.ts";
import { type AnyPart, partDefinition } from "../composition/part-options.ts";
import { RECIPES } from "./catalogue.ts";

type Declarations = {
  readonly readsEntropies?: true;
  readonly corrects?: true;
  readonly onlyStatistics?: true;
  readonly expectsStaleness?: true;
};

/** By recipe: a line with its settings, then a line for each stage. Functions are left out; updates of real engines test them. */
export function recipeRecords(): { [name: string]: readonly string[] } {
  return Object.fromEntries([...RECIPES].map(([name, create]) => [name, recordOf(create)]));
}

function recordOf(create: CreateRecipe): string[] {
  const { stages, literature, differs: _, ...recipe } = create();
  return [{ ...recipe, literature: literature.recipe }, ...stages].map((one) =>
    JSON.stringify(plain(one)),
  );
}

/** Plain data without empty members; every part has its options and its name. */
function plain(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (ArrayBuffer.isView(value)) return [...(value as Float64Array)];
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (!isPart(value)) return filled(value);
  // Declarations say what a part is; they are no options.
  const {
    slot,
    part,
    readsEntropies: _,
    corrects: _c,
    onlyStatistics: _o,
    expectsStaleness: _s,
    ...rest
  } = value as AnyPart & Declarations;
  const options = Object.entries(partDefinition(value)?.options ?? {});
  return {
    part: `${slot}:${part}`,
    ...filled(Object.fromEntries(options.map(([name, one]) => [name, one.value]))),
    ...filled(rest),
  };
}

function filled(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== null && typeof one !== "function")
      .map(([name, one]): [string, unknown] => [name, plain(one)])
      .filter(([, one]) => one !== undefined && !/^(\[\]|{})$/.test(JSON.stringify(one))),
  );
}

function isPart(value: object): value is AnyPart {
  return "slot" in value && "part" in value;
}
