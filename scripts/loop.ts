/** `npm run loop`: the command `waggle loop`, for `apps/demo` without `--site`. Installs Chromium if there is none. */
import { createWaggle } from "../packages/cli/src/program.ts";
import { runProgram } from "../trainer/src/commands/run-program.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { LOOP_SITE } from "./demo.ts";

await runProgram(
  (options) => {
    const program = createWaggle({ ...options, defaultSite: LOOP_SITE });
    return program.hook("preAction", () => void ensureChromium());
  },
  ["loop", ...process.argv.slice(2)],
);
