/**
 * `npm run test:tamper`: sends records of honest and of dishonest visitors to the trainer's check, and counts what it
 * rejects. The exit code is 1 if an attack is caught less often than its bar, or honest visitors are rejected more often.
 */
import { join } from "node:path";
import { derivedSeed, type Trajectory } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { openBaseModel } from "../trainer/src/model/base-model.ts";
import { openPolicy } from "../trainer/src/model/open-model.ts";
import { positive } from "../trainer/src/options/option-values.ts";
import { ROOT } from "./root.ts";
import { Judge, type Outcomes } from "./testing/tamper/measure.ts";
import { attacks, type Attempt, honest, TASK_ENVIRONMENT } from "./testing/tamper/visitors.ts";

/** Largest share of honest records that may be rejected. */
const MOST_HONEST_REJECTED = 0.005;
/** Smallest share of an attack's records that must be rejected. Most tokens of the nano model are nearly certain. */
const LEAST_CAUGHT: { readonly [attack: string]: number } = {
  "a forged seed": 1,
};
const COST_ROUNDS = 5;

const program = createCommand("npm run test:tamper --")
  .description("count the forged records that the trainer rejects, and the honest ones")
  .option("--records <n>", "records of each kind", positive, 100)
  .option("--json", "print only the last line")
  .parse();
const options = program.opts<{ records: number; json?: boolean }>();
const say = (line: string): void => {
  if (options.json !== true) console.log(line);
};

const model = await openBaseModel(join(ROOT, "packages/model/nano"));
const assigned = Array.from({ length: options.records }, (_, i) => ({
  task: { environment: TASK_ENVIRONMENT, seed: i, split: "train" as const },
  seed: derivedSeed(1, i),
}));
const recordsOf = async (attempt: Attempt): Promise<Trajectory[]> => {
  const records: Trajectory[] = [];
  for (const one of assigned) records.push(await attempt(one));
  return records;
};
const tokenizerFiles = new Map(model.files.map(({ path, bytes }) => [path, bytes]));
const pageWith = (dtype: "f32" | "int8" | "int4") =>
  createNodePolicy({
    config: model.config,
    weights: model.weights,
    baseModel: model.reference.sha256,
    dtype,
    kernels: "wasm",
    tokenizerFiles,
  });

let honestRecords = 0;
let honestRejected = 0;
say("honest records of WASM pages:");
for (const format of ["f32", "int8", "int4"] as const) {
  const page = await pageWith(format);
  const stored = { ...model, storedFormat: format === "f32" ? null : format };
  const policy = await openPolicy(stored, 1);
  const judge = new Judge(stored, policy);
  const records = await recordsOf(honest(model, page));
  const gaps = await judge.gaps(records);
  const outcomes = await judge.outcomes(records);
  honestRecords += records.length;
  honestRejected += records.length - accepted(outcomes);
  say(`  ${format.padEnd(26)} ${reasons(outcomes)}`);
  say(
    `    ${gaps.length} tokens, ${gaps.filter((gap) => gap > 0).length} not selected exactly; ` +
      `largest gap ${nats(Math.max(...gaps))}; log-prob gap at most ${nats(outcomes.logProbGapMax)} ` +
      `for a token, ${nats(outcomes.logProbGapMean)} on average in a record`,
  );
  await page.dispose();
  await policy.dispose();
}

const policy = await openPolicy(model, 1);
const int4 = await pageWith("int4");
const judge = new Judge(model, policy);
const caught = new Map<string, number>();
say("attacks: share rejected, reasons");
for (const [name, attempt] of attacks(model, policy, int4)) {
  const outcomes = await judge.outcomes(await recordsOf(attempt));
  const share = (options.records - accepted(outcomes)) / options.records;
  caught.set(name, share);
  say(`  ${name.padEnd(26)} ${share.toFixed(2)} ${reasons(outcomes)}`);
}
const cost = await judge.cost(await recordsOf(honest(model, policy)), COST_ROUNDS);
say(`drawing again adds ${(100 * (cost - 1)).toFixed(1)} % to the CPU time of re-scoring`);

const failed = [...caught].filter(([name, share]) => share < (LEAST_CAUGHT[name] ?? 0)).length;
const honestRejectedShare = honestRejected / honestRecords;
console.log(
  JSON.stringify({
    attacks: caught.size,
    failed,
    honest: honestRecords,
    honestRejectedShare,
    caught: Object.fromEntries(caught),
    cost,
  }),
);
process.exitCode = failed > 0 || honestRejectedShare > MOST_HONEST_REJECTED ? 1 : 0;

function accepted({ counts }: Outcomes): number {
  return counts.get("learned") ?? 0;
}

function reasons({ counts }: Outcomes): string {
  return [...counts].map(([reason, count]) => `${reason} ${count}`).join(", ");
}

function nats(value: number): string {
  return `${value.toPrecision(2)} nats`;
}
