/** The outbox of a page, its uploader and the work on assigned tasks: everything that only pages with consent need. */
import {
  createConsentReceipts,
  createOutbox,
  createUploader,
  rotatePseudonym,
} from "@waggle/collector";
import type { ConsentReceipts, Outbox, Uploader } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { AssignmentResponse, CollectionLevel } from "@waggle/protocol";
import { requireSitePolicy } from "./agent-host.ts";
import type { AgentHost } from "./agent-host.ts";
import type { AgentOptions } from "./agent-options.ts";
import { rewardsOutbox } from "./rewards/rewards-outbox.ts";
import { createSimulation } from "./simulation.ts";
import { statisticsOutbox } from "./visitor-data/statistics-outbox.ts";
import type { Simulation, SimulationParts } from "./simulation.ts";
import { rollOutTask } from "./task-roll-out.ts";
import type { TaskRollOut } from "./task-roll-out.ts";
import type { Visitor } from "./visitor.ts";

/** Where the trajectories of assigned tasks come from and go to. */
export type CollectingParts = Pick<Visitor, "session" | "consent" | "storage"> &
  Pick<SimulationParts, "enqueue"> & {
    readonly options: TaskRollOut["options"] & Pick<AgentOptions, "consent" | "publisher">;
    /** @param version - the version whose perturbations the page asks for; absent: any task. */
    readonly assign: (signal: AbortSignal, version?: number) => Promise<AssignmentResponse>;
    readonly use: <T>(run: (host: AgentHost) => Promise<T>) => Promise<T>;
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
  const { session, consent, storage, enqueue, options, start } = parts;
  const outbox = outboxOf(await createOutbox({ name }), options.consent?.collect);
  let collected: Collected | null = null;
  const changed = (): void => {
    if (collected !== null) parts.onChange(collected);
  };
  const receipts = createConsentReceipts({ session, consent, storage, onReceipt: changed });
  const rewards = options.consent?.collect === "rewards" ? await rewardParts(parts, receipts) : {};
  // oxlint-disable-next-line no-console -- only the page's developer reads it
  const log = (message: string): void => console.warn(message);
  const uploader = createUploader({ outbox, session, consent, receipts, log });
  const simulation = createSimulation({
    outbox,
    assign: (signal) => parts.assign(signal),
    ...rewards,
    enqueue,
    rollOut: (environment, assignment, signal) =>
      parts.use((host) =>
        rollOutTask(requireSitePolicy(host), {
          environment,
          assignment,
          signal,
          options,
          ...start(),
        }),
      ),
    onChange: changed,
  });
  const days = options.consent?.pseudonymDays;
  if (days !== undefined) {
    await rotatePseudonym({ session, consent, receipts, outbox }, days, Date.now());
  }
  const stopListening = outbox.onChange(changed);
  collected = {
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

function outboxOf(full: Outbox, level: CollectionLevel = "full"): Outbox {
  switch (level) {
    case "full":
      return full;
    case "statistics":
      return statisticsOutbox(full);
    case "rewards":
      return rewardsOutbox(full);
  }
}

/** How a page that sends rewards only gets its tasks, and what it sends. */
async function rewardParts(
  parts: CollectingParts,
  receipts: ConsentReceipts,
): Promise<Pick<SimulationParts, "assign" | "sendReward">> {
  const { session, consent, storage, options, assign, use, start } = parts;
  const { PerturbedAdapters, sendReward, taskReward } = await import("./rewards/task-reward.ts");
  const adapters = new PerturbedAdapters({ session, storage, publisher: options.publisher });
  const prove = async (): Promise<void> => {
    const agreed = consent.get();
    if (agreed !== null) await receipts.request([agreed]);
  };
  return {
    assign: async (signal) => {
      await prove();
      const version = await use(async (host) => requireSitePolicy(host).policy.currentVersion);
      return assign(signal, version).catch((error: unknown) => {
        // An edge that was restored from a backup may have lost receipts. The next request asks for new ones first.
        if (WaggleError.is(error, "CONSENT_UNPROVEN")) receipts.renew();
        throw error;
      });
    },
    sendReward: async (environment, assignment, signal) => {
      const task = { environment, assignment, signal, options, adapters, ...start() };
      const reward = await use((host) => taskReward(host, task));
      if (reward === null) return false;
      const body = { assignmentId: assignment.assignmentId, reward };
      await sendReward(session, body, async () => {
        if (receipts.renew()) await prove();
      });
      return true;
    },
  };
}
