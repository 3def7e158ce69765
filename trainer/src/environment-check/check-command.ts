/** `check`: checks an environment of the user as the built-in ones are tested, one line per check. */
import { resolve } from "node:path";
import {
  checkEnvironment,
  type EnvironmentCheck,
  type TimeoutWatch,
  watchTimeouts,
} from "@waggle/agent/define";
import { ENVIRONMENTS, type EnvironmentSpec } from "@waggle/environments";
import { checkPage, type LoadedSite, loadSite, siteConfigIn } from "@waggle/site/node";
import { Argument, type Command } from "commander";
import { environmentFrom } from "../extensions/environment-module.ts";
import { moduleSource, resolvedFile } from "../extensions/module-source.ts";
import { jsonOption, tasksOption } from "../options/shared-options.ts";
import { siteBase } from "../pretrain/chosen-base.ts";
import type { ModelChoice } from "./checked-model.ts";
import { type EndlessCallWatch, untilEnded, watchEndlessCalls } from "./endless-call.ts";
import { checkWithModel, findingOf } from "./model-checks.ts";
import { checkRedaction } from "./redaction-check.ts";
import type { CheckedEnvironment, CheckRuntimes } from "../options/runtime-checks.ts";

type CheckCommandOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
  readonly checkRuntimes?: CheckRuntimes | undefined;
};

/** No progress is shown before this, and then once per interval. */
const PROGRESS_MS = 2000;
/** Checked without an argument. It must be a site. */
const WORKING_FOLDER = ".";

export function addCheckCommand(
  program: Command,
  { signal, writeOut, writeError, checkRuntimes }: CheckCommandOptions,
): void {
  program
    .command("check")
    .addArgument(
      new Argument(
        "[site]",
        "folder with waggle.config.ts; a file or package that exports an environment, such as ./my-site.ts#name; or a built-in environment",
      ).default(WORKING_FOLDER, "the working folder"),
    )
    .description(
      "check an environment's tasks, tools, verifier and demonstrator, and whether Workers, browsers and a site's page agree",
    )
    .addOption(tasksOption(100, "tasks of each split and level"))
    .addOption(jsonOption())
    .action(async (source: string, given: { tasks: number; json: boolean }) => {
      const calls = watchEndlessCalls();
      try {
        await check(source, given, calls);
      } finally {
        await calls.close();
      }
    });

  async function check(
    source: string,
    { tasks, json }: { readonly tasks: number; readonly json: boolean },
    calls: EndlessCallWatch,
  ): Promise<void> {
    const watched = (spec: EnvironmentSpec): TimeoutWatch => watchTimeouts(spec, calls.onCall);
    const isSite = source === WORKING_FOLDER || siteConfigIn(source) !== null;
    const loading = isSite
      ? loadSite(source, { mayFailToDraw: true, watched: (spec) => watched(spec).spec })
      : null;
    // Drawing the first task may never end.
    const site = await Promise.race([loading, calls.ended]);
    if (site !== null && "status" in site) {
      if (!json) writeOut(lineOf(site));
      return report(source, [site]);
    }
    if (site !== null && site.environment === null) {
      writeOut(
        json
          ? JSON.stringify({ environment: null, passed: true, checks: [] })
          : `${site.definition.id} has no environment, so only its config and its tools were checked${withoutGate(site)}`,
      );
      return;
    }
    const spec = await environmentFrom(source, process.cwd(), "check");
    let saidAt = performance.now();
    const onProgress = (name: string, done: number, count: number): void => {
      const now = performance.now();
      if (now - saidAt < PROGRESS_MS) return;
      saidAt = now;
      writeError(
        json
          ? JSON.stringify({ event: "progress", check: name, done, tasks: count })
          : `${name}: ${done} of ${count} tasks`,
      );
    };
    const checks: EnvironmentCheck[] = [];
    const { retention } = spec;
    const all = allChecks(
      {
        watch: watched(spec),
        retention: retention === undefined ? null : watched(retention).spec,
        site,
        choice: site === null ? {} : modelChoice(site),
        own: ownModule(source, site, spec),
      },
      { tasks, signal, onProgress, checkRuntimes },
    );
    for await (const one of untilEnded(all, calls)) {
      checks.push(one);
      if (!json) writeOut(lineOf(one));
    }
    report(spec.name, checks);

    /** Says how the checks ended. Their lines were printed before. */
    function report(name: string, results: readonly EnvironmentCheck[]): void {
      const failures = results.filter(({ status }) => status === "failed").length;
      if (failures > 0) process.exitCode = 1;
      if (json) {
        return writeOut(
          JSON.stringify({ environment: name, passed: failures === 0, checks: results }),
        );
      }
      writeOut(
        failures === 0
          ? `${name} is ready${exceptions(results)}`
          : `${name}: ${failures} of ${results.length} checks failed`,
      );
    }
  }
}

