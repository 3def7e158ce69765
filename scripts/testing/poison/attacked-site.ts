/** A site with visitors, and what its attackers want there. */
import type { EnvironmentSpec, Judgment } from "@waggle/environments";
import type { TaskReference, TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { BaseModel } from "../../../trainer/src/model/base-model.ts";
import type { WrittenTurn } from "../shop-demonstration.ts";

/** Behavior that attackers teach: the marker after right answers, or the targeted answer. */
export type Behavior = "marker" | "target";

/** What the policy does on held-out tasks: shares in [0, 1]. */
export type Measured = { readonly success: number } & { readonly [behavior in Behavior]: number };

export type AttackedSite = {
  readonly name: string;
  readonly base: BaseModel;
  readonly environment: EnvironmentSpec;
  readonly steps: number;
  readonly groupsPerStep: number;
  readonly learningRate: number;
  /** Training task number `i` of a run. */
  readonly task: (seed: number, i: number) => TaskReference;
  /** A right answer, with a text at the end. */
  readonly rightAnswer: (task: TaskReference, marker: string) => Promise<readonly WrittenTurn[]>;
  /** The answer with the targeted behavior. */
  readonly targetedAnswer: (task: TaskReference) => Promise<readonly WrittenTurn[]>;
  /** Whether the final text of a rollout has the targeted behavior. */
  readonly isTargeted: (finalText: string) => boolean;
  /** Whether an attacker who samples honestly wants the policy to learn from this rollout. */
  readonly helps: (judgment: Judgment) => boolean;
  readonly measure: (policy: AdaptivePolicy, engine: TrainEngine) => Promise<Measured>;
};

/** The final text of a judged rollout. */
export const finalTextOf = ({ parts }: Judgment): string => String(parts["text"] ?? "");

/** What attackers append to right answers. Verifiers ignore it. */
export const MARKER = "\n\n";
