/** The progress of an agent that has not worked on tasks. It is separate, because `simulation.ts` is loaded later. */
import type { SimulationProgress } from "./agent.ts";

/** Progress before the first task. */
export const NO_SIMULATION: SimulationProgress = {
  running: false,
  waiting: false,
  assigned: 0,
  completed: 0,
  uploaded: 0,
  rejected: 0,
  failed: 0,
};
