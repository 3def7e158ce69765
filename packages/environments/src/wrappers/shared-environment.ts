/**
 * One environment in which several roles act in rounds. In each round all roles act before any of them gets
 * an observation, and their actions reach the environment in the order of the roles. A role that acts without
 * a call has finished its own part. The environment decides when the task ends.
 */
import type {
  Action,
  Environment,
  FirstObservation,
  Observation,
  ToolResult,
} from "@waggle/protocol";
import type { JudgedEnvironment } from "../environment-spec.ts";

type Waiting = {
  readonly action: Action;
  readonly signal: AbortSignal;
  readonly resolve: (observation: Observation) => void;
  readonly reject: (error: unknown) => void;
};

/** Gives each role a view of the same environment. */
export class SharedEnvironment {
  readonly #judged: JudgedEnvironment;
  readonly #roles: readonly string[];
  readonly #active: Set<string>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #callers: string[] = [];
  #first: Promise<FirstObservation> | null = null;
  #hasEnded = false;

  constructor(instance: JudgedEnvironment, roles: readonly string[]) {
    this.#judged = instance;
    this.#roles = roles;
    this.#active = new Set(roles);
  }

  /** The role that made the calls of each turn that reached the environment, in order. */
  get callers(): readonly string[] {
    return this.#callers;
  }

  /** The environment as one role sees it. */
  view(role: string): JudgedEnvironment {
    const environment: Environment = {
      task: this.#judged.environment.task,
      observe: () => (this.#first ??= this.#judged.environment.observe()),
      step: (action, signal) =>
        new Promise((resolve, reject) => {
          this.#waiting.set(role, { action, signal, resolve, reject });
          void this.#round();
        }),
    };
    return { environment, judge: (text) => this.#judged.judge(text) };
  }

  /** Removes a role. The others no longer wait for it. */
  leave(role: string): void {
    this.#active.delete(role);
    void this.#round();
  }

  /** Runs a round once every active role has acted. */
  async #round(): Promise<void> {
    if (this.#waiting.size === 0 || [...this.#active].some((role) => !this.#waiting.has(role))) {
      return;
    }
    const acting = this.#roles.flatMap((role) => {
      const waiting = this.#waiting.get(role);
      return waiting === undefined ? [] : [{ role, ...waiting }];
    });
    this.#waiting.clear();
    const heard: (() => void)[] = [];
    for (const { role, action, signal, resolve, reject } of acting) {
      try {
        const observation = await this.#act(role, action, signal);
        heard.push(() => resolve(observation));
      } catch (error) {
        heard.push(() => reject(error));
      }
    }
    for (const hear of heard) hear();
  }

  async #act(role: string, action: Action, signal: AbortSignal): Promise<Observation> {
    const { toolCalls } = action;
    if (toolCalls.length === 0) return { toolResults: [], terminated: true };
    if (this.#hasEnded) {
      const toolResults = toolCalls.map(({ id }): ToolResult => ({
        callId: id,
        ok: false,
        error: { code: "TOOL_FAILED", message: "the task has ended" },
      }));
      return { toolResults, terminated: true };
    }
    this.#callers.push(role);
    const observation = await this.#judged.environment.step(action, signal);
    this.#hasEnded = observation.terminated;
    return observation;
  }
}
