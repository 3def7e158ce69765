/**
 * The self-check on a visitor's device, on software WebGPU, where kernels take longest to compile.
 * Compiling dominates the check, and the model uses most of the compiled kernels afterwards.
 */
import type { DeviceCheckOptions, DeviceCheckResult } from "../page/device-check.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

/** Maximum milliseconds that it may delay the visitor. */
const BUDGET_MS = 4000;

export const deviceCheck: Scenario = {
  name: "device-check",
  description: "milliseconds of the self-check on software WebGPU, in freshly started browsers",
  run: async function* ({ quick, report, page }) {
    const measured = async (
      what: DeviceCheckOptions["what"],
      stored: DeviceCheckOptions["stored"],
    ): Promise<DeviceCheckResult> => {
      // A new browser, so that no shaders are compiled yet.
      const opened = await page();
      const options: DeviceCheckOptions = { model: "micro", what, stored };
      const result = await opened.measure<DeviceCheckResult>("device-check", options);
      await opened.close();
      report(
        `${what}${Object.keys(stored).length > 0 ? ", known" : ""}: ${result.ms.toFixed(0)} ms`,
      );
      return result;
    };
    const times = { check: [] as number[], first: [] as number[], later: [] as number[] };
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const first = await measured("visit", {});
      times.first.push(first.ms);
      times.later.push((await measured("visit", first.stored)).ms);
      times.check.push((await measured("check", {})).ms);
    }
    const least = (values: readonly number[]): number => Math.min(...values);
    const row = (name: string, ms: number) =>
      benchRow({ name, ours: ms, peer: BUDGET_MS, peerName: "budget", unit: "ms", agree: true });
    yield row("webgpu self-check by itself", least(times.check));
    yield row(
      "webgpu self-check, first tokens of a first visit later than without it",
      least(times.first) - least(times.later),
    );
  },
};
