/**
 * What parts may ask of models that a recipe trains beside the policy: values of a reward model, log-probs
 * of a process model. Nothing is trained here.
 */
import type { Episode, PartPorts, ProcessLogProbs } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";
import type { FrozenScorer, RecipeModels } from "./updates/stage-update.ts";

export function modelPorts(
  models: RecipeModels,
  reference: FrozenScorer | undefined,
): Pick<PartPorts, "rm" | "iprm"> {
  const [rm, iprm] = [models.get("rm"), models.get("iprm")];
  return {
    ...(rm === undefined ? {} : { rm: (episodes) => turnValues(rm, episodes) }),
    ...(iprm === undefined || reference === undefined
      ? {}
      : { iprm: (episodes) => logProbs(iprm, reference, episodes) }),
  };
}

async function turnValues(engine: TrainEngine, episodes: readonly Episode[]): Promise<number[][]> {
  const { values = [] } = await engine.forward({ sequences: sequencesOf(episodes), values: true });
  const firsts = firstRows(episodes);
  // An engine's value of a token is that of the state after it.
  return episodes.map(({ turns }, i) =>
    turns.map(({ sample, end }) => values[(firsts[i] ?? 0) + sample]?.[end - 1] ?? 0),
  );
}

async function logProbs(
  engine: TrainEngine,
  reference: FrozenScorer,
  episodes: readonly Episode[],
): Promise<ProcessLogProbs[]> {
  const sequences = sequencesOf(episodes);
  const { logProb } = await engine.forward({ sequences });
  const ofReference = await reference(sequences);
  const firsts = firstRows(episodes);
  return episodes.map(({ samples }, i) => {
    const from = firsts[i] ?? 0;
    const own = <T>(rows: readonly T[]): readonly T[] => rows.slice(from, from + samples.length);
    return { model: own(logProb), reference: own(ofReference) };
  });
}

function sequencesOf(episodes: readonly Episode[]): Episode["samples"][number]["sequence"][] {
  return episodes.flatMap(({ samples }) => samples.map(({ sequence }) => sequence));
}

/** `[episodes]` where each one's samples begin among those of all. */
function firstRows(episodes: readonly Episode[]): number[] {
  let next = 0;
  return episodes.map(({ samples }) => {
    const first = next;
    next += samples.length;
    return first;
  });
}
