/** `npm start`: runs all of Waggle on this machine with the site in `apps/demo`, or with that of `--site`. */
import { runSite, withDevOptions } from "../packages/cli/src/dev-command.ts";
import { siteOption } from "../packages/cli/src/site-option.ts";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { runProgram } from "../trainer/src/commands/run-program.ts";
import { START_SITE } from "./demo.ts";

await runProgram(() =>
  withDevOptions(createCommand("npm start --"))
    .addOption(siteOption(START_SITE))
    .description("start the edge Worker, the trainer, the demo page and the dashboard")
    .action((given) => runSite(given, START_SITE)),
);
