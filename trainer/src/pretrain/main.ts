/**
 * `npm run train-base`: trains the nano base model from scratch with the project's own engine on
 * demonstrations of the project's own environments, scores it and writes its folder.
 */
import { parseArgs } from "./pretrain-options.ts";
import { runPretraining } from "./pretrain-command.ts";

const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => controller.abort());
}
process.exitCode = await runPretraining(parseArgs(process.argv), controller.signal);
