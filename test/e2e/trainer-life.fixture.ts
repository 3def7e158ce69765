/** A trainer as a process with small steps and short leases, which may kill itself right after a named call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DEMO_FOLDER, NANO_MODEL } from "../fixtures/demo.ts";

/** A line that the trainer printed with `--json`. */
type TrainerEvent = { readonly event: string; readonly [name: string]: unknown };

/** What one process did. */
export type TrainerLife = {
  readonly signal: string | null;
  readonly code: number | null;
  readonly events: TrainerEvent[];
};

/** Options of `liveTrainer`. */
export type TrainerLifeOptions = {
  readonly edgeUrl: string;
  readonly credential: string;
  /** State folder. */
  readonly state: string;
  /** Longer than a lease if another process may have left one. Default 7. */
  readonly idleSeconds?: number | undefined;
  /** The environment that the edge assigns, as `--env` takes it. Default: the demo's. */
  readonly environment?: string | undefined;
  /** Folder of the base model. Default: the nano model. */
  readonly model?: string | undefined;
  readonly onEvent?: ((event: TrainerEvent) => void) | undefined;
};

/** Variables of a Worker whose groups, gate and deadlines suit these trainers. */
export const SMALL_GROUPS = {
  GROUP_SIZE: "4",
  GROUP_DEADLINE_SECONDS: "10",
  GATE_MIN_TASKS: "8",
  // Trainers of the previous release know no probes.
  GATE_PROBE_TASKS: "0",
  GATE_MARGIN: "1",
  GATE_SIGNIFICANCE: "0",
} as const;

const SMALL_STEPS = {
  "--groups-per-step": "2",
  "--publish-every": "1",
  "--evaluation-tasks": "8",
  "--promotion-margin": "1",
  "--lease-seconds": "5",
  "--partial-step-seconds": "1",
  "--poll-seconds": "0.2",
  "--threads": "1",
} as const;

/** Runs a trainer process once. @param boundary - the call after which it kills itself; `none` = it ends when idle */
export async function liveTrainer(
  boundary: string,
  options: TrainerLifeOptions,
): Promise<TrainerLife> {
  const { edgeUrl, credential, state, idleSeconds = 7, onEvent } = options;
  const { environment = DEMO_FOLDER, model = NANO_MODEL } = options;
  const child = spawn(
    process.execPath,
    [
      "--conditions=source",
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "killed-trainer.fixture.ts"),
      boundary,
      "train-edge",
      "--json",
      "--edge",
      edgeUrl,
      "--state",
      state,
      "--idle-exit-seconds",
      String(idleSeconds),
      "--env",
      environment,
      "--model",
      model,
      ...Object.entries(SMALL_STEPS).flat(),
    ],
    {
      env: { ...process.env, WAGGLE_TRAINER_CREDENTIAL: credential },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const events: TrainerEvent[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const event = JSON.parse(line) as TrainerEvent;
    events.push(event);
    onEvent?.(event);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { signal, code, events };
}

/** Trajectories that the process found in its checkpoint when the edge gave them out again. */
export function twiceIn({ events }: TrainerLife): number {
  return Number(events.findLast(({ event }) => event === "stopped")?.["twice"] ?? 0);
}

/** Environments of the tasks whose groups reached the process, one for each group. */
export const leasedEnvironments = ({ events }: TrainerLife): readonly string[] =>
  events.flatMap(({ event, environments }) =>
    event === "leased" ? (environments as readonly string[]) : [],
  );

/** Processes that ended with an error. A killed one has no code. */
export const exitsOf = (...lives: TrainerLife[]): number =>
  lives.filter(({ code }) => code !== 0).length;
