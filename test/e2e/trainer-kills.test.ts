/**
 * The trainer as a process with a real edge: killed right after each durable boundary, beside another trainer and text
 * publications, with an operator who rolls back, and with a state folder that was restored or lost.
 */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FULL_SUPPORT, writeGuidance } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, expect } from "vitest";
import { trainerMetrics } from "../../packages/dev/src/loop/loop.ts";
import { OperatorClient } from "../../packages/dev/src/loop/operator.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { NANO_MODEL, DEMO } from "../fixtures/demo.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { type Installation, openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";
import { createEdgeClient, type EdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { offerBaseModel } from "../../trainer/src/edge-training/training-session.ts";
import { openPolicy } from "../../trainer/src/model/open-model.ts";
import { publishText } from "../../trainer/src/commands/publish-text.ts";
import { fault } from "../fixtures/fault.ts";
import { isLong } from "../fixtures/long.ts";
import { finishGroups } from "./node-visitors.fixture.ts";
import {
  exitsOf,
  liveTrainer,
  SMALL_GROUPS,
  type TrainerLife,
  type TrainerLifeOptions,
  twiceIn,
} from "./trainer-life.fixture.ts";

const MEMBERS = Number(SMALL_GROUPS.GROUP_SIZE);
const folder = join(ROOT, ".waggle", "test-trainer-kills");
const state = join(folder, "trainer");
const backup = join(folder, "backup");
let installation: Installation;
let edgeUrl: string;
let edge: ManagedProcess;
let operator: OperatorClient;
let client: EdgeClient;
let policy: AdaptivePolicy;
let play: (groups: number) => Promise<void>;
let accepted = 0;
/** The last step of any trainer so far. */
let newestStep = 0;

/** Runs a trainer process of this installation once. */
function live(
  boundary: string,
  options: Partial<Pick<TrainerLifeOptions, "state" | "idleSeconds" | "onEvent">> = {},
): Promise<TrainerLife> {
  const { trainerCredential: credential } = installation;
  return liveTrainer(boundary, { edgeUrl, credential, state, ...options });
}

/** Rows that are missing, and rows that were learned more than once. */
async function counts(): Promise<{ lost: number; learned: number; waiting: number }> {
  const { received, learned, leased, waiting } = (await operator.summary()).trajectories;
  return { lost: accepted - received, learned, waiting: waiting + leased };
}

/** Learning steps by number with their trajectories, as these processes reported them. */
function stepsOf(...lives: TrainerLife[]): { step: number; trajectories: number }[] {
  const steps = lives.flatMap(({ events }) => events.filter(({ event }) => event === "step"));
  return steps.map(({ step, metrics }) => ({
    step: Number(step),
    trajectories: Number((metrics as { trajectories?: number }).trajectories ?? 0),
  }));
}

const trained = (...lives: TrainerLife[]): number =>
  stepsOf(...lives).reduce((sum, { trajectories }) => sum + trajectories, 0);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function rollBack(version: number): Promise<void> {
  await fetch(`${edgeUrl}/v1/operator/policies/${version}/roll-back`, {
    method: "POST",
    headers: { authorization: `Bearer ${installation.operatorCredential}` },
  });
}

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  installation = openInstallation(folder);
  const port = await freePort();
  edgeUrl = `http://localhost:${port}`;
  await migrate(installation, DEMO);
  edge = await startEdge(installation, {
    site: DEMO,
    port,
    variables: SMALL_GROUPS,
  });
  const credential = installation.trainerCredential;
  operator = new OperatorClient(edgeUrl, installation.operatorCredential);
  client = createEdgeClient({ baseUrl: edgeUrl, credential });
  const model = await readBaseModel(NANO_MODEL);
  policy = await openPolicy(model, 1);
  await offerBaseModel(model, client);
  const environments = [DEMO.environment];
  const parts = { policy, format: model.format, sampling: FULL_SUPPORT, environments };
  const { siteKey } = installation;
  play = async (groups) => {
    const options = { edgeUrl, siteKey, parts, seed: accepted };
    accepted += (await finishGroups(options, groups, MEMBERS)).length;
  };
  await play(6);
}, 180_000);

afterAll(async () => {
  await edge?.stop();
  await policy?.dispose();
});

const BOUNDARIES = isLong()
  ? ["lease", "commit", "acknowledge", "put", "publish", "promote"]
  : ["publish"];

for (const boundary of BOUNDARIES) {
  fault(
    `the trainer is killed after ${boundary}`,
    {
      item: "2.1",
      before: "killed after publish: 1 version that had not passed stayed on the canary channel",
    },
    async () => {
      const life = await live(boundary);
      expect(life).toMatchObject({ signal: "SIGKILL" });
      if (boundary === "commit") cpSync(state, backup, { recursive: true });
      const { lost, learned, waiting } = await counts();
      const { policies } = await operator.policies();
      const unproven = policies.filter(
        ({ status, evaluation }) => status === "canary" && evaluation === null,
      );
      expect(unproven).toEqual([]);
      return { after: `${learned} learned, ${waiting} waiting, 0 unproven served`, lost };
    },
  );
}

