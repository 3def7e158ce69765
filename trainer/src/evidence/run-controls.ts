/**
 * Evaluates the base of each environment on the held-out tasks of each seed, at every temperature.
 */
import { passAtK, temperatureCurve } from "@waggle/evaluation";
import type { Sampling } from "@waggle/protocol";
import { successesOf } from "../evaluation/evaluation.ts";
import { rollOutHeldOut } from "../evaluation/held-out.ts";
import { PASS_DRAWS, successesByDraw } from "../evaluation/pass-draws.ts";
import { PolicyCache } from "../model/policy-cache.ts";
import type { ControlLog } from "./control-log.ts";
import { evidenceBase } from "./evidence-base.ts";
import type { RunArmsOptions } from "./run-arms.ts";
import { successByTemperature, TEMPERATURES } from "../evaluation/temperature.ts";

/** An environment and a seed to measure. */
export type ControlPlace = {
  readonly environment: string;
  readonly seed: number;
  /** Whether pass@8 is measured too. */
  readonly measuresPass: boolean;
};

/** Evaluates what is missing in the log. @throws the signal's reason */
export async function runControls(
  places: readonly ControlPlace[],
  evaluationTasks: number,
  log: ControlLog,
  {
    bases,
    baseChanges,
    signal,
    onProgress,
  }: Pick<RunArmsOptions, "bases" | "baseChanges" | "signal" | "onProgress">,
): Promise<void> {
  const unique = new Map(places.map((place) => [`${place.environment} ${place.seed}`, place]));
  const missing = [...unique.values()].filter(
    ({ environment, seed }) => log.find(environment, seed, evaluationTasks) === undefined,
  );
  const policies = new PolicyCache("wasm");
  try {
    for (const { environment, seed, measuresPass } of missing) {
      signal.throwIfAborted();
      const { spec, model } = await evidenceBase(environment, {
        folder: bases,
        changes: baseChanges,
        onProgress: ({ step, steps }) => onProgress({ event: "base", environment, step, steps }),
        signal,
      });
      const policy = await policies.take(model);
      const parts = { policy, format: model.format, spec, signal };
      const tasks = Array.from({ length: evaluationTasks }, (_, i) => i);
      const solved = async (sampling?: Omit<Sampling, "seed">, draw?: number) =>
        successesOf(await rollOutHeldOut(parts, tasks, undefined, seed, "heldOut", sampling, draw));
      const successes = await successByTemperature(TEMPERATURES, solved);
      const passAt8 = measuresPass
        ? passAtK(await successesByDraw(PASS_DRAWS, (draw) => solved(undefined, draw)))
        : undefined;
      const baseModel = model.reference.sha256;
      await log.append({ environment, seed, baseModel, evaluationTasks, successes, passAt8 });
      const curve = temperatureCurve([successes]);
      const [best = 0] = curve?.best ?? [];
      const temperature = curve?.bestTemperature ?? 1;
      onProgress({ event: "control", environment, seed, best, temperature });
    }
  } finally {
    await policies.dispose();
  }
}
