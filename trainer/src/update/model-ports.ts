/**
 * Ports that give parts access to models trained beside the policy: values of a reward model,
 * log-probs of a process model. Trains nothing.
 */
import type { JudgedTrajectory, PartPorts, ProcessLogProbs } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";
import type { FrozenScorer, RecipeModels } from "./recipe-models.ts";

/** Ports over the engines of a recipe's reward model and process model. */
export function modelPorts(
  models: RecipeModels,
  reference: FrozenScorer | undefined,
): Pick<PartPorts, "rm" | "iprm"> {
  const [rm, iprm] = [models.get("rm"), models.get("iprm")];
  return {
    ...(rm === undefined ? {} : { rm: (trajectories) => turnValues(rm, trajectories) }),
    ...(iprm === undefined || reference === undefined
      ? {}
      : { iprm: (trajectories) => logProbs(iprm, reference, trajectories) }),
  };
}

async function turnValues(
  engine: TrainEngine,
  trajectories: readonly JudgedTrajectory[],
): Promise<number[][]> {
  const { values = [] } = await engine.forward({
    sequences: sequencesOf(trajectories),
    values: true,
  });
  const firsts = firstRows(trajectories);
  // An engine's value at a token is the value of the state after it.
  return trajectories.map(({ turns }, i) =>
    turns.map(({ sample, end }) => values[(firsts[i] ?? 0) + sample]?.[end - 1] ?? 0),
  );
}

async function logProbs(
  engine: TrainEngine,
  reference: FrozenScorer,
  trajectories: readonly JudgedTrajectory[],
): Promise<ProcessLogProbs[]> {
  const sequences = sequencesOf(trajectories);
  const { logProb } = await engine.forward({ sequences });
  const ofReference = await reference(sequences);
  const firsts = firstRows(trajectories);
  return trajectories.map(({ samples }, i) => {
    const from = firsts[i] ?? 0;
    const own = <T>(rows: readonly T[]): readonly T[] => rows.slice(from, from + samples.length);
    return { model: own(logProb), reference: own(ofReference) };
  });
}

function sequencesOf(
  trajectories: readonly JudgedTrajectory[],
): JudgedTrajectory["samples"][number]["sequence"][] {
  return trajectories.flatMap(({ samples }) => samples.map(({ sequence }) => sequence));
}

/** `[trajectories]` index of each trajectory's first sample in the concatenated samples. */
function firstRows(trajectories: readonly JudgedTrajectory[]): number[] {
  let next = 0;
  return trajectories.map(({ samples }) => {
    const first = next;
    next += samples.length;
    return first;
  });
}
