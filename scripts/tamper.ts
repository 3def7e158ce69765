/**
 * `npm run test:tamper`: attacks the edge over HTTP, pages with manifests and the trainer's check with records, and counts
 * the honest records that the check rejects. The exit code is 1 if an attack is neither rejected nor neutralized, or if too
 * many honest records are rejected.
 */
import { join } from "node:path";
import type { Trajectory } from "@waggle/protocol";
import { type AdaptivePolicy, createNodePolicy } from "@waggle/runtime/node";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { openBaseModel } from "../trainer/src/model/base-model.ts";
import { openPolicy } from "../trainer/src/model/open-model.ts";
import { positive } from "../trainer/src/options/option-values.ts";
import { ROOT } from "./root.ts";
import { AttackedEdge } from "./testing/edge/attacked-edge.ts";
import { attackLine, type AttackResult } from "./testing/tamper/attack.ts";
import { runEdgeAttacks } from "./testing/tamper/edge-attacks.ts";
import { runManifestAttacks } from "./testing/tamper/manifest-attacks.ts";
import { Judge } from "./testing/tamper/measure.ts";
import {
  honestTokens,
  runForgeries,
  runOtherRecordAttacks,
  selectionResult,
} from "./testing/tamper/record-attacks.ts";
import {
  assignments,
  type Attempt,
  forgeableRecords,
  honest,
  selections,
  strangeAdapter,
} from "./testing/tamper/visitors.ts";

/** Largest share of honest records that may be rejected. */
const MOST_HONEST_REJECTED = 0.005;
/** Records of each forgery. */
const FORGED_RECORDS = 20;
/** The newest version answers quite differently. */
const NEWEST_SCALE = 3;
const COST_ROUNDS = 5;
const PROGRESS_MS = 15_000;

const program = createCommand("npm run test:tamper --")
  .description("attack the edge and the trainer's check, and count rejected honest records")
  .option("--records <n>", "honest records of each number format", positive, 450)
  .option("--attempts <n>", "records of each attack by selection", positive, 20)
  .option("--per-lease <n>", "of these, the records that the trainer gets together", positive, 10)
  .option("--json", "print JSON: one line for each attack, and the last line")
  .parse();
const options = program.opts<{
  records: number;
  attempts: number;
  perLease: number;
  json?: boolean;
}>();
const say = (line: string): void => {
  if (options.json !== true) console.log(line);
};

const results: AttackResult[] = [];
function show(on: "edge" | "page" | "trainer", result: AttackResult): void {
  results.push(result);
  if (options.json === true) console.log(JSON.stringify({ on, ...result }));
  else console.log(attackLine(result));
}

const model = await openBaseModel(join(ROOT, "packages/model/nano"));
let saidAt = Date.now();
async function recordsOf(name: string, attempt: Attempt, count: number): Promise<Trajectory[]> {
  const records: Trajectory[] = [];
  for (const one of assignments(count)) {
    records.push(await attempt(one));
    if (Date.now() - saidAt < PROGRESS_MS) continue;
    saidAt = Date.now();
    console.error(`${name}: ${records.length} of ${count} records`);
  }
  return records;
}
const tokenizerFiles = new Map(model.files.map(({ path, bytes }) => [path, bytes]));
const pageWith = (dtype: "f32" | "int8" | "int4"): Promise<AdaptivePolicy> =>
  createNodePolicy({
    config: model.config,
    weights: model.weights,
    baseModel: model.reference.sha256,
    dtype,
    kernels: "wasm",
    tokenizerFiles,
  });

say("attacks over HTTP:");
const edge = await AttackedEdge.start();
try {
  await runEdgeAttacks(edge, (result) => show("edge", result));
} finally {
  await edge.stop();
}

say("manifests that an edge serves to a page:");
for (const result of await runManifestAttacks()) show("page", result);

const policy = await openPolicy(model, 1);
const page = await pageWith("f32");
const int4 = await pageWith("int4");
const newest = strangeAdapter(model, NEWEST_SCALE);
const sampled = await forgeableRecords(honest(model, page), FORGED_RECORDS);
const judged = { honest: sampled, judge: new Judge(model, policy, { newest }) };
say(`forged records, ${sampled.length} of each attack:`);
for (const result of await runForgeries(judged)) show("trainer", result);
const strict = new Judge(model, policy, { newest, maxStaleness: 0 });
for (const result of await runOtherRecordAttacks(judged, strict)) show("trainer", result);
// The judge leaves the version that it checked last.
await policy.setAdapter(0, null);
say(`attacks by selection, ${options.attempts} records each:`);
const judge = new Judge(model, policy);
const tokens = honestTokens(await recordsOf("honest", honest(model, page), options.attempts));
for (const selection of selections(model, policy, int4)) {
  const records = await recordsOf(selection.name, selection.rollout, options.attempts);
  show(
    "trainer",
    selectionResult(selection, await judge.visitor(records, options.perLease), tokens),
  );
}
const cost = await judge.cost(sampled, COST_ROUNDS);
say(`drawing again adds ${(100 * (cost - 1)).toFixed(1)} % to the CPU time of re-scoring`);
await Promise.all([policy, page, int4].map((one) => one.dispose()));

let honestRecords = 0;
let honestRejected = 0;
say("honest records of WASM pages:");
for (const format of ["f32", "int8", "int4"] as const) {
  const visitor = await pageWith(format);
  const stored = { ...model, storedFormat: format === "f32" ? null : format };
  const own = await openPolicy(stored, 1);
  const records = await recordsOf(format, honest(model, visitor), options.records);
  const judgeOfFormat = new Judge(stored, own);
  const gaps = await judgeOfFormat.gaps(records);
  const outcomes = await judgeOfFormat.outcomes(records);
  const { counts, logProbGapMax, logProbGapMean } = outcomes;
  honestRecords += records.length;
  honestRejected += records.length - (counts.get("learned") ?? 0);
  say(`  ${format.padEnd(6)} ${[...counts].map(([reason, n]) => `${reason} ${n}`).join(", ")}`);
  say(
    `    ${gaps.length} tokens, ${gaps.filter((gap) => gap > 0).length} not selected exactly; ` +
      `largest gap ${nats(Math.max(...gaps))}; log-prob gap at most ${nats(logProbGapMax)} ` +
      `for a token, ${nats(logProbGapMean)} on average in a record`,
  );
  await visitor.dispose();
  await own.dispose();
}

const failed = results.filter(({ result }) => result === "failed").length;
const honestRejectedShare = honestRejected / honestRecords;
console.log(
  JSON.stringify({
    attacks: results.length,
    failed,
    honest: honestRecords,
    honestRejectedShare,
    cost,
  }),
);
process.exitCode = failed > 0 || honestRejectedShare > MOST_HONEST_REJECTED ? 1 : 0;

function nats(value: number): string {
  return `${value.toPrecision(2)} nats`;
}
