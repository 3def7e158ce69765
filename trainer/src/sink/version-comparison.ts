/**
 * Compares published versions on the same held-out tasks and seeds. Reads the trainer's state folder,
 * or the edge if there is none; neither process has to be running for the other.
 */
import { join } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  type PairedDifference,
  type SuccessByTemperature,
  type SuccessRate,
  pairedDifference,
  successRate,
} from "@waggle/evaluation";
import { WaggleError } from "@waggle/protocol";
import { createAdapterCache } from "../model/adapter-cache.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openTrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import { knownVersion } from "../edge/edge-following.ts";
import { evaluateVersion } from "../evaluation/frozen-evaluation.ts";
import type { FrozenTasks } from "../evaluation/frozen-tasks.ts";
import { createGuidanceCache } from "../model/guidance-cache.ts";
import { taskProgress } from "../evaluation/task-progress.ts";
import { successByTemperature, temperatureName } from "../evaluation/temperature.ts";
import { openPolicy } from "../model/open-model.ts";
import { requireTurnTokens } from "../rollouts/turn-limit.ts";
import type { KnownVersion } from "../checkpoint/trainer-state.ts";

export type VersionSource = {
  readonly stateFolder: string;
  /** Used if the folder has no state or lacks an adapter. */
  readonly edge: () => EdgeClient;
};

/** How far one version's evaluation at one temperature is. */
export type ComparisonProgress = {
  readonly version: number;
  /** `greedy`, or the temperature as a number. */
  readonly temperature: string;
  readonly done: number;
  readonly tasks: number;
};

/** Success rates of versions with intervals, and their paired difference. */
export type Comparison = {
  readonly tasks: number;
  readonly versions: readonly {
    readonly version: number;
    /** Rate in [0, 1]. */
    readonly success: number;
    readonly successes: number;
    readonly interval: SuccessRate["interval"];
  }[];
  /** Last version minus first, on the same tasks. */
  readonly paired: PairedDifference | null;
  /** Success at the tasks whose pattern training does not have; `null` if there are none. */
  readonly unseenPatterns: {
    readonly tasks: number;
    readonly versions: readonly { readonly version: number; readonly success: number }[];
  } | null;
};

/**
 * Success by task of each version and temperature; default the base and the stable version at
 * temperature 1.
 */
export async function evaluateVersions(
  model: BaseModel,
  options: {
    readonly versions?: readonly number[];
    readonly threads?: number;
    /** 0 is greedy. */
    readonly temperatures?: readonly number[];
    /** Environments of the user that the tasks may name. */
    readonly environments?: readonly EnvironmentSpec[];
    readonly onProgress?: (progress: ComparisonProgress) => void;
  },
  tasks: FrozenTasks,
  source: VersionSource,
  signal: AbortSignal,
): Promise<Map<number, SuccessByTemperature>> {
  // The base model alone needs neither state nor edge.
  const isBaseOnly = options.versions?.every((version) => version === 0) ?? false;
  const known = isBaseOnly ? { stable: 0, versions: [] } : await knownVersions(source);
  const adapterCache = createAdapterCache({
    folder: join(source.stateFolder, "adapters"),
    config: model.config,
    download: (digest) => source.edge().getObject(digest),
  });
  const texts = createGuidanceCache((digest) => source.edge().getObject(digest));
  const policy = await openPolicy(model, options.threads);
  const results = new Map<number, SuccessByTemperature>();
  try {
    requireTurnTokens(tasks.turnTokens, policy.contextLength);
    for (const version of new Set(options.versions ?? [0, known.stable])) {
      const listed = known.versions.find((candidate) => candidate.version === version);
      if (listed === undefined && version !== 0) throw unknownVersion(version);
      const adapter = listed?.adapter ? await adapterCache.get(listed.adapter) : null;
      const guidance = listed?.guidance ? await texts.get(listed.guidance) : null;
      const temperatures = options.temperatures ?? [1];
      const found = await successByTemperature(temperatures, async (sampling, value) => {
        const { environments, onProgress } = options;
        const temperature = temperatureName(value);
        const onTask = taskProgress(tasks.count, (done) =>
          onProgress?.({ version, temperature, done, tasks: tasks.count }),
        );
        const parts = { policy, format: model.format, sampling, guidance, environments, onTask };
        return (await evaluateVersion(parts, tasks, version, adapter, signal)).successes;
      });
      results.set(version, found);
    }
  } finally {
    await policy.dispose();
  }
  return results;
}

/** Success of each version at one temperature, to detect sharpening without learning. */
export type TemperatureComparison = {
  /** `greedy`, or the temperature as a number. */
  readonly temperature: string;
  readonly versions: readonly { readonly version: number; readonly success: number }[];
};

/** The comparison at one temperature. */
export function atTemperature(
  temperature: number,
  results: ReadonlyMap<number, SuccessByTemperature>,
): TemperatureComparison {
  return {
    temperature: temperatureName(temperature),
    versions: [...results].map(([version, found]) => ({
      version,
      success: successRate(found.get(temperature) ?? []).rate,
    })),
  };
}

/**
 * Rates, intervals and the paired difference between the last and the first version, at temperature 1.
 *
 * @param isUnseen - `[tasks]` whether training lacks the task's pattern.
 */
export function comparison(
  results: ReadonlyMap<number, SuccessByTemperature>,
  isUnseen: readonly boolean[],
): Comparison {
  const sampled = [...results].map(([version, found]) => [version, found.get(1) ?? []] as const);
  const all = sampled.map(([, outcomes]) => outcomes);
  const [first, last] = [all[0], all.at(-1)];
  return {
    tasks: first?.length ?? 0,
    versions: sampled.map(([version, outcomes]) => {
      const { successes, rate, interval } = successRate(outcomes);
      return { version, success: rate, successes, interval };
    }),
    paired: first && last && all.length > 1 ? pairedDifference(first, last) : null,
    unseenPatterns: isUnseen.includes(true)
      ? {
          tasks: isUnseen.filter(Boolean).length,
          versions: sampled.map(([version, outcomes]) => ({
            version,
            success: successRate(outcomes.filter((_, i) => isUnseen[i])).rate,
          })),
        }
      : null,
  };
}

async function knownVersions(
  source: VersionSource,
): Promise<{ stable: number; versions: readonly KnownVersion[] }> {
  const saved = await openTrainerCheckpoints(source.stateFolder).load();
  if (saved !== null) return { stable: saved.state.stableVersion, versions: saved.state.versions };
  const { stable, policies } = await source.edge().policies();
  return {
    stable,
    versions: policies.map(knownVersion),
  };
}

function unknownVersion(version: number): WaggleError {
  return new WaggleError(
    "POLICY_VERSION_UNKNOWN",
    `--versions names version ${version}, which is not published; list versions with the status command`,
  );
}
