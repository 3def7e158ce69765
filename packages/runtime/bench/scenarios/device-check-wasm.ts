/** Time that the device check adds before a visitor's first token. */
import type { DeviceCheckTime } from "../page/device-check-wasm.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

const AIM_MS = 300;

export const deviceCheckWasm: Scenario = {
  name: "device-check-wasm",
  description: "milliseconds of a visitor's first check on WASM, including onnxruntime's startup",
  run: async function* ({ quick, report, page }) {
    const times: DeviceCheckTime[] = [];
    for (let visit = 0; visit < (quick ? 1 : 5); visit++) {
      const opened = await page();
      times.push(await opened.measure<DeviceCheckTime>("device-check-wasm", "nano"));
      await opened.close();
    }
    const visits = times.map(({ ms, openMs }) => `${ms.toFixed()} (${openMs.toFixed()})`);
    report(`each visit (onnxruntime's startup in brackets): ${visits.join(", ")}`);
    const row = (name: string, values: readonly number[]): BenchRow =>
      benchRow({
        name: `wasm self-check nano, fresh page, ${name}`,
        ours: values.toSorted((a, b) => a - b)[values.length >> 1] as number,
        peer: AIM_MS,
        peerName: "aim",
        unit: "ms",
        agree: times.every(({ isRight }) => isRight),
      });
    const all = times.map(({ ms }) => ms);
    yield row("with onnxruntime's start, which the model needs too", all);
    const alone = times.map(({ ms, openMs }) => ms - openMs);
    yield row("after it", alone);
  },
};
