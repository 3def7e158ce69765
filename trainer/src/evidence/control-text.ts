/** The control paragraph of an evidence page: the untrained base's success, and the arms that beat it. */
import { mean, shareSolved, temperatureCurve } from "@waggle/evaluation";
import { temperatureName } from "../evaluation/temperature.ts";
import type { ControlLog } from "./control-log.ts";
import { percent } from "./numbers.ts";

/** Controls of the default bases, for the pages of studies and trials. */
export const CONTROLS_FILE = "docs/evidence/controls.jsonl";

/**
 * @param arms - mean success of each arm at temperature 1, in [0, 1]; empty if a page measures none
 * @param command - measures the base at other temperatures; default: the command for built-in environments
 * @returns a paragraph of several lines; if no controls were measured, the paragraph says so
 */
export function controlText(
  environment: string,
  arms: readonly { readonly name: string; readonly success: number }[],
  controls: ControlLog,
  command = `npm run evidence -- learning --controls ${environment}`,
): string {
  const found = controls.all.filter((one) => one.environment === environment);
  const curve = temperatureCurve(found.map(({ successes }) => successes));
  if (curve === null) {
    return [
      `**Control.** The untrained base of \`${environment}\` was not measured at other temperatures, so nothing here shows`,
      `learning beyond temperature. \`${command}\` measures it.`,
    ].join("\n");
  }
  const best = mean(curve.best);
  const atOne = mean(found.map(({ successes }) => shareSolved(successes.get(1) ?? [])));
  const above = arms.filter(({ success }) => success > best).map(({ name }) => `*${name}*`);
  const survives =
    above.length === 0
      ? "No arm ends above that, so the gains over the base on this page do not show learning beyond temperature."
      : `These arms end above that at temperature 1: ${above.join(", ")}.`;
  const name = temperatureName(curve.bestTemperature);
  const greedy = name === "greedy" ? "" : `, and ${percent(mean(curve.greedy))} greedily`;
  return [
    `**Control.** The untrained base of \`${environment}\` solves ${percent(atOne)} of the held-out tasks at temperature 1`,
    `and ${percent(best)} at its best temperature (${name})${greedy}, over ${found.length} seeds with ${found[0]?.evaluationTasks} tasks each.`,
    survives,
    "Differences between arms are measured at temperature 1.",
  ].join("\n");
}
