import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SiteToTrain, WaggleError } from "@waggle/protocol";
import { SHOP } from "@waggle/demo/environment";
import { expect, onTestFinished, test } from "vitest";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { createReporter } from "../metrics/reporter.ts";
import { readBaseModel } from "../model/base-model.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { playedGroups } from "../source/leased-groups.fixture.ts";
import { sessionOptions } from "./session-options.fixture.ts";
import { type AllSites, trainAllSites } from "./train-all-sites.ts";

const MODEL = join(import.meta.dirname, "../../../packages/model/nano");

type Event = { event: string; site?: string; because?: string; code?: string };

/** What `trainAllSites` needs, with a list that a test changes. */
async function parts(edges: { readonly [site: string]: FakeEdge }) {
  const folder = await mkdtemp(join(tmpdir(), "waggle-all-sites-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const events: Event[] = [];
  const reporterOf = (site?: string) =>
    createReporter((line) => void events.push(JSON.parse(line) as Event), true, site);
  const happened = (event: string) =>
    events.filter((one) => one.event === event).map(({ site }) => site);
  const all: Omit<AllSites, "list"> = {
    trainingOf: (site) => ({
      edge: (edges[site] as FakeEdge).client(),
      options: sessionOptions(join(folder, site), { publishEvery: 100, idleExitMs: 300 }),
      report: reporterOf(site),
    }),
    reporterOf,
    report: reporterOf(),
    environments: [SHOP],
    listMs: 20,
  };
  return { all, events, happened };
}

const model = await readBaseModel(MODEL);
const recipe = edgeRecipeNamed("dr-grpo-tis", { groupsPerStep: 1 });
const { sha256 } = model.reference;
const site = (id: string, changes: Partial<SiteToTrain> = {}): SiteToTrain => ({
  id,
  environment: "shop",
  baseModel: sha256,
  ...changes,
});

test("every site that it can train is trained, a site that is added later too, and the others are skipped", async () => {
  const groups = await playedGroups(model, recipe, 2);
  const edges = {
    first: new FakeEdge(groups.slice(0, 1), sha256),
    later: new FakeEdge(groups.slice(1), sha256),
  };
  const { all, events, happened } = await parts(edges);
  const others = [
    site("forms", { environment: "forms-of-others" }),
    site("idle", { environment: null }),
    site("large", { baseModel: "f".repeat(64) }),
  ];
  let reads = 0;
  const list = async () => {
    reads += 1;
    if (reads === 2) throw new WaggleError("NETWORK", "no answer", { retryable: true });
    const added = happened("started").length > 0 ? [site("later", { baseModel: null })] : [];
    return [site("first"), ...others, ...added];
  };
  await trainAllSites(model, recipe, { ...all, list }, new AbortController().signal);

  expect(happened("started")).toEqual(["first", "later"]);
  expect(new Set(happened("stopped"))).toEqual(new Set(["first", "later"]));
  const members = groups[0]?.trajectories.length;
  expect([edges.first.acknowledged.size, edges.later.acknowledged.size]).toEqual([
    members,
    members,
  ]);
  const skipped = events.filter(({ event }) => event === "skipped");
  expect(skipped.map(({ site: id, because }) => [id, because])).toEqual([
    [
      "forms",
      "the site's tasks are of the environment forms-of-others, which this trainer does not have; name it with --env",
    ],
    ["idle", "the site assigns no tasks; set its taskEnvironment"],
    [
      "large",
      `the site has the base model ffffffff, and this trainer ${sha256.slice(0, 8)}; start a trainer with --site and --model for it`,
    ],
  ]);
  expect(events.filter(({ event }) => event === "failure")).toMatchObject([{ code: "NETWORK" }]);
});

test("a site that is disabled is stopped, and one that fails is tried again", async () => {
  const edges = { closing: new FakeEdge([], sha256), failing: new FakeEdge([], sha256) };
  const { all, happened } = await parts(edges);
  let failures = 0;
  const trainingOf: AllSites["trainingOf"] = (id) => {
    const training = all.trainingOf(id);
    const options = { ...training.options, idleExitMs: Infinity };
    if (id === "closing") return { ...training, options };
    const setBaseModel = async (): Promise<void> => {
      failures += 1;
      throw new Error("out of order");
    };
    return { ...training, options, edge: { ...training.edge, setBaseModel } };
  };
  const stop = new AbortController();
  const list = async () => {
    if (happened("removed").length > 0 && failures > 1) stop.abort();
    return happened("started").length > 0 ? [site("failing")] : [site("closing"), site("failing")];
  };
  await trainAllSites(model, recipe, { ...all, trainingOf, list, retryMs: 0 }, stop.signal);
  expect(happened("removed")).toEqual(["closing"]);
  expect(happened("stopped")).toEqual(["closing"]);
  expect(happened("failure").filter((id) => id === "failing").length).toBeGreaterThan(1);
});

test("a skipped site that left the list is reported again when it returns", async () => {
  const { all, happened } = await parts({});
  const stop = new AbortController();
  const idle = site("idle", { environment: null });
  const lists = [[idle], [idle], [], [idle]];
  const list = async () => {
    const listed = lists.shift();
    if (listed === undefined) stop.abort();
    return listed ?? [];
  };
  await trainAllSites(model, recipe, { ...all, list }, stop.signal);
  expect(happened("skipped")).toEqual(["idle", "idle"]);
});

test("a list that the edge refuses ends the trainer", async () => {
  const { all } = await parts({});
  const list = () => Promise.reject(new WaggleError("FORBIDDEN", "this credential opens one site"));
  const ended = trainAllSites(model, recipe, { ...all, list }, new AbortController().signal);
  await expect(ended).rejects.toMatchObject({ code: "FORBIDDEN" });
});
