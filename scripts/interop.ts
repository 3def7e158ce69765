/**
 * `npm run test:interop`: tries Waggle with programs and models of others, as `test/interop` lists them. A complete
 * run is recorded in docs/evidence.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Counterpart, Outcome } from "../test/interop/counterpart.ts";
import { untilEnded, withDescendants } from "../test/fixtures/processes.ts";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { type CounterpartRow, interopPages, interopTotals } from "./interop/interop-page.ts";
import { ROOT } from "./root.ts";

const program = createCommand("npm run test:interop --")
  .description("try Waggle with programs and models of others, and count what differs")
  .option("--only <name...>", "run only these counterparts")
  .option("--list", "print the counterparts and their versions, and run none")
  .option("--json", "print a JSON line per counterpart; the last one has the totals")
  .parse();
const {
  only,
  list: isList = false,
  json = false,
} = program.opts<{ only?: string[]; list?: boolean; json?: boolean }>();

const SUFFIX = ".interop.ts";
const FOLDER = join(ROOT, "test/interop");
const known = globSync(`*${SUFFIX}`, { cwd: FOLDER })
  .map((file) => basename(file, SUFFIX))
  .toSorted();
const unknown = only?.find((id) => !known.includes(id));
if (unknown !== undefined) {
  console.error(`There is no "${unknown}". Choose from ${known.join(", ")}.`);
  process.exit(2);
}
const say = (text: string): void => (json ? console.error(text) : console.log(text));

// Every test and server of the run puts its files here, so they are removed even if it is stopped.
const temporary = mkdtempSync(join(tmpdir(), "waggle-interop-"));
Object.assign(process.env, {
  TMPDIR: temporary,
  WAGGLE_LONG: "1",
  WRANGLER_SEND_METRICS: "false",
});
process.once("exit", () => {
  signalAll("SIGKILL", withDescendants(process.pid).slice(1));
  // A process that is ending may still write, so removal is tried again for some seconds.
  rmSync(temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => void stop(code));
}

/** Ends every process that the run started, then this one. */
async function stop(code: number): Promise<never> {
  say("stopping");
  const started = withDescendants(process.pid).slice(1);
  signalAll("SIGTERM", started);
  signalAll("SIGKILL", await untilEnded(started, 5000));
  process.exit(code);
}

function signalAll(signal: NodeJS.Signals, ids: readonly number[]): void {
  for (const id of ids) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}

async function load(id: string): Promise<Counterpart> {
  const url = pathToFileURL(join(FOLDER, `${id}${SUFFIX}`)).href;
  return ((await import(url)) as { default: Counterpart }).default;
}

async function tried(counterpart: Counterpart): Promise<Outcome> {
  try {
    return await counterpart.run();
  } catch (error) {
    return { passed: 0, failed: [`it did not run: ${String(error)}`], deviations: [] };
  }
}

const began = Date.now();
const seconds = (from: number): number => Number(((Date.now() - from) / 1000).toFixed(1));
const rows: CounterpartRow[] = [];
if (!isList) ensureChromium();
for (const id of only ?? known) {
  const counterpart = await load(id);
  const { name, version, area = name, about } = counterpart;
  if (isList) {
    console.log(
      json ? JSON.stringify({ id, name, version }) : `${id.padEnd(20)} ${name} ${version}`,
    );
    continue;
  }
  say(`${name} ${version}`);
  const from = Date.now();
  const { passed, failed, deviations } = await tried(counterpart);
  const row: CounterpartRow = {
    id,
    name,
    version,
    area,
    ...(about !== undefined && { about }),
    passed,
    failed,
    deviations,
    seconds: seconds(from),
  };
  rows.push(row);
  if (json) console.log(JSON.stringify(row));
  for (const each of failed) say(`  ✗ ${each}`);
  say(
    `  ${passed} passed, ${failed.length} failed, ${deviations.length} deviations, ${row.seconds} s`,
  );
}
if (isList) process.exit(0);

const totals = interopTotals(rows);
if (only === undefined) {
  const record = {
    date: new Date(began).toISOString().slice(0, 10),
    minutes: Number((seconds(began) / 60).toFixed(1)),
    load: Number((loadavg()[1] ?? 0).toFixed(1)),
    totals,
    counterparts: rows,
  };
  const { page, appendix } = interopPages(record);
  const evidence = join(ROOT, "docs/evidence");
  writeFileSync(join(evidence, "interop.json"), `${JSON.stringify(record, null, 2)}\n`);
  writeFileSync(join(evidence, "interop.md"), page);
  writeFileSync(join(evidence, "appendix/interop.md"), appendix);
}
if (json) console.log(JSON.stringify(totals));
else {
  console.log("\npassed  failed  deviations  counterpart");
  for (const { name, version, passed, failed, deviations } of rows) {
    const numbers = [passed, failed.length, deviations.length];
    const [first, second, third] = numbers.map(String);
    console.log(
      `${first?.padStart(6)}  ${second?.padStart(6)}  ${third?.padStart(10)}  ${name} ${version}`,
    );
  }
  const { passed, failed, deviations } = totals;
  console.log(`\n${passed} passed, ${failed} failed, ${deviations} deviations`);
}
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);
