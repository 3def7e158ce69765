/** Time of a group's step on WASM against that of its kernels alone. */
import type { GroupFloorOptions, GroupFloorResult } from "../page/group-floor.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

export const groupFloor: Scenario = {
  name: "group-floor",
  description: "milliseconds of a step of 8 branches of 512 tokens on WASM, and of its kernels",
  run: async function* ({ quick, page }) {
    const opened = await page();
    for (const own of [64, 128]) {
      const options: GroupFloorOptions = {
        model: "nano",
        rounds: quick ? 1 : 50,
        prefix: 512,
        group: 8,
        own,
      };
      const { step, parts } = await opened.measure<GroupFloorResult>("group-floor", options);
      const row = (name: string, ms: number) =>
        benchRow({
          name: `group-floor wasm nano p512 G8 room ${own}, ${name}`,
          ours: step,
          peer: ms,
          peerName: "the kernels by themselves",
          unit: "ms/step",
          agree: true,
        });
      for (const [name, ms] of Object.entries(parts)) yield row(name, ms);
      yield row(
        "all of these",
        Object.values(parts).reduce((sum, ms) => sum + ms, 0),
      );
    }
    await opened.close();
  },
};
