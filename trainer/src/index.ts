/** The trainer's commands, and what other command lines need to offer them for a site. */
export { createCommand, exitCodeOf } from "./commands/command-line.ts";
export { createProgram } from "./commands/program.ts";
export {
  createMissingSites,
  createSiteCommand,
  publishCommand,
  trainCommand,
} from "./commands/missing-sites.ts";
export { runProgram } from "./commands/run-program.ts";
export { publishBase } from "./edge-training/publish-base.ts";
export type {
  CheckedEnvironment,
  CheckRuntimes,
  RuntimeCheckOptions,
} from "./options/runtime-checks.ts";
export { environmentFrom } from "./extensions/environment-module.ts";
export { moduleSource, resolvedFile } from "./extensions/module-source.ts";
export { loggedRows } from "./metrics/metrics-row.ts";
export type { LoggedRow } from "./metrics/logged-row.ts";
export { CREDENTIAL_VARIABLES, PUBLISHER_KEY_VARIABLE } from "./options/credentials.ts";
export {
  aboveZero,
  existingModel,
  httpUrl,
  positive,
  whole,
  wholeIn,
} from "./options/option-values.ts";
export type { ProgramOptions } from "./options/program-options.ts";
export { deviceOption } from "./options/server-options.ts";
export {
  credentialOption,
  jsonOption,
  noResumeOption,
  operatorNameOption,
} from "./options/shared-options.ts";
export { baseText } from "./pretrain/base-training.ts";
export { chosenBase, siteBase } from "./pretrain/chosen-base.ts";
export type { ChosenBase } from "./pretrain/chosen-base.ts";
export { baseTasksOption, trainEnvironmentBase } from "./pretrain/train-environment-base.ts";
export { isTooWeak, WEAK_BASE_PAGE } from "./pretrain/weak-base.ts";
export { DEFAULT_EDGE_RECIPE, edgeRecipeNamed } from "./recipes/edge-recipe.ts";
