/**
 * Parts of a stage that learns texts or cases and moves no parameter: who is credited, and what is
 * written. A writer is a model behind a port. Not a driver.
 */
import type { ExperienceEdit } from "../states/experience-library.ts";
import type { PartContext, RewardedGroup, StateChange } from "./part.ts";
import type { StateName } from "./state.ts";

/** What came of a rollout, as a writer or a case memory needs it. */
export type Credit =
  /** A change that a comparison suggests. */
  | { readonly kind: "edit"; readonly edit: ExperienceEdit }
  /** A new instruction for one role, which criticism passed back from the roles after it suggests. */
  | { readonly kind: "prompt"; readonly role: string; readonly text: string }
  /** What reading a case was worth: the target of its value. */
  | {
      readonly kind: "case";
      readonly id: string;
      readonly situation: string;
      readonly target: number;
    };

/** In the advantage slot: `semantic` is a comparison in words, `td` a temporal difference. */
export type CreditPart<N extends StateName = never> = {
  readonly slot: "advantage";
  readonly part: "semantic" | "td";
  readonly needs: readonly N[];
  readonly credit: (
    groups: readonly RewardedGroup[],
    context: PartContext,
  ) => readonly Credit[] | Promise<readonly Credit[]>;
};

export type Written = {
  readonly state: StateChange;
  /** Texts or cases that changed. */
  readonly changes: number;
  /** Answers of the writer that could not be used. */
  readonly refused?: number;
};

/** In the loss slot: from rewarded rollouts to a changed text or memory. */
export type WritingPart<N extends StateName = never> = {
  readonly slot: "loss";
  readonly part: "text-edit" | "mem-write";
  readonly needs: readonly N[];
  /** Whether a writer is asked. */
  readonly asks: boolean;
  readonly write: (
    groups: readonly RewardedGroup[],
    credits: readonly Credit[],
    context: PartContext,
  ) => Written | Promise<Written>;
};

export type Writing = {
  readonly credit: CreditPart<StateName> | null;
  readonly how: WritingPart<StateName>;
};

/** Credits, then writes. */
export async function write(
  { credit, how }: Writing,
  groups: readonly RewardedGroup[],
  context: PartContext,
): Promise<Written> {
  const credits = credit === null ? [] : await credit.credit(groups, context);
  return how.write(groups, credits, context);
}
