/** `plan`: what training a model would take of memory, from its config.json alone. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Checkpointing, type MemoryPlan, planMemory, type Precision } from "@waggle/engine";
import { parseDecoderConfig, type ResidentFormat } from "@waggle/model";
import { type Command, Option } from "commander";
import { baseOption, precisionOption } from "./frozen-base.ts";
import { number, positive } from "./option-values.ts";

type PlanOptions = {
  model: string;
  trains: "lora" | "full";
  rank: number;
  valueHeads: number;
  models: number;
  sequences: number;
  length: number;
  base: ResidentFormat;
  precision: Precision;
  checkpointing: Checkpointing;
  json: boolean;
};

export function addPlanCommand(
  program: Command,
  { writeOut }: { readonly writeOut: (line: string) => void },
): void {
  program
    .command("plan")
    .description("what training would take of memory, without loading anything")
    .option("--model <folder>", "folder with a config.json", "packages/model/nano")
    .addOption(new Option("--trains <what>").choices(["lora", "full"]).default("lora"))
    .option("--rank <n>", "of the adapter", positive, 16)
    .option("--value-heads <n>", "of each model", number, 0)
    .option("--models <n>", "adapters over one base", positive, 1)
    .option("--sequences <n>", "sequences of one step", positive, 8)
    .option("--length <n>", "tokens of each", positive, 512)
    .addOption(baseOption())
    .addOption(precisionOption())
    .addOption(
      new Option("--checkpointing <how>", "layer: activations come again, none: all are kept")
        .choices(["layer", "none"])
        .default("layer"),
    )
    .option("--json", "bytes as one JSON object", false)
    .action(async ({ model, json, models, ...given }: PlanOptions) => {
      const text = await readFile(join(model, "config.json"), "utf8");
      const { rank, valueHeads } = given;
      const otherModels = Array.from({ length: models - 1 }, () => ({ rank, valueHeads }));
      const config = parseDecoderConfig(JSON.parse(text));
      const plan = planMemory({ ...given, otherModels, config });
      if (json) {
        writeOut(JSON.stringify({ totalBytes: plan.totalBytes, parts: plan.parts }));
      } else {
        for (const line of lines(plan)) writeOut(line);
      }
    });
}

function lines({ parts, totalBytes }: MemoryPlan): string[] {
  const row = (name: string, bytes: number): string =>
    `${name.padEnd(12)}${(bytes / 1e6).toFixed(0).padStart(8)} MB`;
  return [
    ...Object.entries(parts).map(([name, bytes]) => row(name, bytes)),
    row("total", totalBytes),
  ];
}
