/**
 * `npm run health`: measures the readability of the repository. `npm test` asserts the values reached so far
 * (test/architecture/health.test.ts).
 */
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { measureHealth } from "./health/report.ts";

const program = createCommand("npm run health --")
  .description("Measure names, cycles, folders, words and documentation, and list the findings.")
  .option("--json", "print one JSON object as the last line, without the lists")
  .parse();
const { json = false } = program.opts<{ json?: boolean }>();

const { figures, findings } = measureHealth();
if (json) console.log(JSON.stringify(figures));
else {
  for (const finding of findings) console.log(finding);
  console.log(JSON.stringify(figures, null, 2));
}
