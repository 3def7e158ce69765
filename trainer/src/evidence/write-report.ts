/** Writes the pages and charts for the expected runs in a log. Runs nothing. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { recipeNamed } from "@waggle/learning";
import { appendixPage } from "./appendix-page.ts";
import { armKey } from "./arm.ts";
import { curvePicture } from "./curve-picture.ts";
import { summarizeDirections } from "./direction-summary.ts";
import type { ControlLog } from "./control-log.ts";
import { type Expectations, pageName, tableArms } from "./expectations.ts";
import { type Overview, overviewPage } from "./overview-page.ts";
import { recipePage } from "./recipe-page.ts";
import { type RecipeSummary, summarize } from "./recipe-summary.ts";
import type { RunLog } from "./run-log.ts";

/** A summary for each row of the table that was run. */
export function tableSummaries(
  expectations: Expectations,
  { records }: Pick<RunLog, "records">,
  controls: ControlLog,
): RecipeSummary[] {
  const arms = tableArms(expectations);
  const keys = new Set(arms.map(armKey));
  return summarize(
    [...records.values()].filter(({ key }) => keys.has(key)),
    expectations.seeds,
    expectations.reference.recipe,
    arms.length / expectations.seeds.length,
    controls,
  );
}

/** @returns the number of recipe pages */
export async function writeReport(
  folder: string,
  expectations: Expectations,
  { records, failures }: RunLog,
  controls: ControlLog,
): Promise<number> {
  const keys = new Set(tableArms(expectations).map(armKey));
  const reference = expectations.reference.recipe;
  const summaries = tableSummaries(expectations, { records }, controls);
  await mkdir(folder, { recursive: true });
  for (const summary of summaries) {
    const { recipe, environment, runs, base } = summary;
    const plain = summaries.find(
      (one) => one.recipe === reference && one.environment === environment,
    );
    const curves = [
      ...(plain === undefined || plain === summary
        ? []
        : [{ name: "plain GRPO", runs: plain.runs }]),
      { name: recipe, runs },
    ];
    const built = recipeNamed(recipe)(runs[0]?.settings ?? {});
    const page = pageName(expectations, summary);
    await writeFile(
      join(folder, `${page}.md`),
      recipePage(built, summary, plain, page, baseText(expectations.bases[environment])),
    );
    await writeFile(join(folder, `${page}.svg`), await curvePicture(curves, base.mean));
  }
  const failed = [...failures.values()].filter(({ key }) => keys.has(key));
  const tableOf = (recipe: string): string => recipeNamed(recipe)().literature.table;
  const overview: Overview = {
    summaries,
    failures: failed,
    rounds: expectations.claims.map((round) => ({
      round,
      directions: summarizeDirections(records, expectations, round, controls),
    })),
    expectations,
    tableOf,
  };
  await writeFile(join(folder, "README.md"), overviewPage(overview));
  await writeFile(join(folder, "appendix.md"), appendixPage(overview));
  return summaries.length;
}

/** The changes of a base, such as `mistakes=0.1, habits=0.6`. */
function baseText(changes: Expectations["bases"][string] | undefined): string | undefined {
  if (changes === undefined) return undefined;
  return Object.entries(changes)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
