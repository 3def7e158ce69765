/**
 * The base of an environment in a table of runs. The expectations can make it differ from the default
 * base, so that it leaves room for learning.
 */
import { join } from "node:path";
import { environmentNamed, type EnvironmentSpec } from "@waggle/environments";
import type { BaseModel } from "../model/base-model.ts";
import type { BaseProgress } from "../pretrain/base-training.ts";
import {
  ENVIRONMENT_BASE,
  environmentBase,
  type EnvironmentBaseRecipe,
} from "../pretrain/environment-base.ts";

/** What differs from the default base. */
type BaseChanges = Partial<Pick<EnvironmentBaseRecipe, "mistakes" | "habits" | "habit" | "steps">>;

/** The bases that the expectations change, by environment. */
export type BasesByEnvironment = { readonly [environment: string]: BaseChanges };

export type EvidenceBaseOptions = {
  /** Folder of the environments' base models. */
  readonly folder: string;
  readonly changes: BasesByEnvironment;
  readonly onProgress: (progress: BaseProgress) => void;
  readonly signal: AbortSignal;
};

/**
 * Reads the base, or trains it.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an unknown environment; the signal's reason.
 */
export async function evidenceBase(
  environment: string,
  { folder, changes, onProgress, signal }: EvidenceBaseOptions,
): Promise<{ readonly spec: EnvironmentSpec; readonly model: BaseModel }> {
  const spec = environmentNamed(environment);
  const changed = Object.entries(changes[environment] ?? {});
  // The default base keeps its folder, which other commands share.
  const name = [spec.name, ...changed.map(([key, value]) => `${key}-${value}`)].join("-");
  const model = await environmentBase(
    spec,
    join(folder, name),
    { ...ENVIRONMENT_BASE, ...changes[environment] },
    { onProgress, signal },
  );
  return { spec, model };
}
