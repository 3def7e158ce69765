/**
 * Rollout parts that put something around the environment: a model that answers in the tools' place, no
 * tools, budgets and faults, several rollouts in one context.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { EnvironmentRanges } from "./env-random.ts";
import type { EnvironmentChange } from "./environment-change.ts";
import { group } from "./plain-rollouts.ts";

type GroupPart = RolloutPart<never, "group">;

/** `size` trajectories from the same start, each in the changed environment. */
function changed(part: string, size: number, change: EnvironmentChange, references = 0): GroupPart {
  return {
    slot: "rollout",
    part,
    needs: [],
    start: "group",
    around: [group(size)],
    plan: () => ({ kind: "group", size, environments: [change], references }),
  };
}

type Simulation = {
  readonly size?: number;
  /** Of calls that the model answers; default all. */
  readonly share?: number;
  /** Whether it also says how a trajectory ended; default no. */
  readonly judges?: boolean;
  /** Demonstrations beside the group, to be compared with; default none. */
  readonly references?: number;
};

/** `sim-env`: tools are answered by a model of the environment. */
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

/** `sim-env`: tools are answered by the policy that calls them. */
export function selfAnswered(size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    changed("sim-env", size, { kind: "simulated", by: "policy", share: 1, judges: false }),
  );
}

/** `env-random`: budgets of calls and turns, and chances of faults, drawn for each task. */
export function randomEnvironments(ranges: EnvironmentRanges, size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    changed("env-random", size, { kind: "drawn", ranges }),
  );
}

/** `multi-trial`: up to `most` rollouts in one context; the last one counts. */
export function trials(most?: number, size?: number): GroupPart {
  return definePart(
    { trialsMost: option(most, 2), groupSize: option(size, 8) },
    ({ trialsMost: most, groupSize: size }) =>
      changed("multi-trial", size, { kind: "trials", most, stopsAtSuccess: true }),
  );
}

/** Trajectories under a contract: what breaks it never reaches a tool. */
export function underContract(mostCalls: number, size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) =>
    changed("contract", size, { kind: "contract", mostCalls }),
  );
}

/** `paired-tool`: of each task, every second trajectory is without tools, in the role `alone`. */
export function pairedTools(size?: number): GroupPart {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => ({
    slot: "rollout",
    part: "paired-tool",
    needs: [],
    start: "group",
    around: [group(size)],
    plan: () => ({ kind: "group", size: 2 * size, environments: [null, { kind: "toolless" }] }),
  }));
}
