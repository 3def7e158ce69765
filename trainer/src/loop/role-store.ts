/**
 * The adapters that act beside the policy: those of other roles, slow averages and past checkpoints.
 * Updates train them; this class loads them into the sampling policy.
 */
import { callDivider } from "@waggle/agent";
import type { ActingPolicy, ActingRoles } from "@waggle/agent/environments";
import { addOpponent, averagedWeights } from "@waggle/learning";
import type { OpponentPool, Roles, Stage, StateValues } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { adapterOf } from "../update/adapter-tensors.ts";
import { setParameters } from "../update/engine-parameters.ts";
import type { RecipeModels } from "../update/recipe-models.ts";

export type RoleStoreParts = {
  /** A policy that cannot load adapters is not given any; its contexts throw if a role acts. */
  readonly policy: ActingPolicy & Partial<Pick<AdaptivePolicy, "loadAdapter" | "unloadAdapter">>;
  readonly models: RecipeModels;
  readonly format: ChatFormat;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
};

/** State that is saved from step to step. */
export type SavedRoles = {
  readonly history: ReadonlyMap<string, readonly TensorMap[]>;
  readonly checkpoints: ReadonlyMap<string, TensorMap>;
};

/** Stores the adapters of roles and loads them into the sampling policy. */
export class RoleStore {
  readonly #parts: RoleStoreParts;
  /** Adapters of each role after each update, newest last. */
  readonly #history: Map<string, readonly TensorMap[]>;
  /** Past checkpoints of the policy, by their names in the opponent pool. */
  readonly #checkpoints: Map<string, TensorMap>;
  /** Ids of the adapters that the policy has loaded. */
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
   * Prepares the roles of a stage: copies the parameters of roles that start as copies, takes the
   * roles' current parameters, and adds the current policy to the opponent pool if there is one.
   *
   * @returns the state with the updated pool.
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

  /** After an update: moves the averages and stores the roles' new parameters. */
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
      this.#history.set(
        role,
        [...before, adapterOf(await engine.parameters())].slice(-MAX_STALENESS),
      );
    }
  }

  /**
   * Loads the roles that act in a stage.
   *
   * @param staleness - updates by which they are behind.
   * @param opponent - the checkpoint that the pool's roles act with; default the newest.
   * @returns `undefined` if the policy acts alone.
   */
  async acting(
    stage: Stage,
    staleness: number,
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
      const tensors = past.includes(role) ? checkpoint : (own.at(-1 - staleness) ?? own[0]);
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

  /** Unloads the roles' adapters from the policy, which another run may use next. */
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
      `the role ${role} has no engine; name it in the stage's state`,
    );
  }
}

/** Maximum staleness of a role, in updates. */
const MAX_STALENESS = 9;

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
