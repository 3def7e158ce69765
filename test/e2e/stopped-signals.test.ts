/** An operator stops a signal and starts it again: the real Worker, requests of a visitor, and a trainer's steps. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgedRollout } from "@waggle/agent/environments";
import {
  type ControlState,
  derivedSeed,
  FULL_SUPPORT,
  type SessionResponse,
  type TrajectoriesResponse,
  type Trajectory,
  trajectoryDigest,
  type UploadResponse,
  type VersionReportResponse,
} from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { sessionOptions } from "../../trainer/src/edge-training/session-options.fixture.ts";
import { offerBaseModel, trainFromEdge } from "../../trainer/src/edge-training/training-session.ts";
import { createReporter } from "../../trainer/src/metrics/reporter.ts";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";
import { openPolicy } from "../../trainer/src/model/open-model.ts";
import { edgeRecipeNamed } from "../../trainer/src/recipes/edge-recipe.ts";
import { UNBOUNDED } from "../../trainer/src/update/sender-influence.ts";
import { DEMO, NANO_MODEL } from "../fixtures/demo.ts";

const recipe = edgeRecipeNamed("thumbs-reinforce", { groupsPerStep: 2 });
const VARIABLES = {
  FEEDBACK_WAIT_SECONDS: "1",
  FEEDBACK_FROM: "thumb",
  GROUP_DEADLINE_SECONDS: "1",
  GATE_MIN_TASKS: "8",
  GATE_MARGIN: "1",
  GATE_SIGNIFICANCE: "0",
  GATE_PROBE_TASKS: "0",
} as const;

test("a stopped thumb teaches nothing, and teaches once it is started again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-signals-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const installation = openInstallation(folder);
  await migrate(installation, DEMO);
  const port = await freePort();
  const server = await startEdge(installation, { port, site: DEMO, variables: VARIABLES });
  onTestFinished(() => server.stop());
  const baseUrl = `http://127.0.0.1:${port}`;

  async function ask<T>(method: string, path: string, token: string | null, body?: unknown) {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const operator = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(method, `/v1/operator/${path}`, installation.operatorCredential, body);

  const model = await readBaseModel(NANO_MODEL);
  const edge = createEdgeClient({ baseUrl, credential: installation.trainerCredential });
  await offerBaseModel(model, edge);
  const policy = await openPolicy(model, 1);
  const { environment } = DEMO;
  const session = await ask<SessionResponse>("POST", "/v1/sessions", null, {
    siteKey: installation.siteKey,
  });
  const parts = {
    policy,
    format: model.format,
    sampling: FULL_SUPPORT,
    environments: [environment],
  };
  for (const [i, kind] of (["thumb-up", "thumb-down"] as const).entries()) {
    const { signal } = new AbortController();
    const asked = environment.reference(i, "train", 0);
    const { record } = await judgedRollout(parts, asked, derivedSeed(5, i), signal);
    const at = new Date().toISOString();
    const consent = { version: "1", scopes: ["collect" as const, "train" as const], grantedAt: at };
    const trajectory: Trajectory = { ...record, task: null, assignmentId: null, consent };
    const digest = await trajectoryDigest(trajectory);
    await ask("POST", "/v1/consents", session.token, { consent });
    const { results } = await ask<UploadResponse>("POST", "/v1/trajectories", session.token, {
      trajectories: [{ digest, trajectory }],
    });
    expect(results).toEqual([{ digest, status: "accepted" }]);
    const feedback = { id: crypto.randomUUID(), trajectoryId: trajectory.id, kind, at };
    await ask("POST", "/v1/feedback", session.token, feedback);
  }
  await policy.dispose();

  const train = () =>
    trainFromEdge(
      model,
      edge,
      recipe,
      sessionOptions(join(folder, "trainer"), {
        environments: [environment],
        tasks: { start: 1_000_000, count: 8, seed: 1 },
        shares: UNBOUNDED,
        pollMs: 200,
        idleExitMs: 4000,
        partialStepMs: 2000,
        maxPublications: 1,
      }),
      createReporter(() => {}, true),
      new AbortController().signal,
    );
  const outcomes = async () => {
    const { rows } = await operator<TrajectoriesResponse>("GET", "trajectories");
    return rows.map(({ status, reason }) => [status, reason]);
  };

  const control = await operator<ControlState>("PUT", "stopped-signals/thumb", { reason: "paid" });
  expect(control.signals).toContainEqual({
    signal: "thumb",
    stopped: { by: "operator", reason: "paid", at: expect.any(String) as string },
  });
  expect((await train()).state.step).toBe(0);
  expect(await outcomes()).toEqual(Array(2).fill(["skipped", "signal-stopped"]));

  await operator("DELETE", "stopped-signals/thumb");
  const { state, twice } = await train();
  expect([state.step, twice]).toEqual([1, 0]);
  expect(await outcomes()).toEqual(Array(2).fill(["learned", null]));
  const found = await operator<VersionReportResponse>("GET", "policies/1/report");
  expect(found.visitors).toBe(1);
  expect(found.report.learnedFrom).toMatchObject({
    recipe: "thumbs-reinforce",
    steps: 1,
    trajectories: 2,
    signals: [{ signal: "thumb", trajectories: 2 }],
    consents: [{ version: "1", trajectories: 2 }],
  });
  expect(found.report.answers?.comparedWith).toBe(0);
  expect(found.report.answers?.pairs).toHaveLength(8);
}, 600_000);
