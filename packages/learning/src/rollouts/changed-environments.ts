/**
 * Rollout parts that wrap the environment: a model that answers instead of the tools, no tools, budgets and
 * faults, or several trials in one context.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { EnvironmentRanges } from "./env-random.ts";
import type { EnvironmentChange } from "./environment-change.ts";
import { group, groupStrategy } from "./plain-rollouts.ts";

type GroupPart = RolloutPart<never, "group">;

/** `size` trajectories from the same start, in the wrapped environment. */
function changed(part: string, size: number, change: EnvironmentChange, references = 0): GroupPart {
  return {
    slot: "rollout",
    part,
    needs: [],
    start: "group",
    around: [group(size)],
    strategy: () => groupStrategy({ size, environments: [change], references }),
  };
}

type Simulation = {
  readonly size?: number;
  /** Share of calls that the model answers; default: all. */
  readonly share?: number;
  /** Whether the model also judges how a trajectory ended; default: no. */
  readonly judges?: boolean;
  /** Number of reference demonstrations in the group; default: none. */
  readonly references?: number;
};

/** `sim-env`: a world model answers the tool calls. */
export function simulatedTools({ size, share, judges, references }: Simulation = {}): RolloutPart<
  "world-model",
  "group"
> {
  return definePart(
    {
      groupSize: option(size, 8),
      simulatedToolsShare: option(share, 1),
      judges: option(judges, false),
      references: option(references, 0),
    },
    ({ groupSize: size, simulatedToolsShare: share, judges, references }) => {
      const change = { kind: "simulated", by: "world-model", share, judges } as const;
      return { ...changed("sim-env", size, change, references), needs: ["world-model"] };
    },
  );
}

/** `sim-env`: the policy itself answers its tool calls. */
export function selfAnswered(size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    changed("sim-env", size, { kind: "simulated", by: "policy", share: 1, judges: false }),
  );
}

/** `env-random`: call budgets, turn budgets and fault probabilities, drawn for each task. */
export function randomEnvironments(ranges: EnvironmentRanges, size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    changed("env-random", size, { kind: "drawn", ranges }),
  );
}

/** `multi-trial`: up to `most` trials in one context; the last one counts. */
export function trials(most?: number, size?: number): GroupPart {
  return definePart(
    { trialsMost: option(most, 2), groupSize: option(size, 8) },
    ({ trialsMost: most, groupSize: size }) =>
      changed("multi-trial", size, { kind: "trials", most, stopsAtSuccess: true }),
  );
}

/** Rollouts under a contract; a call that breaks it does not reach a tool. */
export function underContract(mostCalls: number, size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    changed("contract", size, { kind: "contract", mostCalls }),
  );
}

/** `paired-tool`: every second trajectory of a task has no tools and the role `alone`. */
export function pairedTools(size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => ({
    slot: "rollout",
    part: "paired-tool",
    needs: [],
    start: "group",
    around: [group(size)],
    strategy: () => groupStrategy({ size: 2 * size, environments: [null, { kind: "toolless" }] }),
  }));
}
