/**
 * A site as the edge and the trainer of a live run know it: without its environment. No task is assigned, nothing is verified by
 * replay, and no verifier gates a version: the people who use it decide in a release.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LivePeople } from "../people/person.ts";
import type { Site } from "../site/site.ts";

/** Variables of the edge about tasks, which such a site cannot have. */
const OF_TASKS = ["TASK_ENVIRONMENT", "GATE_RETENTION_TASKS", "GATE_PROBE_TASKS"];

/** The site without its environment. */
export function withoutEnvironment(site: Site): Site {
  const { source: _, practice: __, trainerArguments = [], edgeVariables = {}, ...rest } = site;
  const { taskEnvironment: ___, ...settings } = site.settings;
  return {
    ...rest,
    environment: null,
    settings,
    // Of a config: --env and the folder, then the site's training.
    trainerArguments: trainerArguments.filter((_argument, i, all) => !isOfPractice(all, i)),
    edgeVariables: Object.fromEntries(
      Object.entries(edgeVariables).filter(([name]) => !OF_TASKS.includes(name)),
    ),
  };
}

function isOfPractice(all: readonly string[], i: number): boolean {
  const named = ["--env", "--tools"];
  return named.includes(all[i] ?? "") || named.includes(all[i - 1] ?? "");
}

/** Requests of both versions after which a candidate that is no worse is promoted. */
const HORIZON = 600;

/**
 * How people decide about a version in a run of some minutes: half of the visitors get it at once, because a smaller share would
 * take longer to answer than the run has time.
 */
export function liveRelease({ signal, answering }: LivePeople): { GATE_RELEASE: string } {
  return {
    GATE_RELEASE: JSON.stringify({
      metric: signal === "thumb" ? "thumb" : "solved",
      responseRate: answering,
      horizon: HORIZON,
      stages: [{ share: 0.5, exposure: 0.05 }],
    }),
  };
}

/** Files and folders that know what people want. The trainer of a live run cannot load modules of them. */
export function refusedModules(site: Site): string[] {
  const dev = join(import.meta.dirname, "..");
  return [
    // The whole package, with its sources and as it was built.
    dirname(dirname(fileURLToPath(import.meta.resolve("@waggle/environments")))),
    join(dev, "people"),
    join(dev, "backend"),
    ...(site.modules?.() ?? []),
  ];
}
