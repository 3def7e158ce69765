/**
 * `tree-pack`: rows with the same beginning are read as one tree, which contains that beginning once. The
 * engine packs: its outputs and gradients are those of the separate rows, from fewer tokens. This part only
 * makes sure that the stage runs on such an engine. Not a separate loss.
 *
 * Source: KAT-Coder (tree-structured training of branches that share prefixes).
 */
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";

/** `tree-pack`: `inner` on an engine that reads the shared beginnings of its rows once. */
export function treePacked<N extends StateName>(inner: LossPart<N>): LossPart<N> {
  return { ...inner, part: "tree-pack", around: [inner], packs: true };
}
