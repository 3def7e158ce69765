/** All studies, by name. */
import { WaggleError } from "@waggle/protocol";
import { algorithm } from "./algorithm.ts";
import { callBudget } from "./call-budget.ts";
import { curriculum } from "./curriculum.ts";
import { dataSize } from "./data-size.ts";
import { denseReward } from "./dense-reward.ts";
import { entropy } from "./entropy.ts";
import { klTerm } from "./kl-term.ts";
import { merging } from "./merging.ts";
import { oneModel } from "./one-model.ts";
import { onlyCorrectRuns } from "./only-correct-runs.ts";
import { planning } from "./planning.ts";
import { sftBeforeRl } from "./sft-before-rl.ts";
import { simulatedTraces } from "./simulated-traces.ts";
import type { Study } from "./study.ts";
import { toolPenalty } from "./tool-penalty.ts";
import { transfer } from "./transfer.ts";
import { weightsOrMemory } from "./weights-or-memory.ts";

export const STUDIES: readonly Study[] = [
  sftBeforeRl,
  curriculum,
  denseReward,
  toolPenalty,
  callBudget,
  onlyCorrectRuns,
  dataSize,
  transfer,
  klTerm,
  algorithm,
  merging,
  entropy,
  simulatedTraces,
  weightsOrMemory,
  oneModel,
  planning,
];

/** @throws WaggleError `INVALID_ARGUMENT` with the known names. */
export function studyNamed(name: string): Study {
  const study = STUDIES.find((one) => one.name === name);
  if (study !== undefined) return study;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `unknown study "${name.slice(0, 64)}"; choose one of ${STUDIES.map((one) => one.name).join(", ")}`,
  );
}
