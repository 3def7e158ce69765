/**
 * Runs a recipe in one environment in this process: stage after stage, round after round, without an
 * edge or visitors. A saved run resumes after its last save with bit-identical results.
 */
import { passAtK } from "@waggle/evaluation";
import type { Recipe } from "@waggle/learning";
import { RecipeStages } from "./recipe-stages.ts";
import { fittedWorldModels } from "../rollouts/fitted-environment.ts";
import { type HeldOut, heldOutOf } from "../evaluation/held-out.ts";
import { runPorts } from "../recipes/run-ports.ts";
import { enginesOf, stopIfAsked } from "./run-keeping.ts";
import type { StagePlace } from "./stage-place.ts";
import type { RunOptions, RunParts, RunResult } from "./run-options.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { shareOfRest } from "./run-spending.ts";
import { successesOf } from "../evaluation/evaluation.ts";
import { successesByDraw } from "../evaluation/pass-draws.ts";
import { successByTemperature } from "../evaluation/temperature.ts";
import { testTimeOf } from "./test-time.ts";

/**
 * @param onEvent - a resumed run reports only events after the resume.
 * @throws RunStopped if the keeper stops the run, after a save.
 */
export async function runRecipe(
  recipe: Recipe,
  parts: RunParts,
  options: RunOptions,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<RunResult> {
  const { keeper } = options;
  const found = keeper?.found ?? null;
  const worldModels = await fittedWorldModels(
    recipe,
    { ...parts, signal },
    parts.simulator,
    options.seed,
    options.onFitStep,
  );
  const ports = {
    ...runPorts(parts.engine, parts.format, parts.spec, parts.policy.contextLength),
    ...parts.ports,
  };
  const events: RunEvent[] = [...(found?.events ?? [])];
  const said = (event: RunEvent): void => {
    events.push(event);
    onEvent(event);
  };
  const { stages } = recipe;
  const run = new RecipeStages({ ...parts, worldModels, ports }, options, said, signal, stages);
  for (const [name, engine] of enginesOf(parts)) {
    const checkpoint = found?.engines.get(name);
    if (checkpoint !== undefined) await engine.load(checkpoint);
  }
  try {
    const base = found?.base ?? options.base ?? (await run.evaluate("base", 0));
    let final: HeldOut = found?.latest ?? base;
    const save = async (stagesDone: number, place: StagePlace) => {
      if (keeper === undefined) return;
      const carried = await run.carried();
      await keeper.save({ stagesDone, ...place, base, events: [...events], ...carried });
    };
    for (let at = found?.stagesDone ?? 0; at < recipe.rounds * stages.length; at += 1) {
      const [round, place] = [Math.floor(at / stages.length), at % stages.length];
      const isBegun = found?.stagesDone === at && found.stepsDone > 0;
      if (!isBegun) {
        run.limit(shareOfRest(recipe, options.shares, round, place));
        if (found?.stagesDone !== at) await save(at, { stepsDone: 0, latest: final, inner: null });
        stopIfAsked(keeper);
      }
      final = await run.stage(
        stages[place] as (typeof stages)[number],
        isBegun ? found : undefined,
        async (stepsDone, latest, inner) => {
          const isDue =
            keeper !== undefined && (stepsDone % keeper.every === 0 || keeper.isStopping());
          if (isDue) await save(at, { stepsDone, latest, inner });
        },
      );
    }
    // Parameters trained on the held-out tasks themselves were discarded after their rollouts.
    const isTestTime = stages.some((stage) => testTimeOf(stage) !== null);
    const places = Array.from({ length: options.evaluationTasks }, (_, i) => i);
    const byTemperature = await successByTemperature(
      isTestTime ? [] : (options.temperatures ?? []),
      async (sampling) =>
        heldOutOf(await run.heldOutRollouts(places, undefined, sampling)).successes,
    );
    const { passDraws } = options;
    const passed =
      isTestTime || passDraws === undefined
        ? null
        : passAtK(
            await successesByDraw(passDraws, async (draw) =>
              successesOf(await run.heldOutRollouts(places, undefined, undefined, draw)),
            ),
          );
    return { base, final, byTemperature, passAtK: passed, ...run.soFar };
  } finally {
    await run.roleStore.clear();
  }
}
