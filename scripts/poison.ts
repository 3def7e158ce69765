/**
 * `npm run test:poison`: trains policies among honest and hostile visitors, and compares them with what honest visitors
 * alone teach. Each defense is switched off in turn, which must show harm. The exit code is 1 if a case fails. `--full`
 * tries every share of hostile visitors and writes docs/evidence/poison.json.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { positive } from "../trainer/src/options/option-values.ts";
import { ROOT } from "./root.ts";
import type { AttackedSite } from "./testing/poison/attacked-site.ts";
import { ATTACKS } from "./testing/poison/attacks.ts";
import {
  type Case,
  casesOf,
  honestCase,
  type Pair,
  type Verdict,
  verdictOf,
} from "./testing/poison/cases.ts";
import { learnAmong } from "./testing/poison/poisoned-learning.ts";
import { PoisonJournal } from "./testing/poison/poison-journal.ts";
import { SITE_NAMES, type SiteName, SITES } from "./testing/poison/sites.ts";

const program = createCommand("npm run test:poison --")
  .description("train among hostile visitors and measure what they change")
  .addOption(new Option("--site <name>", "train for one site").choices(SITE_NAMES))
  .option("--seeds <n>", "seeds of each case (default: 8; 3 where they are slow)", positive)
  .option("--full", "also 5 % and 30 % hostile visitors; write docs/evidence/poison.json")
  .option("--json", "print JSON: one line for each case, and the last line")
  .parse();
const options = program.opts<{ site?: SiteName; seeds?: number; full?: boolean; json?: boolean }>();
const isFull = options.full === true;
const journal = new PoisonJournal();

type Result = { readonly site: SiteName } & Case & Verdict;
const results: Result[] = [];
for (const name of SITE_NAMES) {
  if (options.site !== undefined && options.site !== name) continue;
  const site = await SITES[name].open();
  const seeds = options.seeds ?? (isFull ? SITES[name].fullSeeds : SITES[name].seeds);
  const cases = casesOf(isFull).map((one) => ({ one, pairs: [] as Pair[] }));
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const { one, pairs } of cases) {
      const honest = await run(site, honestCase(one), seed);
      pairs.push({ honest, attacked: await run(site, one, seed) });
    }
  }
  for (const { one, pairs } of cases) {
    const result = { site: name, ...one, ...verdictOf(one, pairs) };
    results.push(result);
    console.log(options.json === true ? JSON.stringify(result) : lineOf(result));
  }
}
const failed = results.filter((result) => result.failed).length;
const summary = { cases: results.length, failed, results };
if (isFull) {
  const date = new Date().toISOString().slice(0, 10);
  const file = join(ROOT, "docs/evidence/poison.json");
  writeFileSync(file, `${JSON.stringify({ date, ...summary }, null, 2)}\n`);
}
console.log(JSON.stringify(summary));
process.exitCode = failed > 0 ? 1 : 0;

async function run(site: AttackedSite, one: Case, seed: number) {
  const { attack, share, without } = one;
  return journal.measured(JSON.stringify([site.name, attack, share, without, seed]), async () => {
    const began = Date.now();
    const measured = await learnAmong(site, seed, { attack: ATTACKS[attack], share, without });
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    console.error(`${site.name}, seed ${seed}: ${nameOf(one)} in ${seconds} s`);
    return measured;
  });
}

function nameOf({ attack, share, without }: Case): string {
  if (share === 0) return ATTACKS[attack].isOwn === true ? "honest thumbs" : "honest";
  const off = without === null ? "" : `, without ${without}`;
  return `${attack} by ${100 * share} %${off}`;
}

function lineOf(result: Result): string {
  const verdict = result.failed ? "failed" : "passed";
  const harm = `success -${result.loss}, behavior +${result.rise} points`;
  return `${verdict}  ${result.site}: ${nameOf(result)}: ${harm} (${result.seeds} seeds)`;
}
