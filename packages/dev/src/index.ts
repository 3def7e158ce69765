/** Runs a site on one machine: its processes, its pages and the loop with simulated visitors. */
export { runLoop } from "./loop/loop.ts";
export type { LoopOptions } from "./loop/loop.ts";
export type { LoopReport } from "./loop/report.ts";
export { practicePage, sitePage } from "./pages/pages.ts";
export type { Page } from "./pages/pages.ts";
export { stopSignal } from "./processes/stop-request.ts";
export { checkRuntimes } from "./runtimes/runtime-check.ts";
export {
  baseFolder,
  learningOf,
  namedModel,
  notLearningText,
  requireEnvironment,
  siteFrom,
  stateFolder,
} from "./site/site.ts";
export type { Site } from "./site/site.ts";
export { sitesFrom } from "./site/sites.ts";
export { deploySites } from "./stack/deployment.ts";
export type { DeployOptions } from "./stack/deployment.ts";
export { runStack } from "./stack/local-stack.ts";
export type { StackOptions, StackPage } from "./stack/local-stack.ts";
