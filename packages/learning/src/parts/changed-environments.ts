/**
 * Rollout parts that put something around the environment: a model that answers in the tools' place, no
 * tools, budgets and faults, several rollouts in one context.
 */
import type { FilterPart, RewardPart, RolloutPart } from "../composition/part.ts";
import { resource, type StatePart } from "../composition/state.ts";
import type { EnvironmentRanges } from "../rollouts/env-random.ts";
import { REFUSED, type EnvironmentChange } from "../rollouts/environment-change.ts";
import { selectBy } from "../filters/selection.ts";
import { stepMask } from "./filters.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { rewardPart } from "./rewards.ts";
import { group } from "./rollouts.ts";

/** A model of the environment, fitted to logged calls before the stage begins. */
export const worldModel: StatePart<"world-model"> = resource("world-model");

type GroupPart = RolloutPart<never, "group">;

/** `size` trajectories from the same start, each in the changed environment. */
function changed(part: string, size: number, change: EnvironmentChange, references = 0): GroupPart {
  return {
    ...{ slot: "rollout", part, needs: [], start: "group", around: [group(size)] },
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
export function simulatedTools({
  size = 8,
  share = 1,
  judges = false,
  references = 0,
}: Simulation = {}): RolloutPart<"world-model", "group"> {
  const change = { kind: "simulated", by: "world-model", share, judges } as const;
  return { ...changed("sim-env", size, change, references), needs: ["world-model"] };
}

/** `sim-env`: tools are answered by the policy that calls them. */
export function selfAnswered(size = 8): GroupPart {
  return changed("sim-env", size, { kind: "simulated", by: "policy", share: 1, judges: false });
}

/** `env-random`: budgets of calls and turns, and chances of faults, drawn for each task. */
export function randomEnvironments(ranges: EnvironmentRanges, size = 8): GroupPart {
  return changed("env-random", size, { kind: "drawn", ranges });
}

/** `multi-trial`: up to `most` rollouts in one context; the last one counts. */
export function trials(most = 2, size = 8): GroupPart {
  return changed("multi-trial", size, { kind: "trials", most, stopsAtSuccess: true });
}

/** Trajectories under a contract: what breaks it never reaches a tool. */
export function underContract(mostCalls: number, size = 8): GroupPart {
  return changed("contract", size, { kind: "contract", mostCalls });
}

/** The loss of turns that the contract let through. */
export function withoutRefused(): FilterPart {
  return stepMask(({ toolResults }) =>
    toolResults.every((result) => result.ok || !result.error.message.startsWith(REFUSED)),
  );
}

/** `paired-tool`: of each task, every second trajectory is without tools, in the role `alone`. */
export function pairedTools(size = 8): GroupPart {
  return {
    ...{ slot: "rollout", part: "paired-tool", needs: [], start: "group", around: [group(size)] },
    plan: () => ({ kind: "group", size: 2 * size, environments: [null, { kind: "toolless" }] }),
  };
}

/** Only trajectories of the policy with tools are learned from: what they are compared with is left out. */
export function ownTrajectories(): FilterPart {
  return filterPart("own-trajectories", (groups) =>
    keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === "policy" ? null : "for-comparison")),
    ),
  );
}

/** `judge`: what the model of the environment says of how a trajectory ended. */
export function imaginedOutcome(): RewardPart {
  return rewardPart("judge", ({ verification: { parts } }) => ({
    reward: parts["verdict"] === true ? 1 : 0,
  }));
}
