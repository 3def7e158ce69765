/**
 * The adapters that act beside the policy: those of roles as their engines have them, a slow copy, past
 * checkpoints. What they learn is the update's business; this puts them where they can speak.
 */
import { callDivider } from "@waggle/agent";
import { addOpponent, averagedWeights } from "@waggle/learning";
import type { OpponentPool, Roles, Stage, StateValues } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { adapterOf } from "../update/adapter-tensors.ts";
import { setParameters } from "../update/engine-parameters.ts";
import type { ActingPolicy } from "../rollouts/environment-rollout.ts";
import type { ActingRoles } from "../rollouts/role-policy.ts";
import type { RecipeModels } from "../update/recipe-models.ts";

export type RoleStoreParts = {
  /** One that cannot keep adapters is told of none: its contexts say so where a role speaks. */
  readonly policy: ActingPolicy & Partial<Pick<AdaptivePolicy, "loadAdapter" | "unloadAdapter">>;
  readonly models: RecipeModels;
  readonly format: ChatFormat;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
};

/** What it keeps from step to step. */
export type SavedRoles = {
  readonly history: ReadonlyMap<string, readonly TensorMap[]>;
  readonly checkpoints: ReadonlyMap<string, TensorMap>;
};

export class RoleStore {
  readonly #parts: RoleStoreParts;
  /** Of each role after each update, newest last. */
  readonly #history: Map<string, readonly TensorMap[]>;
  /** Past checkpoints of the policy, by the names that the pool has. */
  readonly #checkpoints: Map<string, TensorMap>;
  /** Ids of what the policy has loaded. */
  #loaded: string[] = [];
  #count = 0;

  constructor(parts: RoleStoreParts, saved?: SavedRoles) {
    this.#parts = parts;
    this.#history = new Map(saved?.history);
    this.#checkpoints = new Map(saved?.checkpoints);
  }

  get saved(): SavedRoles {
    return { history: new Map(this.#history), checkpoints: new Map(this.#checkpoints) };
  }

  /**
   * Roles that begin as copies are copied, roles that act are what their engines are, and the policy as
   * it is joins its past selves where there is a pool of them.
   *
   * @returns the state with the pool as it is then.
   */
  async begin(stage: Stage, policy: TrainEngine, before: StateValues): Promise<StateValues> {
    const copies = rolesIn(stage).flatMap((roles) => Object.entries(roles.copies ?? {}));
    for (const [role, source] of copies) {
      const parameters = await this.#engine(source, policy).parameters();
      await setParameters(this.#engine(role, policy), parameters);
    }
    this.#history.clear();
    await this.#remember();
    if (stage.state.opponents === undefined) return before;
    const name = `checkpoint-${this.#checkpoints.size + 1}`;
    this.#checkpoints.set(name, adapterOf(await policy.parameters()));
    return { ...before, opponents: addOpponent(before.opponents as OpponentPool, name) };
  }

  /** After an update: averages follow, and what roles are now is kept beside what they were. */
  async learned(stage: Stage, policy: TrainEngine): Promise<void> {
    const averages = rolesIn(stage).flatMap((roles) => Object.entries(roles.averages ?? {}));
    for (const [role, decay] of averages) {
      const slow = this.#engine(role, policy);
      const [before, now] = [await slow.parameters(), await policy.parameters()];
      await setParameters(slow, averaged(before, now, decay));
    }
    await this.#remember();
  }

  async #remember(): Promise<void> {
    for (const [role, engine] of this.#parts.models) {
      const before = this.#history.get(role) ?? [];
      this.#history.set(role, [...before, adapterOf(await engine.parameters())].slice(-MOST_LAG));
    }
  }

  /**
   * Loads who acts in a stage.
   *
   * @param lag updates that they are behind.
   * @param opponent the checkpoint that the pool's roles act with; default the newest.
   * @returns `undefined` where the policy acts alone.
   */
  async acting(
    stage: Stage,
    lag: number,
    opponent?: string | null,
  ): Promise<ActingRoles | undefined> {
    const all = rolesIn(stage);
    if (all.length === 0) return undefined;
    const past = stage.state.opponents?.roles?.names ?? [];
    const checkpoint = this.#checkpoints.get(
      opponent ?? [...this.#checkpoints.keys()].at(-1) ?? "",
    );
    await this.clear();
    const adapters = new Map<string, string>();
    for (const role of all.flatMap(({ names }) => names)) {
      const own = this.#history.get(role) ?? [];
      const tensors = past.includes(role) ? checkpoint : (own.at(-1 - lag) ?? own[0]);
      if (tensors === undefined) continue;
      this.#count += 1;
      const id = `${role}#${this.#count}`;
      await this.#parts.policy.loadAdapter?.(id, { ...this.#parts.adapterShape, tensors });
      this.#loaded.push(id);
      adapters.set(role, id);
    }
    const divides = all.find((roles) => roles.divides !== undefined)?.divides;
    return {
      adapters,
      divider: divides === undefined ? undefined : callDivider(this.#parts.format, divides),
      roleOf: all.find(({ roleOf }) => roleOf !== undefined)?.roleOf,
      deploys: all.find(({ deploys }) => deploys !== undefined)?.deploys,
    };
  }

  /** Takes off the policy what was put there: it may be another run's next. */
  async clear(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = [];
    for (const id of loaded) await this.#parts.policy.unloadAdapter?.(id);
  }

  #engine(role: string, policy: TrainEngine): TrainEngine {
    const engine = role === "policy" ? policy : this.#parts.models.get(role);
    if (engine !== undefined) return engine;
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `a role must have an engine, got none for ${role}; name it in the stage's state`,
    );
  }
}

/** Updates that a role may be behind. */
const MOST_LAG = 9;

function rolesIn({ state }: Stage): Roles[] {
  return Object.values(state).flatMap(({ roles }) => (roles === undefined ? [] : [roles]));
}

function averaged(slow: TensorMap, current: TensorMap, decay: number): TensorMap {
  const wide = (tensors: TensorMap): Map<string, Float64Array> =>
    new Map([...tensors].map(([name, { data }]) => [name, Float64Array.from(data)]));
  const weights = averagedWeights(wide(slow), wide(current), decay);
  return new Map(
    [...slow].map(([name, { shape }]) => [
      name,
      { shape, data: Float32Array.from(weights.get(name) ?? []) },
    ]),
  );
}
