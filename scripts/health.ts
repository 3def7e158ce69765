/**
 * `npm run health`: measures the readability of the repository. `npm test` asserts the values reached so far
 * (test/architecture/health.test.ts). With `--mutants` it measures the tests instead.
 */
import { Option } from "commander";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { positive } from "../trainer/src/options/option-values.ts";
import { measureHealth } from "./health/report.ts";
import { MUTATED_PACKAGES } from "./mutation/mutant-sample.ts";
import { runMutants } from "./mutation/mutation-command.ts";
import {
  fullNameOf,
  MIN_KILLED,
  type PackageRecord,
  recordMutants,
  summarize,
  WHOLE_SAMPLE,
} from "./mutation/mutation-record.ts";

const program = createCommand("npm run health --")
  .description(
    "measure names, cycles, folders, words and documentation, and list the findings; with --mutants, make 300 " +
      "small changes in each of five packages, one at a time, and count those that the tests catch",
  )
  .option("--json", "print one JSON object as the last line, without the lists", false)
  .option("--mutants", "try seeded mutants; an interrupted run resumes", false)
  .addOption(
    new Option("--package <name>", "try mutants of this package only").choices(
      Object.keys(MUTATED_PACKAGES),
    ),
  )
  .option("--sample <n>", `try n mutants of each package instead of ${WHOLE_SAMPLE}`, positive)
  .parse();
const options = program.opts<{
  json: boolean;
  mutants: boolean;
  package?: string;
  sample?: number;
}>();

if (options.mutants) process.exit(await tryMutants());
if (options.package !== undefined || options.sample !== undefined) {
  program.error("error: --package and --sample need --mutants", { exitCode: 2 });
}
const { figures, findings } = measureHealth();
if (options.json) console.log(JSON.stringify(figures));
else {
  for (const finding of findings) console.log(finding);
  console.log(JSON.stringify(figures, null, 2));
}

/** @returns the exit code: 1 if a complete run killed too few mutants. */
async function tryMutants(): Promise<number> {
  const { json, sample } = options;
  const packages =
    options.package === undefined ? Object.keys(MUTATED_PACKAGES) : [options.package];
  const say = (line: string): void => (json ? console.error(line) : console.log(line));
  const record: { [name: string]: PackageRecord } = {};
  await runMutants({
    packages,
    count: sample ?? WHOLE_SAMPLE,
    say,
    onResults: (name, results) => {
      const own = { [fullNameOf(name)]: summarize(results) };
      Object.assign(record, own);
      recordMutants(own);
    },
  });
  for (const { survivors } of Object.values(record)) for (const one of survivors) say(one);
  if (json) console.log(JSON.stringify({ mutants: record }));
  else {
    for (const [name, { killed, mutants, ratio }] of Object.entries(record)) {
      say(`${name}: ${killed} of ${mutants} killed (${(ratio * 100).toFixed(1)} %)`);
    }
  }
  // A sample is too small for a verdict.
  const isEnough = Object.values(record).every(({ ratio }) => ratio >= MIN_KILLED);
  return sample !== undefined || isEnough ? 0 : 1;
}
