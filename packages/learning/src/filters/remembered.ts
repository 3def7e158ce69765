/** Writes a memory from successful trajectories. The state `workingMemory` recalls it. */
import { option, definePart } from "../composition/part-options.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { type MemoryBank, operateMemory } from "../states/memory-bank.ts";
import { filterPart } from "./filter-part.ts";

/** Maximal number of entries; the oldest are deleted. */
const MOST_ENTRIES = 128;

/** Stores the calls of trajectories with a reward of at least `least`. Drops nothing. */
export function remembered(least?: number): FilterPart<"memory-bank"> {
  return definePart({ rememberedLeast: option(least, 0.5) }, ({ rememberedLeast: least }) =>
    filterPart(
      "remembered",
      (groups, { state }) => {
        let bank = state["memory-bank"] as MemoryBank;
        for (const { trajectory, reward } of groups.flatMap(({ trajectories }) => trajectories)) {
          if (reward.total >= least) bank = withMemory(bank, memoryOf(trajectory));
        }
        return { groups, dropped: new Map(), state: { "memory-bank": bank } };
      },
      { needs: ["memory-bank"] },
    ),
  );
}

/** The memory text of a trajectory; `null` without successful calls or without a known request. */
function memoryOf({ turns, verification }: JudgedTrajectory): string | null {
  const { request } = verification.parts;
  const calls = turns
    .filter(({ toolResults }) => toolResults.every(({ ok }) => ok))
    .flatMap(({ toolCalls }) => toolCalls)
    .map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
  return typeof request === "string" && calls.length > 0 ? `${request} ${calls.join(", ")}` : null;
}

function withMemory(bank: MemoryBank, text: string | null): MemoryBank {
  if (text === null || bank.entries.some((entry) => entry.text === text)) return bank;
  const [oldest] = bank.entries.length >= MOST_ENTRIES ? bank.entries : [];
  const kept =
    oldest === undefined ? bank : operateMemory(bank, { operation: "delete", id: oldest.id }).bank;
  return operateMemory(kept, { operation: "add", text }).bank;
}
