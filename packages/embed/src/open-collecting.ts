/** The outbox of a page, its uploader and the work on assigned tasks: everything that only pages with consent need. */
import {
  createConsentReceipts,
  createOutbox,
  createUploader,
  rotatePseudonym,
} from "@waggle/collector";
import type { ConsentReceipts, Outbox, Uploader } from "@waggle/collector";
import type { AgentHost } from "./agent-host.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createSimulation } from "./simulation.ts";
import { statisticsOutbox } from "./visitor-data/statistics-outbox.ts";
import type { Simulation, SimulationParts } from "./simulation.ts";
import { rollOutTask } from "./task-roll-out.ts";
import type { TaskRollOut } from "./task-roll-out.ts";
import type { Visitor } from "./visitor.ts";

/** Where the trajectories of assigned tasks come from and go to. */
export type CollectingParts = Pick<Visitor, "session" | "consent" | "storage"> &
  Pick<SimulationParts, "assign" | "enqueue"> & {
    readonly options: TaskRollOut["options"] & Pick<AgentOptions, "consent">;
    readonly use: (
      run: (host: AgentHost) => ReturnType<typeof rollOutTask>,
    ) => ReturnType<typeof rollOutTask>;
    /** What a rollout needs from the visitor at the time it starts. */
    readonly start: () => Pick<TaskRollOut, "consent" | "seed">;
    /** Called after each change of the outbox and of the simulation. */
    readonly onChange: (collected: Collected) => void;
  };

/** The open outbox, its uploader and the simulation. */
export type Collected = {
  readonly outbox: Outbox;
  readonly uploader: Uploader;
  readonly receipts: ConsentReceipts;
  readonly simulation: Simulation;
  /** Stops the simulation and the uploader, then closes the outbox. */
  readonly close: () => void;
};

/** Opens the outbox with this name. Nothing is sent until the uploader is started. */
export async function openCollecting(name: string, parts: CollectingParts): Promise<Collected> {
  const { session, consent, storage, assign, enqueue, options, start } = parts;
  const full = await createOutbox({ name });
  const outbox = options.consent?.collect === "statistics" ? statisticsOutbox(full) : full;
  const changed = (): void => parts.onChange(collected);
  const receipts = createConsentReceipts({ session, consent, storage, onReceipt: changed });
  const uploader = createUploader({ outbox, session, consent, receipts });
  const simulation = createSimulation({
    outbox,
    assign,
    enqueue,
    rollOut: (environment, assignment, signal) =>
      parts.use((host) =>
        rollOutTask(host, { environment, assignment, signal, options, ...start() }),
      ),
    onChange: changed,
  });
  const days = options.consent?.pseudonymDays;
  if (days !== undefined) {
    await rotatePseudonym({ session, consent, receipts, outbox }, days, Date.now());
  }
  const stopListening = outbox.onChange(changed);
  const collected: Collected = {
    outbox,
    uploader,
    receipts,
    simulation,
    close: () => {
      stopListening();
      receipts.close();
      simulation.dispose();
      void uploader.stop().then(() => outbox.close());
    },
  };
  return collected;
}
