/**
 * Parts of a stage that learns texts or cases and changes no parameter: credit assignment and writing. The
 * writer is a language model behind a port.
 */
import type { ExperienceEdit } from "../states/experience-library.ts";
import type { PartContext, RewardedGroup, StateChange } from "./part.ts";
import type { StateName } from "./state.ts";

/** A finding from a rollout, for a writer or a case memory. */
export type Credit =
  /** A change that a comparison of rollouts suggests. */
  | { readonly kind: "edit"; readonly edit: ExperienceEdit }
  /** A new instruction for one role, suggested by criticism from the roles that follow it. */
  | { readonly kind: "prompt"; readonly role: string; readonly text: string }
  /** The target for the value of a case: the reward of the rollout that read it. */
  | {
      readonly kind: "case";
      readonly id: string;
      readonly situation: string;
      readonly target: number;
    };

/** In the advantage slot: `semantic` compares rollouts in text, `td` is a temporal difference. */
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
  /** Number of changed texts or cases. */
  readonly changes: number;
  /** Number of the writer's answers that could not be used. */
  readonly refused?: number;
};

/** In the loss slot: changes a text or memory based on rewarded rollouts. */
export type WritingPart<N extends StateName = never> = {
  readonly slot: "loss";
  readonly part: "text-edit" | "mem-write";
  readonly needs: readonly N[];
  /** Whether it needs a writer. */
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

/** Assigns credit, then writes. */
export async function write(
  { credit, how }: Writing,
  groups: readonly RewardedGroup[],
  context: PartContext,
): Promise<Written> {
  const credits = credit === null ? [] : await credit.credit(groups, context);
  return how.write(groups, credits, context);
}
