/** Merging: arithmetic on the weights of models of one base. */
export { adapterSum } from "./adapter-sums.ts";
export { averaged, sphericallyInterpolated } from "./interpolation.ts";
export { chosenMerge } from "./merge-choice.ts";
export type { MergeScores } from "./merge-choice.ts";
export { orthogonalized } from "./orthogonal.ts";
export { drawnNames, withTrained } from "./parameter-subsets.ts";
export { reinforcedMerge } from "./reinforced-merge.ts";
export type { ReinforcedMergeOptions } from "./reinforced-merge.ts";
export { withoutTails } from "./sparse-deltas.ts";
export { taskVector, withTaskVectors } from "./task-vectors.ts";
