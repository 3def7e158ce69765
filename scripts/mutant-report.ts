/** Writes the record of a complete mutant run: JSON for programs, a page for people. */
import type { Mutant } from "../test/mutants/mutant.ts";
import type { MutantResult } from "./mutant-runner.ts";

/** The folder directly under `src` that contains a file. */
const areaOf = (file: string): string => /^.*?\/src\/[^/]+/.exec(file)?.[0] ?? file;

/** The record and the page of a run. */
export function mutantReport(
  mutants: readonly Mutant[],
  results: readonly MutantResult[],
): { readonly record: string; readonly page: string } {
  const rows = mutants.map(({ id, file, breaks }) => {
    const result = results.find((one) => one.id === id);
    return { id, file, breaks, caught: result?.caught === true, by: result?.by ?? null };
  });
  const caught = rows.filter((row) => row.caught).length;
  const totals = { mutants: rows.length, caught, survived: rows.length - caught };
  const table = [...Map.groupBy(rows, ({ file }) => areaOf(file))].map(([folder, own]) => {
    const files = new Set(own.map(({ file }) => file)).size;
    const noticed = own.filter((row) => row.caught).length;
    return `| \`${folder}\` | ${files} | ${noticed} of ${own.length} |`;
  });
  const survivors = rows.filter((row) => !row.caught);
  const page = [
    "# Mutation tests of learning",
    "",
    `**The tests catch ${caught} of ${rows.length} deliberate mistakes in parts, composition and updates.**`,
    "",
    "| folder | files | caught |",
    "|---|---|---|",
    ...table,
    "",
    ...(survivors.length === 0
      ? []
      : [
          "These survived:",
          "",
          ...survivors.map(({ id, breaks }) => `- \`${id}\`: ${breaks}`),
          "",
        ]),
    "```sh",
    "npm run test:mutants",
    "```",
    "",
    "Each mutant changes one place of the code, such as importance weights that do not weigh or a KL",
    "reward with the wrong sign. The tests named for that file are run until one fails. The mutants are in",
    "`test/mutants`; [`mutants.json`](mutants.json) names the test that caught each one.",
    "",
    "The list was written by hand, so this does not estimate how many mistakes of all kinds would be caught.",
    "",
  ].join("\n");
  return { record: `${JSON.stringify({ totals, mutants: rows }, null, 2)}\n`, page };
}
