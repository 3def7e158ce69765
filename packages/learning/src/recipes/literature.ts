/**
 * The learning systems of the literature as rows of a table: the parts of each paper by slot.
 * `literature.json` is read off the papers' abstracts; a part with `*` is our reading or the usual
 * default where the abstract is silent, so a recipe keeps it a setting. Rows of papers about images, video
 * or robots are those whose mechanism does not depend on that; none needs another modality than text. Not
 * recipes: those are code.
 */
import rows from "./literature.json" with { type: "json" };

export type SlotName =
  | "rollout"
  | "filter"
  | "reward"
  | "advantage"
  | "loss"
  | "state"
  | "schedule";

export type LiteratureRow = {
  /** Name of the recipe, unique. */
  readonly recipe: string;
  readonly paper: string;
  /** Row in the project's list of systems; `null` where it is in none. */
  readonly system: string | null;
  readonly table:
    | "policy-gradient"
    | "preference"
    | "imitation"
    | "merging"
    | "gradient-free"
    /** Not in the literature's tables: recipes that learn from visitors' feedback without a verifier. */
    | "feedback";
  /** By slot; A `*` marks parts that the abstract does not state. */
  readonly parts: { readonly [slot in SlotName]?: readonly string[] };
  /** Slots of which the abstract says nothing. */
  readonly unstated?: readonly SlotName[];
  /** The difference from plain GRPO. */
  readonly difference: string;
};

export const LITERATURE: readonly LiteratureRow[] = rows as readonly LiteratureRow[];

export type PlainPart = { readonly slot: SlotName; readonly part: string };

/** Parts of a row that are our reading, where the abstract is silent. */
export function inferredParts({ parts }: LiteratureRow): readonly PlainPart[] {
  return Object.entries(parts).flatMap(([slot, names]) =>
    names.flatMap((name) =>
      name.endsWith("*") ? [{ slot: slot as SlotName, part: name.slice(0, -1) }] : [],
    ),
  );
}

/** The parts of a row without their marks. */
export function plainParts({ parts }: LiteratureRow): readonly PlainPart[] {
  return Object.entries(parts).flatMap(([slot, names]) =>
    names.map((name) => ({ slot: slot as SlotName, part: name.replace(/\*$/, "") })),
  );
}
