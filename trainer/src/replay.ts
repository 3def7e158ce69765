/** What running a recorded attempt again says about it. */
import type { Trajectory, Verification } from "@waggle/protocol";

export type ReplayResult =
  | { readonly holds: true; readonly verification: Verification }
  | {
      readonly holds: false;
      readonly status: "rejected" | "skipped";
      readonly reason: string;
    };

export type Replay = (trajectory: Trajectory) => Promise<ReplayResult>;
