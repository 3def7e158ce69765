/** Text rows of `export`, rendered as TRL does, with the chat templates of real models. */
import type { Counterpart, Outcome } from "./counterpart.ts";
import { compareRows, REFERENCE_VERSION } from "./exports/compare.ts";
import { modelFormats } from "./exports/model-formats.ts";

async function run(): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for await (const { model, format } of modelFormats()) {
    outcomes.push(await compareRows(model.name, format));
  }
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.flatMap(({ failed }) => failed),
    deviations: outcomes.flatMap(({ deviations }) => deviations),
  };
}

const counterpart: Counterpart = {
  name: "rows for TRL",
  version: `1.10.0.dev0 (f2cd577), ${REFERENCE_VERSION}`,
  area: "Exports",
  run,
};

export default counterpart;
