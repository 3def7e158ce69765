/** The control of a page of learning in words: what the untrained base solves, and which arms beat that. */
import { mean } from "@waggle/evaluation";
import { temperatureCurve, temperatureName } from "../evaluation/temperature.ts";
import type { ControlLog } from "./control-log.ts";
import { percent } from "./numbers.ts";

/** Where controls of the committed pages are kept. */
export const CONTROLS_FILE = "docs/evidence/learning/controls.jsonl";

/**
 * @param arms - mean success of each arm at temperature 1, in [0, 1]; empty where a page measures none.
 * @returns a paragraph, or a sentence that nothing was measured.
 */
export function controlWords(
  environment: string,
  arms: readonly { readonly name: string; readonly success: number }[],
  controls: ControlLog,
): string {
  const found = controls.all.filter((one) => one.environment === environment);
  const curve = temperatureCurve(found.map(({ successes }) => successes));
  if (curve === null) {
    return `**Control.** The untrained base of \`${environment}\` was not tried at other temperatures (\`npm run evidence -- learning --controls ${environment}\`), so nothing here shows learning beyond temperature.`;
  }
  const best = mean(curve.best);
  const atOne = mean(
    found.map(({ successes }) => {
      const solved = successes.get(1) ?? [];
      return solved.filter(Boolean).length / Math.max(1, solved.length);
    }),
  );
  const above = arms.filter(({ success }) => success > best).map(({ name }) => `*${name}*`);
  const survives =
    above.length === 0
      ? "No arm ends above that, so the gains over the base on this page do not show learning beyond temperature."
      : `These arms end above that at temperature 1: ${above.join(", ")}.`;
  return `**Control.** The untrained base of \`${environment}\` solves ${percent(atOne)} at temperature 1, ${percent(best)} at its best temperature (${temperatureName(curve.bestTemperature)}) and ${percent(mean(curve.greedy))} greedily (${found.length} seeds, ${found[0]?.evaluationTasks} held-out tasks each). ${survives} Differences between arms are differences at temperature 1.`;
}
