/**
 * `npm run health`: measures of how well the repository can be read. `npm test` holds them at the values
 * reached (test/architecture/health.test.ts).
 */
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { measureHealth } from "./health/report.ts";

const program = createCommand("npm run health --")
  .description("Measures names, cycles, folders, words and documentation, and lists what is wrong.")
  .option("--json", "print one JSON object as the last line, without the lists")
  .parse();
const { json = false } = program.opts<{ json?: boolean }>();

const { figures, findings } = measureHealth();
if (json) console.log(JSON.stringify(figures));
else {
  for (const finding of findings) console.log(finding);
  console.log(JSON.stringify(figures, null, 2));
}
