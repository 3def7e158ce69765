/** States: plain values that learning carries from step to step. */
export { caseMemory, creditCase, forgetCases, writeCase } from "./case-memory.ts";
export type { Case, CaseMemory } from "./case-memory.ts";
export {
  editExperiences,
  experienceLibrary,
  experienceText,
  experiencesOf,
} from "./experience-library.ts";
export type {
  EditedLibrary,
  Experience,
  ExperienceEdit,
  ExperienceLibrary,
} from "./experience-library.ts";
export { memoryBank, operateMemory, recallMemory } from "./memory-bank.ts";
export type { MemoryBank, MemoryEntry, MemoryOperation } from "./memory-bank.ts";
export { baselineOf, movingBaseline, movingBaselineAdvantages } from "./moving-baseline.ts";
export type { MovingBaseline } from "./moving-baseline.ts";
export { addOpponent, drawOpponent, opponentPool, recordGame } from "./opponent-pool.ts";
export type { Opponent, OpponentPool } from "./opponent-pool.ts";
export { fitProgress, progressEstimator, stepContributions } from "./progress-estimator.ts";
export type { ProgressEstimator } from "./progress-estimator.ts";
export { caseStore } from "./case-store.ts";
export type { CaseStore } from "./case-store.ts";
export { caseFeatures, casePolicy, caseValues, choiceChances, softValue } from "./case-policy.ts";
export type { CasePolicy } from "./case-policy.ts";
export { guidanceOf, guidanceReading } from "./guidance.ts";
export { readingText } from "./reading-text.ts";
export type { ReadingParts } from "./reading-text.ts";
export {
  addPrompt,
  bestPrompt,
  choosePrompt,
  creditPrompt,
  drawPrompt,
  promptPopulation,
  promptScore,
  prunePrompts,
} from "./prompt-population.ts";
export type { Prompt, PromptPopulation } from "./prompt-population.ts";
export { putRest, rehearse, restBuffer } from "./rest-buffer.ts";
export type { RestBuffer } from "./rest-buffer.ts";
export { backUp, expandNode, nodeValue, requireNode, searchTree } from "./search-tree.ts";
export type { Expansion, SearchNode, SearchTree } from "./search-tree.ts";
export { averagedWeights } from "./slow-copy.ts";
export type { NamedWeights } from "./slow-copy.ts";
export {
  storeSuccess,
  storedSuccesses,
  successBuffer,
  withStoredSuccess,
} from "./success-buffer.ts";
export type { StoredSuccess, SuccessBuffer } from "./success-buffer.ts";
export { observeTask, passRateOf, taskStatistics } from "./task-statistics.ts";
export type { PassRate, TaskCounts, TaskStatistics } from "./task-statistics.ts";
