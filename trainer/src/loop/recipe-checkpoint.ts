/** The checkpoint of a recipe's run. */
import { createHash } from "node:crypto";
import { deserialize } from "node:v8";
import { z } from "zod";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { Spent } from "../metrics/spent.ts";
import type { Checkpoint, CheckpointKind, Settings } from "../checkpoint/checkpoint.ts";
import type { Carried, SavedRun } from "./run-keeping.ts";
import { migratedRun } from "./run-migration.ts";

/** Counters and evaluations of a run. */
type RunProgress = Pick<
  SavedRun,
  "stagesDone" | "stepsDone" | "version" | "tasksDrawn" | "spent" | "deployed" | "base" | "latest"
>;

/** What a run carries from step to step besides engines and counters. */
type RunValues = Pick<Carried, "snapshots" | "state" | "stored" | "roleStore" | "limit"> & {
  readonly events: readonly RunEvent[];
  /** Absent in runs of earlier releases. */
  readonly inner?: SavedRun["inner"];
};

const count = z.int().min(0);
const HeldOut: z.ZodType<HeldOut> = z.strictObject({
  successes: z.array(z.boolean()),
  toolCallsMean: z.number(),
  sampledTokensMean: z.number(),
});
const RunProgress: z.ZodType<RunProgress> = z.strictObject({
  stagesDone: count,
  stepsDone: count,
  version: count,
  tasksDrawn: count,
  spent: Spent,
  /** Earlier releases stored −1 for the member of a merge. */
  deployed: z.int().nullable(),
  base: HeldOut,
  latest: HeldOut.nullable(),
});

/** Length of the digest before the content of a `checkpoint.bin`. */
const DIGEST_LENGTH = 64;

/** Versions 1 and 2 of a run; version 1 has no version number. */
type EarlierFile = {
  readonly version?: number;
  readonly settings: Settings;
  readonly run: SavedRun;
};

export const RECIPE_RUN: CheckpointKind<RunProgress, RunValues> = {
  name: "train",
  state: RunProgress,
  startOver: "with --no-resume",
  earlier: {
    file: "checkpoint.bin",
    read: (file) => {
      const bytes = file.subarray(DIGEST_LENGTH);
      const digest = createHash("sha256").update(bytes).digest("hex");
      if (digest !== Buffer.from(file.subarray(0, DIGEST_LENGTH)).toString("latin1")) {
        throw new Error("its digest does not match its content");
      }
      const { version = 1, settings, run } = deserialize(bytes) as EarlierFile;
      return runCheckpoint(settings, version === 1 ? (migratedRun(run) as SavedRun) : run);
    },
  },
};

/** A run as a checkpoint. */
export function runCheckpoint(
  settings: Settings,
  { engines, snapshots, state, stored, roleStore, limit, events, inner, ...progress }: SavedRun,
): Checkpoint<RunProgress, RunValues> {
  const step = events.filter(({ event }) => event === "step").length;
  const values = { snapshots, state, stored, roleStore, limit, events, inner };
  return { settings, step, engines, state: progress, values };
}

/** The run in a checkpoint. */
export function runOf({ engines, state, values }: Checkpoint<RunProgress, RunValues>): SavedRun {
  return { ...values, ...state, engines, inner: values.inner ?? null };
}
