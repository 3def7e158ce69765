/** The place in a stage at which a run resumes. Types only. */
import type { EnvironmentRollout } from "@waggle/agent/environments";
import type { StateValues } from "@waggle/learning";
import type { EngineCheckpoint, TensorMap } from "@waggle/protocol";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { MergeProgress } from "../update/merge-update.ts";
import type { Budget } from "./run-spending.ts";

/** The place in a stage between two steps. */
export type StagePlace = {
  /** Completed steps of the stage; 0 = it has not begun. */
  readonly stepsDone: number;
  /** The newest evaluation; `null` if none was due in this stage yet. */
  readonly latest: HeldOut | null;
  /** The place inside a stage that consists of several trainings; `null` for any other stage. */
  readonly inner: InnerPlace | null;
};

/** The place inside a stage that consists of several trainings. */
type InnerPlace = TestTimePlace | MergePlace;

/** Called after each step of a stage. */
export type AfterStep = (
  stepsDone: number,
  latest: HeldOut | null,
  inner: InnerPlace | null,
) => Promise<void>;

/** Training at test time between two steps. */
export type TestTimeProgress<R = EnvironmentRollout> = {
  /** The engine's checkpoint to which every group of tasks returns. */
  readonly start: EngineCheckpoint;
  /** Groups of tasks that are rolled out. */
  readonly groupsDone: number;
  /** Steps taken on the next group. */
  readonly stepsDone: number;
  /** Whether one of these steps changed the engine. */
  readonly learned: boolean;
  /** Results so far, by the index of the task. */
  readonly results: ReadonlyMap<number, R>;
};

/** The state to which every group of tasks returns, besides the engine. */
export type TestTimeStart = {
  /** The parameters with which the policy samples. */
  readonly tensors: TensorMap;
  readonly state: StateValues;
};

/** A stage at test time between two steps. */
export type TestTimePlace = {
  readonly kind: "test-time";
  readonly start: TestTimeStart;
  readonly progress: TestTimeProgress;
};

/** A merging stage between two steps of a member. */
export type MergePlace = {
  readonly kind: "merge";
  readonly progress: MergeProgress;
  /** Budget limit of all members. */
  readonly ofMembers: Budget | undefined;
  /** Steps of all members. */
  readonly stepsDone: number;
  /** Index of the member's current stage, and the place in it. */
  readonly stage: number;
  readonly place: StagePlace;
};
