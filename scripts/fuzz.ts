/**
 * `npm run test:fuzz`: sends random requests to a Worker under workerd, and random inputs to every decoder of untrusted
 * files. Each defect is printed with the command that repeats it. The exit code is 1 if there is one.
 */
import { Option } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { positive, whole } from "../trainer/src/options/option-values.ts";
import { DECODERS } from "./testing/fuzz/decoders.ts";
import { runDecoder } from "./testing/fuzz/decoder-run.ts";
import { runEdge } from "./testing/fuzz/edge-run.ts";

/** Pause between two lines of progress. */
const PROGRESS_MS = 15_000;

const program = createCommand("npm run test:fuzz --")
  .description("send random requests to the edge and random inputs to the decoders")
  .option("--seed <n>", "seed of all requests and inputs", whole, 1)
  .option("--requests <n>", "requests to the edge", positive, 20_000)
  .option("--inputs <n>", "inputs to the decoders, together", positive, 1_000_000)
  .addOption(
    new Option("--target <name>", "test one target").choices([
      "edge",
      ...DECODERS.map(({ name }) => name),
    ]),
  )
  .option("--from <n>", "first request or input, to continue or to repeat", whole, 0)
  .option("--count <n>", "number of requests or inputs from there", positive)
  .option("--json", "print JSON: one line for each defect, and the last line")
  .parse();
const { seed, requests, inputs, target, from, count, json } = program.opts<{
  seed: number;
  requests: number;
  inputs: number;
  target?: string;
  from: number;
  count?: number;
  json?: boolean;
}>();

let saidAt = 0;
function progress(name: string, index: number, to: number): void {
  if (Date.now() - saidAt < PROGRESS_MS) return;
  saidAt = Date.now();
  console.error(`${name}: ${index} of ${to}; continue with: ${commandFor(name, index)}`);
}

function commandFor(name: string, index: number, more = ""): string {
  return `npm run test:fuzz -- --seed ${seed} --target ${name} --from ${index}${more}`;
}

let defects = 0;
function report(name: string, index: number, what: string, details: object = {}): void {
  defects += 1;
  const repeat = commandFor(name, index, " --count 1");
  if (json === true) console.log(JSON.stringify({ target: name, index, what, repeat, ...details }));
  else console.log(`${name} ${index}: ${what}\n  repeat with: ${repeat}`);
}

const isChosen = (name: string): boolean => target === undefined || target === name;
const endOf = (all: number): number => (count === undefined ? all : from + count);
const done = { requests: 0, inputs: 0 };
let edge = {};
if (isChosen("edge")) {
  const to = endOf(requests);
  const run = await runEdge(seed, from, to, (index) => progress("edge", index, to));
  done.requests = to - from;
  for (const { index, what, request } of run.defects) {
    const body = typeof request.body === "string" ? request.body.slice(0, 300) : undefined;
    report("edge", index, what, { request: { ...request, body } });
  }
  const statuses = Object.fromEntries([...run.statuses].toSorted(([a], [b]) => a - b));
  const memoryMb = Math.round(run.memoryBytes / 1024 ** 2);
  edge = { statuses, memoryMb, slowestMs: Math.round(run.slowestMs) };
  if (json !== true) console.log(`edge: ${JSON.stringify(edge)}`);
}
const chosen = DECODERS.filter(({ name }) => isChosen(name));
for (const { name } of chosen) {
  const to = endOf(Math.ceil(inputs / DECODERS.length));
  const began = Date.now();
  const found = await runDecoder({ target: name, seed, from, to }, (index) =>
    progress(name, index, to),
  );
  done.inputs += to - from;
  for (const { index, what } of found) report(name, index, what);
  const seconds = (Date.now() - began) / 1000;
  if (json !== true) console.log(`${name}: ${to - from} inputs in ${seconds.toFixed(0)} s`);
}
console.log(
  JSON.stringify({ seed, ...done, failed: defects, ...(isChosen("edge") ? { edge } : {}) }),
);
process.exitCode = defects > 0 ? 1 : 0;