/** What a site without an environment lacks to learn from feedback; empty if it lacks nothing, or learns nothing. */
function withoutGate({ definition: { training, gate } }: LoadedSite): string {
  const hasGate = gate?.release !== undefined || training?.judge?.comparisons !== undefined;
  return training?.feedbackWaitSeconds === undefined || hasGate
    ? ""
    : "; it learns nothing from feedback until visitors (gate.release) or a judge (training.judge.comparisons) can decide about a new version";
}

function lineOf({ status, check, words }: EnvironmentCheck): string {
  return `${status.padEnd(7)}  ${check.padEnd(13)}  ${words}`;
}

/** The other runtimes and the page, where they were skipped. */
function exceptions(checks: readonly EnvironmentCheck[]): string {
  const skipped = checks.filter(({ status }) => status === "skipped").map(({ check }) => check);
  const runtimes = skipped.filter((check) => check.startsWith("in "));
  const words = [
    ...(runtimes.length > 0 ? [`not checked ${runtimes.join(" or ")}`] : []),
    ...(skipped.includes("page") ? ["page and practice were not compared"] : []),
  ];
  return words.length > 0 ? `, but ${words.join(", and ")}` : "";
}

type Checked = {
  readonly watch: TimeoutWatch;
  /** The site's retention environment, watched; `null` if it has none. */
  readonly retention: EnvironmentSpec | null;
  readonly site: LoadedSite | null;
  readonly choice: ModelChoice;
  /** For other runtimes; `null` for a built-in environment. */
  readonly own: CheckedEnvironment | null;
};

type Options = {
  readonly tasks: number;
  readonly signal: AbortSignal;
  readonly onProgress: (check: string, done: number, tasks: number) => void;
  readonly checkRuntimes: CheckRuntimes | undefined;
};

async function* allChecks(
  { watch, retention, site, choice, own }: Checked,
  { checkRuntimes, ...options }: Options,
): AsyncGenerator<EnvironmentCheck> {
  let isRepeatable = true;
  for await (const one of checkEnvironment(watch.spec, options)) {
    if (one.check === "replay") isRepeatable = one.status === "passed";
    yield one;
  }
  if (site !== null) {
    const redaction = async () => checkRedaction(site, watch.spec, options.tasks);
    yield { check: "redaction", ...(await findingOf(redaction, options.signal)) };
  }
  yield* checkWithModel(watch, choice, options.signal);
  if (retention !== null) yield await retentionCheck(retention, options);
  const timeout = watch.timeout();
  const obstacle = timeout === null ? null : `not run, because ${timeout}`;
  if (checkRuntimes !== undefined && own !== null) {
    // What differs within Node differs elsewhere too.
    const unrepeatable = isRepeatable ? null : "not run, because the check replay failed";
    yield* checkRuntimes(own, { ...options, obstacle: obstacle ?? unrepeatable });
  }
  if (site === null) return;
  const page = async (): Promise<EnvironmentCheck> =>
    obstacle === null
      ? checkPage(site, options.signal)
      : { check: "page", status: "skipped", words: obstacle };
  yield { check: "page", ...(await findingOf(page, options.signal)) };
}

/** One line for the environment that practice must not harm. Rules of practice do not count for it. */
async function retentionCheck(
  spec: EnvironmentSpec,
  options: Omit<Options, "checkRuntimes">,
): Promise<EnvironmentCheck> {
  const passed: string[] = [];
  for await (const { check, status, words, task } of checkEnvironment(spec, {
    ...options,
    use: "retention",
  })) {
    if (status === "failed") {
      return { check: "retention", status, words: `${spec.name}: ${check}: ${words}`, task };
    }
    if (status === "passed") passed.push(check);
  }
  return {
    check: "retention",
    status: "passed",
    words: `${spec.name} passes ${passed.join(", ")}; the gate plays its held-out tasks, and nothing trains on them`,
  };
}

function modelChoice({ folder, definition: { model, base = {} } }: LoadedSite): ModelChoice {
  return { model: model && resolve(folder, model), base: siteBase(folder, base) };
}

/** The modules of the user's environment; `null` if it is built in. */
function ownModule(
  source: string,
  site: LoadedSite | null,
  spec: EnvironmentSpec,
): CheckedEnvironment | null {
  if (site !== null) {
    const { environment, reward } = site.files;
    if (environment === null) return null;
    return { spec, file: environment, exportName: "default", reward, project: site.folder };
  }
  if (ENVIRONMENTS.includes(spec)) return null;
  const project = process.cwd();
  const { module, exportName } = moduleSource(source);
  const file = resolvedFile("check", module, project);
  return { spec, file, exportName, reward: null, project };
}
