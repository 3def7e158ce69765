/** A driver that records the requests of strategies and answers with trajectories that are named by their places. */
import type { TaskReference } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { rewardedOf } from "../composition/rewarded-trajectories.fixture.ts";
import type { RolloutDriver } from "../composition/rollout-driver.ts";

export type ScriptedDriver = RolloutDriver & {
  /** Every request: the method, the task's seed, the place and the options. */
  readonly asked: (readonly [method: string, task: number, ...rest: unknown[]])[];
};

/** A trajectory of three turns, the first two with calls. */
export function threeTurns(
  id: string,
  given: Parameters<typeof rewardedOf>[1] = {},
): JudgedTrajectory {
  const turns = [{ calls: ["look"] }, { calls: ["take"] }, {}];
  const { trajectory } = rewardedOf(id, { turns, ...given });
  const segments = trajectory.record.turns.map((_, i) => ({
    id: `${id}/${i}`,
    kind: "sampled",
    entropies: [i],
  }));
  const record = {
    ...trajectory.record,
    id,
    segments,
    turns: trajectory.record.turns.map((turn, i) => ({ ...turn, segmentId: `${id}/${i}` })),
  } as unknown as JudgedTrajectory["record"];
  return { ...trajectory, record };
}

/** @param detailsOf - changes to the rollout at a place */
export function scriptedDriver(
  more: Partial<RolloutDriver> = {},
  detailsOf: (place: readonly number[]) => Parameters<typeof rewardedOf>[1] = () => ({}),
): ScriptedDriver {
  const asked: [string, number, ...unknown[]][] = [];
  const seeds = [1, 2];
  const tasks = seeds.map((seed): TaskReference => ({ environment: "e", split: "train", seed }));
  const rolled = (
    { seed }: TaskReference,
    place: readonly number[],
    role = "policy",
  ): JudgedTrajectory => threeTurns(place.join("/"), { seed, role, ...detailsOf(place) });
  const inOrder = async <T>(count: number, run: (i: number) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (let i = 0; i < count; i += 1) results.push(await run(i));
    return results;
  };
  return {
    asked,
    tasks,
    stored: [],
    seed: 7,
    roleShift: 0,
    roles: null,
    inLanes: inOrder,
    alike: async (count, run) => {
      asked.push(["alike", count]);
      return inOrder(count, run);
    },
    byTask: (run, of = tasks) =>
      inOrder(of.length, async (at) => {
        const task = of[at] as TaskReference;
        return { task: `task ${task.seed}`, trajectories: await run(task, at) };
      }),
    rollOut: async (task, place, changes = {}) => {
      const { from, ...rest } = changes;
      const begun = from === undefined ? {} : { from: [from.trajectory.id, from.turns] };
      asked.push(["rollOut", task.seed, place.join("/"), { ...begun, ...rest }]);
      return rolled(task, place, changes.role);
    },
    demonstrate: async (task, { random, repeats, ...rest }) => {
      const drawn = random();
      const repeated = repeats === undefined ? {} : { repeats: repeats.id };
      asked.push(["demonstrate", task.seed, { ...rest, ...repeated }]);
      return threeTurns(`shown ${drawn}`, { seed: task.seed, role: rest.role ?? "policy" });
    },
    rollOutTogether: async (task, place, members) => {
      asked.push(["rollOutTogether", task.seed, place.join("/"), members]);
      return members.map(({ role }, r) => rolled(task, [...place, r], role));
    },
    rollOutFolded: async (task, place, options) => {
      asked.push(["rollOutFolded", task.seed, place.join("/"), options]);
      return [rolled(task, [...place, 0]), rolled(task, [...place, 1])];
    },
    solver: (proposal, task, form) => {
      asked.push(["solver", task.seed, proposal.id, form]);
      if (!proposal.verification.success) return null;
      return async (place, changes) => {
        asked.push(["solve", task.seed, place.join("/"), changes]);
        return rolled(task, place, changes.role);
      };
    },
    retell: async (task, trajectories, retelling) => {
      asked.push(["retell", task.seed, trajectories.length, retelling]);
      return threeTurns("retold", { seed: task.seed, role: "retold" });
    },
    readAgain: async (trajectory, at) => {
      asked.push(["readAgain", at, trajectory.id]);
      return trajectory;
    },
    neighbor: (task) => ({ ...task, seed: task.seed + 100 }),
    finalText: ({ id }) => ` says ${id} `,
    ...more,
  };
}
