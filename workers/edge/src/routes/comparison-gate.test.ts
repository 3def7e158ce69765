/** Publishing on a site without an environment: nothing is practiced, so no tasks are counted. */
import { runInDurableObject } from "cloudflare:test";
import type {
  EvaluationResult,
  PoliciesResponse,
  ReleasesResponse,
  SiteSettings,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { coordinatorOf } from "../coordinator.ts";
import { forgetSites } from "../sites/site-directory.ts";
import { asOperator, ask, bindings, call, freshEdge, upload } from "../testing/edge.ts";
import { liveRequest, QUICK, servedVersion, thumb } from "../testing/releases.ts";
import { makeSite, openSite, putText, registerBase, type TestSite } from "../testing/sites.ts";

let site: TestSite;
let baseModel = "";

beforeEach(async () => {
  await freshEdge();
  site = await makeSite("desk", { taskEnvironment: undefined });
  baseModel = await registerBase(site);
});

const COMPARED = { requests: 100, judged: 90, better: 30, worse: 10, prompt: "request-trials-1" };
const NO_TASKS = { tasks: 0, successes: 0, comparedWith: 0 };

const policies = () => ask<PoliciesResponse>("GET", "/v1/trainer/policies", site.trainer);
/** Publishes a new adapter with this evaluation to the canary channel. */
async function publish(evaluation: EvaluationResult) {
  const { epoch, stable: parent } = await policies();
  const adapter = { ...(await putText(site, crypto.randomUUID())), rank: 4, alpha: 8 };
  const publicationId = crypto.randomUUID();
  const body = { publicationId, epoch, parent, baseModel, adapter, evaluation, step: 1 };
  return call("POST", "/v1/trainer/policies", {
    ...site.trainer,
    body: { ...body, status: "canary" },
  });
}
const promote = (version: number) =>
  call("POST", `/v1/trainer/policies/${version}/promote`, site.trainer);
const refused = (message: RegExp) => ({
  status: 409,
  body: { error: { code: "GATE_NOT_PASSED", message: expect.stringMatching(message) } },
});
async function set(settings: { readonly [name in keyof SiteSettings]: unknown }): Promise<void> {
  await ask("PUT", `/v1/operator/sites/${site.id}`, { ...asOperator, body: { settings } });
  forgetSites();
}

test("answers that a judge finds better pass, and the edge decides from the counts", async () => {
  expect((await policies()).gate).toMatchObject({ hasEnvironment: false, hasRelease: false });
  const worse = { ...COMPARED, better: 10, worse: 30 };
  expect(await publish({ ...NO_TASKS, comparison: worse })).toMatchObject(
    refused(/better at 10 and worse at 30 of 90 requests/),
  );
  expect(await publish({ ...NO_TASKS, comparison: { ...COMPARED, judged: 63 } })).toMatchObject(
    refused(/63 requests were compared; the gate needs at least 64/),
  );
  const compared = { ...NO_TASKS, comparison: COMPARED };
  expect(await publish(compared)).toMatchObject({ body: { version: 1, status: "canary" } });
  expect(await promote(1)).toMatchObject({ status: 200, body: { status: "stable" } });
  // It was compared with a version that is no longer stable.
  expect(await publish(compared)).toMatchObject({ body: { error: { code: "PUBLICATION_STALE" } } });
});

test("the word of a trainer alone does not pass", async () => {
  const said = { ...NO_TASKS, tasks: 100, successes: 100 };
  for (const evaluation of [NO_TASKS, said]) {
    expect(await publish(evaluation)).toMatchObject(
      refused(/no judge compared its answers with the stable version's, and no release/),
    );
  }
});

test("a site with an environment passes neither with a comparison nor with a release alone", async () => {
  const compared = { ...NO_TASKS, comparison: COMPARED };
  await set({ taskEnvironment: "tasks", gateRelease: QUICK });
  expect((await policies()).gate).toMatchObject({ hasEnvironment: true, hasRelease: true });
  for (const evaluation of [NO_TASKS, compared]) {
    expect(await publish(evaluation)).toMatchObject(refused(/not paired with the stable version/));
  }
  await set({ taskEnvironment: null, gateRelease: null });
  expect(await publish(compared)).toMatchObject({ status: 200 });
  // It passed before the site had one.
  await set({ taskEnvironment: "tasks" });
  expect(await promote(1)).toMatchObject(refused(/not paired with the stable version/));
});

test("what else the gate asks for is asked on such a site too", async () => {
  await set({ gateRetentionTasks: 40 });
  expect(await publish({ ...NO_TASKS, comparison: COMPARED })).toMatchObject(
    refused(/needs 40 retention tasks/),
  );
});

test(
  "without a judge, visitors of a release decide, and nobody else",
  { timeout: 240_000 },
  async () => {
    await set({ gateRelease: QUICK });
    const worse = { ...NO_TASKS, comparison: { ...COMPARED, better: 0, worse: 60 } };
    expect(await publish(worse)).toMatchObject(refused(/worse at 60/));
    expect(await publish(NO_TASKS)).toMatchObject({ body: { version: 1, status: "canary" } });
    expect(await promote(1)).toMatchObject({ body: { error: { code: "RELEASE_RUNNING" } } });
    const path = "/v1/operator/policies/1/promote";
    expect(await call("POST", path, { ...site.operator, body: {} })).toMatchObject(
      refused(/no judge compared/),
    );
    const coordinator = coordinatorOf(bindings, site.id);
    const release = async () =>
      (await ask<ReleasesResponse>("GET", "/v1/operator/releases", site.operator)).releases[0];
    for (let visitors = 0; visitors < 160; visitors += 1) {
      const { token } = await openSite(site);
      const version = await servedVersion(token);
      const request = await liveRequest(baseModel, version);
      await upload(token, request);
      await thumb(token, request.trajectory.id, version === 1);
      if (visitors % 10 < 9) continue;
      await runInDurableObject(coordinator, (object) => object.advanceRelease(Date.now()));
      if ((await release())?.state !== "running") break;
    }
    expect(await release()).toMatchObject({ version: 1, state: "promoted" });
    expect(await policies()).toMatchObject({ stable: 1 });
  },
);
