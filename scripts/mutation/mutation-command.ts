/** `npm run health -- --mutants`: counts how many seeded mutants of each package the tests kill. */
import { join } from "node:path";
import { ROOT } from "../stack.ts";
import { TestHost } from "./host.ts";
import { Journal } from "./journal.ts";
import { MUTATED_PACKAGES, sampleMutations } from "./mutant-sample.ts";
import { describeMutation } from "./mutation-record.ts";
import { MutationRun, type MutationResult } from "./mutation-run.ts";
import { type MappedTest, TestMap } from "./test-map.ts";

const FOLDER = join(ROOT, ".waggle/mutation");
const SEED = 1;

/** Options of `runMutants`. */
export type MutationOptions = {
  /** Names in MUTATED_PACKAGES. */
  readonly packages: readonly string[];
  /** Mutants per package. */
  readonly count: number;
  readonly say: (line: string) => void;
};

/** Results by package, in the order of the sample. An interrupted run resumes when it is called again. */
export async function runMutants({
  packages,
  count,
  say,
}: MutationOptions): Promise<ReadonlyMap<string, readonly MutationResult[]>> {
  const host = new TestHost();
  const stop = (): void => {
    host.stop();
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const map = new TestMap(ROOT, new Journal<MappedTest>(join(FOLDER, "tests.jsonl")));
    const folders = packages.map((name) => MUTATED_PACKAGES[name] ?? "");
    await mapTests(map, folders, host, say);
    const run = new MutationRun(ROOT, host, map, new Journal(join(FOLDER, "results.jsonl")));
    const results = new Map<string, MutationResult[]>();
    for (const name of packages) {
      const own: MutationResult[] = [];
      results.set(name, own);
      const sample = sampleMutations(ROOT, MUTATED_PACKAGES[name] ?? "", count, SEED);
      for (const mutation of sample) {
        const before = run.known(mutation);
        const result = before ?? (await run.try(mutation));
        own.push(result);
        if (before === undefined) say(lineOf(name, own, sample.length));
      }
    }
    return results;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    host.stop();
  }
}

async function mapTests(
  map: TestMap,
  folders: readonly string[],
  host: TestHost,
  say: (line: string) => void,
): Promise<void> {
  const missing = map.missing(folders);
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
  return `${name} ${results.length}/${of}, ${killed} killed  ${describeMutation(last)}`;
}
