/**
 * `npm run test:redaction`: measures how much personal data the redaction finds in a corpus of planted values. It prints
 * recall by kind and language, and precision. The exit code is 1 if a bar is missed. `scripts/redaction/measure.ts`
 * defines what counts as found.
 */
import { Option } from "commander";
import { createRedactor } from "../packages/collector/src/index.ts";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { share, verdict } from "./redaction/bars.ts";
import { corpusCases } from "./redaction/corpus.ts";
import type { CorpusHalf } from "./redaction/corpus.ts";
import { measureRedaction } from "./redaction/measure.ts";
import type { Share } from "./redaction/measure.ts";

const program = createCommand("npm run test:redaction --")
  .description("measure recall and precision of the redaction on the corpus of personal data")
  .addOption(
    new Option("--half <half>", "measure one half of the corpus").choices(["development", "final"]),
  )
  .option("--misses", "list what was missed and what was wrongly replaced")
  .option("--json", "print only the last line")
  .parse();
const options = program.opts<{ half?: CorpusHalf; misses?: boolean; json?: boolean }>();

const cases = corpusCases(options.half);
const measure = measureRedaction(cases, () => createRedactor());
const { shares, failed } = verdict(measure);
if (options.json !== true) {
  print("recall by kind", measure.recall);
  print("recall by kind and language", measure.recallByLanguage);
  print("precision", new Map([["detected", measure.precision]]));
  if (options.misses === true) {
    console.log(["missed", ...measure.missed, "wrong", ...measure.wrong].join("\n  "));
    if (options.half === "development") printTexts();
  }
  for (const one of failed) console.log(`bar missed: ${one}`);
}
const { precision, ...recall } = shares;
console.log(JSON.stringify({ cases: measure.cases, recall, precision, failed: failed.length }));
process.exitCode = failed.length > 0 ? 1 : 0;

/** Prints the cases with a miss or a wrong span, with planted values between `⟦` and `⟧`. */
function printTexts(): void {
  const ids = new Set([...measure.missed, ...measure.wrong].map((line) => line.split(":", 1)[0]));
  for (const { id, text, spans } of cases.filter((one) => ids.has(one.id))) {
    let marked = text;
    for (const { start, end, kind } of spans.toSorted((a, b) => b.start - a.start)) {
      marked = `${marked.slice(0, start)}⟦${kind} ${marked.slice(start, end)}⟧${marked.slice(end)}`;
    }
    console.log(`${id}: ${JSON.stringify(marked)}`);
  }
}

function print(title: string, rows: ReadonlyMap<string, Share>): void {
  console.log(title);
  for (const [name, one] of [...rows].toSorted(([a], [b]) => a.localeCompare(b))) {
    const { right, of } = one;
    console.log(`  ${name.padEnd(16)} ${share(one).toFixed(3)}  ${right} of ${of}`);
  }
}
