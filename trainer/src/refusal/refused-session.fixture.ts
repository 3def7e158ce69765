/**
 * Trains from requests in a file, at an edge in memory, as a program: `refused-session <model> <requests> <state>`.
 * Prints how many were learned. Tests only; a test starts it where environments are refused.
 */
import { readFileSync } from "node:fs";
import { constantRate } from "@waggle/learning";
import type { LeasedGroup } from "@waggle/protocol";
import { FakeEdge } from "../edge/fake-edge.fixture.ts";
import { trainFromEdge } from "../edge-training/training-session.ts";
import { createReporter } from "../metrics/reporter.ts";
import { readBaseModel } from "../model/base-model.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";

const [folder = "", file = "", state = ""] = process.argv.slice(2);
const model = await readBaseModel(folder);
const groups = JSON.parse(readFileSync(file, "utf8")) as LeasedGroup[];
const edge = new FakeEdge(groups, model.reference.sha256);
edge.control = {
  ...edge.control,
  environment: "",
  feedbackWaitSeconds: 60,
  feedbackFrom: ["thumb"],
};
edge.gate = { ...edge.gate, hasEnvironment: false, hasRelease: true };
edge.firstShare = 0.1;
for (const { sha256 } of model.reference.files) {
  edge.objects.set(sha256, new Uint8Array());
  edge.compressed.add(sha256);
}
const recipe = edgeRecipeNamed("thumbs-reinforce", {
  groupsPerStep: 8,
  learningRate: constantRate(0.006),
});
const report = createReporter(() => undefined, true);
await trainFromEdge(
  model,
  edge.client(),
  recipe,
  {
    stateFolder: state,
    environments: [],
    isResuming: true,
    device: "cpu",
    threads: 1,
    rank: 4,
    alpha: 8,
    seed: 1,
    tasks: { start: 1_000_000, count: 4, seed: 1 },
    promotionMargin: 1,
    watch: { success: 1, readable: 1, falseAlarm: 0.001, drift: 10 },
    leaseSeconds: 60,
    pollMs: 1,
    partialStepMs: 30_000,
    publishEvery: 2,
    microbatchTokens: 4096,
    shuffleAdvantages: false,
    shares: { visitor: 0.1, network: 0.1, siteKey: 1 },
    maxSteps: 2,
    maxPublications: Infinity,
    idleExitMs: 500,
  },
  {
    ...report,
    note(event, details) {
      report.note(event, details);
      if (event === "releasing") edge.endRelease("stable");
    },
  },
  new AbortController().signal,
);
const outcomes = [...edge.acknowledged.values()].map(([outcome]) => outcome?.status);
const learned = outcomes.filter((status) => status === "learned").length;
process.stdout.write(`${JSON.stringify({ learned, stable: edge.stable })}\n`);
