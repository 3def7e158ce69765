/** `check`: checks an environment of the user as the built-in ones are tested, one line per check. */
import { checkEnvironment, type EnvironmentCheck } from "@waggle/agent/define";
import type { EnvironmentSpec } from "@waggle/environments";
import { checkPage, type LoadedSite, loadSite, siteConfigIn } from "@waggle/site/node";
import type { Command } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import { jsonOption, tasksOption } from "../options/shared-options.ts";
import { checkWithModel } from "./model-checks.ts";

type CheckCommandOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

/** No progress is shown before this, and then once per interval. */
const PROGRESS_MS = 2000;
/** Checked without an argument. It must be a site. */
const WORKING_FOLDER = ".";

export function addCheckCommand(
  program: Command,
  { signal, writeOut, writeError }: CheckCommandOptions,
): void {
  program
    .command("check")
    .argument(
      "[site]",
      "folder with waggle.config.ts; a file or package that exports an environment, such as ./my-site.ts#name; or a built-in environment",
      WORKING_FOLDER,
    )
    .description(
      "check an environment: its tasks, tools, verifier and demonstrator; and whether a site's page agrees",
    )
    .addOption(tasksOption(20, "tasks of each split and level"))
    .addOption(jsonOption())
    .action(async (source: string, given: { tasks: number; json: boolean }) => {
      const isSite = source === WORKING_FOLDER || siteConfigIn(source) !== null;
      const site = isSite ? await loadSite(source) : null;
      if (site !== null && site.environment === null) {
        writeOut(
          given.json
            ? JSON.stringify({ environment: null, passed: true, checks: [] })
            : `${site.definition.id} has no environment, so only its config and its tools were checked`,
        );
        return;
      }
      const spec = await environmentFrom(source, process.cwd(), "check");
      const startedAt = performance.now();
      let saidAt = startedAt;
      const onProgress = (check: string, done: number, tasks: number): void => {
        const now = performance.now();
        if (now - saidAt < PROGRESS_MS) return;
        saidAt = now;
        writeError(
          given.json
            ? JSON.stringify({ event: "progress", check, done, tasks })
            : `${check}: ${done} of ${tasks} tasks`,
        );
      };
      const checks: EnvironmentCheck[] = [];
      for await (const one of allChecks(
        { spec, site },
        { tasks: given.tasks, signal, onProgress },
      )) {
        checks.push(one);
        if (!given.json) writeOut(`${one.status.padEnd(7)}  ${one.check.padEnd(13)}  ${one.words}`);
      }
      const isPageUnchecked = checks.some(
        ({ check, status }) => check === "page" && status === "skipped",
      );
      const failures = checks.filter(({ status }) => status === "failed").length;
      if (given.json) {
        writeOut(JSON.stringify({ environment: spec.name, passed: failures === 0, checks }));
      } else {
        writeOut(
          failures === 0
            ? `${spec.name} is ready${isPageUnchecked ? ", but page and practice were not compared" : ""}`
            : `${spec.name}: ${failures} of ${checks.length} checks failed`,
        );
      }
      if (failures > 0) process.exitCode = 1;
    });
}

async function* allChecks(
  { spec, site }: { readonly spec: EnvironmentSpec; readonly site: LoadedSite | null },
  options: Parameters<typeof checkEnvironment>[1] & { readonly signal: AbortSignal },
): AsyncGenerator<EnvironmentCheck> {
  yield* checkEnvironment(spec, options);
  yield* checkWithModel(spec);
  if (site !== null) yield await checkPage(site, options.signal);
}