fault(
  "after all kills the next process learns the rest once and promotes what passed",
  { item: "2.1", before: "the window between publish and decide was not tested" },
  async () => {
    const life = await live("none");
    const { lost, learned, waiting } = await counts();
    const { stable, policies } = await operator.policies();
    expect(waiting).toBe(0);
    expect(learned).toBeGreaterThan(4);
    expect(stable).toBeGreaterThan(0);
    const steps = trainerMetrics(folder);
    newestStep = Math.max(...steps.map(({ step }) => step));
    const sum = steps.reduce((total, { metrics }) => total + (metrics["trajectories"] ?? 0), 0);
    const twice = twiceIn(life) + sum - learned;
    const after = `${BOUNDARIES.length} kills: ${learned} of ${accepted} learned, ${policies.length - 1} versions`;
    return { after, lost, twice, trainerExits: exitsOf(life) };
  },
);

fault(
  "the operator rolls back a version that a running trainer promoted, beside text and a second trainer",
  {
    isSlow: true,
    item: "2.3",
    before:
      "1 child of the rolled-back version became stable; 1 of 2 trainers exited with CONFLICT",
  },
  async () => {
    await play(4);
    const guidance = { formatVersion: 1, prompt: "Be brief.", lessons: [], cases: null } as const;
    const rolledBack: number[] = [];
    const changes: Promise<unknown>[] = [];
    const first = live("none", {
      onEvent: ({ event, version, isPromoted }) => {
        if (event === "evaluated") {
          changes.push(publishText(writeGuidance(guidance), client, { withoutEvaluation: true }));
        }
        if (event === "published" && isPromoted === true && rolledBack.length === 0) {
          rolledBack.push(version as number);
          changes.push(rollBack(version as number).then(() => play(2)));
        }
      },
    });
    await sleep(1500);
    const second = live("none", { state: join(folder, "second") });
    const lives = await Promise.all([first, second]);
    await Promise.all(changes);
    const last = await live("none", { idleSeconds: 3 });
    newestStep = Math.max(newestStep, ...stepsOf(...lives, last).map(({ step }) => step));
    const { policies } = await operator.policies();
    const descendants = policies.filter(
      ({ parent, status }) =>
        rolledBack.includes(parent ?? -1) && (status === "stable" || status === "canary"),
    );
    expect(descendants).toEqual([]);
    expect(lives[0]?.events.some(({ event }) => event === "stable-changed")).toBe(true);
    const { lost, waiting } = await counts();
    expect(waiting).toBe(0);
    const twice = [...lives, last].reduce((sum, life) => sum + twiceIn(life), 0);
    const texts = policies.filter((each) => each.guidance !== undefined).length;
    const after = `2 trainers and ${texts} texts on one edge: both went on, 0 descendants served`;
    return { after, lost, twice, trainerExits: exitsOf(...lives, last) };
  },
);

fault(
  "a state folder restored from an older copy continues from the edge",
  {
    isSlow: true,
    item: "2.6",
    before: "it trained on from the old parameters and used step numbers again",
  },
  async () => {
    const earlier = await counts();
    await play(2);
    rmSync(state, { recursive: true });
    cpSync(backup, state, { recursive: true });
    const life = await live("none", { idleSeconds: 3 });
    expect(life.events.some(({ event }) => event === "state-behind")).toBe(true);
    const { lost, learned, waiting } = await counts();
    expect(waiting).toBe(0);
    const numbers = stepsOf(life).map(({ step }) => step);
    expect(numbers.every((step) => step > newestStep)).toBe(true);
    const afterStep = newestStep;
    newestStep = Math.max(newestStep, ...numbers);
    const twice = twiceIn(life) + trained(life) - (learned - earlier.learned);
    const after = `recognized; ${numbers.length} steps, all after step ${afterStep}`;
    return { after, lost, twice, trainerExits: exitsOf(life) };
  },
);

fault(
  "a lost state folder continues from the edge",
  {
    isSlow: true,
    item: "2.6",
    before: "step numbers after the last publication were used again",
  },
  async () => {
    const earlier = await counts();
    await play(2);
    rmSync(state, { recursive: true });
    const life = await live("none", { idleSeconds: 3 });
    const { lost, learned, waiting } = await counts();
    expect(waiting).toBe(0);
    const numbers = stepsOf(life).map(({ step }) => step);
    expect(numbers.every((step) => step > newestStep)).toBe(true);
    const twice = twiceIn(life) + trained(life) - (learned - earlier.learned);
    const after = `went on: ${numbers.length} steps, all after step ${newestStep}`;
    return { after, lost, twice, trainerExits: exitsOf(life) };
  },
);
