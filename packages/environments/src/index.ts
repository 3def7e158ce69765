/** Built-in environments with their verifiers and demonstrators, environment wrappers, and parts for further environments. */
export { ENVIRONMENTS, environmentNamed, environmentOf, findEnvironment } from "./environments.ts";
export { withVisitors } from "./visitors.ts";
export { INVENTED_TASKS, INVENTED_TOOLS } from "./invented-tools/invented-tools.ts";
export { promptEnvironment } from "./prompts/prompt-environment.ts";
export { promptRow } from "./prompts/prompt-row.ts";
export type { PromptRow } from "./prompts/prompt-row.ts";
export { withReward } from "./reward-function.ts";
export type { Reward, RewardedRollout, RewardFunction } from "./reward-function.ts";
export { definitionsOf, runTool, tool, toolResult } from "./runnable-tool.ts";
export type { RunnableTool, RunnableTools, ToolArguments } from "./runnable-tool.ts";
export { pick } from "./draw.ts";
export { evaluateExpression } from "./expression.ts";
export { createTurnEnvironment } from "./turn-environment.ts";
export { leveledReferences } from "./environment-spec.ts";
export type {
  DemonstratedAction,
  Demonstrator,
  Judgment,
  ReadingLesson,
  EnvironmentSpec,
  TaskProposals,
  JudgedEnvironment,
} from "./environment-spec.ts";
export { isOfSplit } from "./environment-task.ts";
export { trainingTasks, unseenPatterns } from "./task-patterns.ts";
export { memoryOf, proposalsOf } from "./environment-offers.ts";
export { TASK_FORMS } from "./variants/task-forms.ts";
export {
  callText,
  resultText,
  saidResult,
  verdictQuery,
  verdictText,
  WORLD_MODEL_SYSTEM,
  worldModelMessage,
} from "./world-model-text.ts";
export { explained, retrying, told } from "./wrappers/hints.ts";
export { limited, silentAfter, toolless, underContract } from "./wrappers/limits.ts";
export { imagined } from "./wrappers/imagined-environment.ts";
export type { WorldModel } from "./wrappers/imagined-environment.ts";
export { JudgedAnswers } from "./wrappers/judged-answers.ts";
export { mixed } from "./wrappers/mixed-environment.ts";
export { overheard } from "./wrappers/overheard.ts";
export { requireSearch, searched } from "./wrappers/search.ts";
export { SharedEnvironment } from "./wrappers/shared-environment.ts";
export { trials } from "./wrappers/trials.ts";
export type { EnvironmentWrapper } from "./wrappers/wrapped-environment.ts";
