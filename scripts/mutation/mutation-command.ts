/** `npm run health -- --mutants`: counts how many seeded mutants of each package the tests kill. */
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { TestHost } from "./host.ts";
import { Journal } from "./journal.ts";
import { MUTATED_PACKAGES, type Mutation, sampleMutations } from "./mutant-sample.ts";
import { describeMutation, WHOLE_SAMPLE } from "./mutation-record.ts";
import { MutationRun, type MutationResult, type Verdict } from "./mutation-run.ts";
import { type MappedTest, TestMap } from "./test-map.ts";

const MAPPED_TESTS = join(ROOT, ".waggle/mutation/tests.jsonl");
/** Committed, so that a run on another machine resumes from it. */
const VERDICTS = join(ROOT, "docs/evidence/seeded-mutants.jsonl");
const SEED = 1;

/** Options of `runMutants`. */
export type MutationOptions = {
  /** Names in MUTATED_PACKAGES. */
  readonly packages: readonly string[];
  /** Mutants per package. */
  readonly count: number;
  readonly say: (line: string) => void;
  /** Takes the results of a package, in the order of the sample. Called again when more tests have run. */
  readonly onResults: (name: string, results: readonly MutationResult[]) => void;
};

/**
 * Tries the mutants of each package with its own tests, and then the survivors with the tests of the other packages. An
 * interrupted run resumes when it is called again.
 */
export async function runMutants({
  packages,
  count,
  say,
  onResults,
}: MutationOptions): Promise<void> {
  const host = new TestHost();
  const stop = (): void => {
    host.stop();
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const map = new TestMap(ROOT, new Journal<MappedTest>(MAPPED_TESTS));
    const verdicts = new Journal<Verdict>(VERDICTS);
    const run = new MutationRun(ROOT, host, map, verdicts);
    for (const reach of ["own", "all"] as const) {
      for (const name of packages) {
        const folder = MUTATED_PACKAGES[name] ?? "";
        const sample = sampleOf(name, count);
        if (sample.some((one) => run.known(one, reach) === undefined)) {
          const missing = map.missing([folder]);
          const own = missing.filter((test) => test.startsWith(`${folder}/`));
          await mapTests(map, reach === "own" ? own : missing, host, say);
        }
        const results: MutationResult[] = [];
        for (const mutation of sample) {
          const before = run.known(mutation, reach);
          results.push(before ?? (await run.try(mutation, reach)));
          if (before === undefined) say(lineOf(name, results, sample.length));
        }
        verdicts.keep(Object.keys(MUTATED_PACKAGES).flatMap(idsOf));
        onResults(name, results);
      }
    }
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    host.stop();
  }
}

const sampleOf = (name: string, count: number): Mutation[] =>
  sampleMutations(ROOT, MUTATED_PACKAGES[name] ?? "", count, SEED);

const idsOf = (name: string): string[] => sampleOf(name, WHOLE_SAMPLE).map(({ id }) => id);

async function mapTests(
  map: TestMap,
  missing: readonly string[],
  host: TestHost,
  say: (line: string) => void,
): Promise<void> {
  for (const [i, test] of missing.entries()) {
    const failure = await map.map(test, host);
    const end = failure === null ? "" : `: not used, it fails without a mutant (${failure})`;
    say(`mapped ${i + 1}/${missing.length}  ${test}${end}`);
  }
}

function lineOf(name: string, results: readonly MutationResult[], of: number): string {
  const last = results.at(-1);
  if (last === undefined) return "";
  const killed = results.filter(({ status }) => status === "killed").length;
  const seconds = last.seconds.toFixed(1);
  return `${name} ${results.length}/${of}, ${killed} killed  ${seconds} s  ${describeMutation(last)}`;
}
