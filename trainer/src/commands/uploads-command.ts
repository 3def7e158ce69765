/** `uploads`: lists or deletes uploads of model files that were not finished. */
import { WaggleError } from "@waggle/protocol";
import { Argument, type Command } from "commander";
import { createOperatorClient } from "../edge/operator-client.ts";
import { textTable } from "../metrics/text-table.ts";
import {
  type OperatorOptions,
  type OperatorProcess,
  operatorTransport,
  withOperator,
} from "../options/operator-options.ts";
import { jsonOption, operatorNameOption } from "../options/shared-options.ts";

type UploadsCommandOptions = OperatorProcess & { readonly writeOut: (line: string) => void };
type Flags = OperatorOptions & { json: boolean };
const ACTIONS = ["list", "delete"] as const;

export function addUploadsCommand(program: Command, options: UploadsCommandOptions): void {
  withOperator(program.command("uploads"))
    .description("list or delete uploads of model files that were not finished")
    .addArgument(new Argument("[action]", "what to do").choices(ACTIONS).default("list"))
    .argument("[hashes...]", "hashes of the files whose upload to delete")
    .addOption(operatorNameOption())
    .addOption(jsonOption())
    .action(async (action: (typeof ACTIONS)[number], hashes: readonly string[], flags: Flags) => {
      const client = createOperatorClient(operatorTransport(flags, options));
      if (action === "delete") {
        if (hashes.length === 0) {
          throw new WaggleError("INVALID_ARGUMENT", "name the hashes of the uploads to delete");
        }
        for (const hash of hashes) await client.deleteUnfinishedObject(hash);
        options.writeOut(
          flags.json ? JSON.stringify({ action, hashes }) : `deleted ${hashes.length} uploads`,
        );
        return;
      }
      const objects = await client.unfinishedObjects();
      if (flags.json) {
        for (const object of objects) options.writeOut(JSON.stringify(object));
      } else if (objects.length === 0) options.writeOut("There are no unfinished uploads.");
      else {
        const rows = objects.map(({ sha256, parts, sizeBytes, lastPartAt }) => [
          sha256,
          String(parts),
          (sizeBytes / 1e6).toFixed(1),
          lastPartAt,
        ]);
        const head = ["hash", "parts", "MB", "last part"];
        for (const line of textTable([head, ...rows])) options.writeOut(line);
      }
    });
}
