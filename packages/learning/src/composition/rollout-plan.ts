/**
 * How trajectories come about, as data: a rollout part makes a plan and the trainer carries it out. Not a
 * driver.
 */
import type { DemonstrationForm } from "../rollouts/demonstration-form.ts";
import type { Piece } from "../rollouts/retelling.ts";
import type { EnvironmentChange } from "../rollouts/environment-change.ts";
import type { CustomRollout } from "./custom-rollout.ts";
import type { JudgedTrajectory, JudgedGroup } from "./judged-trajectory.ts";

/** Pieces of rollouts as one, with these words wherever one is left for the next. */
export type Retelling = { readonly pieces: readonly Piece[]; readonly words: string };
/** Retells a group of trajectories as one text to learn from; `null` if there is nothing to retell. */
export type Retells = (trajectories: readonly JudgedTrajectory[]) => Retelling | null;

/** How trajectories come about; the trainer carries it out. */
export type RolloutPlan =
  /** `size` trajectories of each task from its start; 1 = no group. */
  | {
      readonly kind: "group";
      readonly size: number;
      readonly modes?: readonly string[];
      /** Around the environment, one for each trajectory in turn; `null` = as it is. */
      readonly environments?: readonly (EnvironmentChange | null)[];
      /** Demonstrations of each task beside the trajectories, in the role `reference`. */
      readonly references?: number;
    }
  /** `size` trajectories of each task, at most `turns` turns now; those that were cut before go on first. */
  | {
      readonly kind: "partial";
      readonly size: number;
      readonly turns: number;
      /** Of a whole trajectory. */
      readonly most: number;
      readonly unfinished: readonly JudgedGroup[];
    }
  /** The environment's own demonstrator, with a share of its decisions made at random. */
  | {
      readonly kind: "demos";
      /** What of its demonstrations is told as one more, in the role `retold`; default nothing. */
      readonly retells?: Retells;
      readonly size: number;
      /** One share, or one for each demonstrator in turn. */
      readonly mistakes: number | readonly number[];
      /** Sentences of the system message, one for each demonstration in turn. */
      readonly modes?: readonly string[];
      /** Rollouts of the policy at the same task, before the demonstrations; default 0. */
      readonly students?: number;
      /** What each demonstration in turn is of, in the role of that name; default the task itself. */
      readonly forms?: readonly DemonstrationForm[];
      /** At training tasks of the same level in the task's place; default no. */
      readonly neighbors?: boolean;
      /** Who made each demonstration, in turn over all tasks as `mistakes` is, in that role. */
      readonly names?: readonly string[];
    }
  /** Whole trajectories, and branches that leave them where `branch` says. */
  | {
      readonly kind: "branch";
      readonly whole: number;
      readonly size: number;
      /**
       * Asked of every turn that follows a tool result: is this a place to branch?
       * @param entropies `[turns]` mean entropy of the first sampled tokens of each turn so far, in nats.
       */
      readonly branchAt: (
        entropies: readonly number[],
        branchesInARow: number,
        random: () => number,
      ) => boolean;
    }
  /** `size` actions of the policy at single turns of stored trajectories. */
  | { readonly kind: "pivot"; readonly size: number }
  /**
   * Goes on from the first turns of a stored trajectory. With `continuations` the group holds that trajectory
   * too, as `expert`, and so many rollouts that go on from its next turn, and from the policy's.
   */
  | {
      readonly kind: "prefix";
      readonly size: number;
      readonly source: "failed" | "expert";
      readonly continuations?: number;
    }
  /** `size` rollouts at each task, each going on from a turn of an earlier one. */
  | {
      readonly kind: "tree";
      readonly size: number;
      /** Where the next one begins: so many turns of a rollout; `null` = from the start. */
      readonly next: (
        task: string,
        trajectories: readonly JudgedTrajectory[],
      ) => { readonly rollout: string; readonly turns: number } | null;
      /** What of its rollouts is told as one more, in the role `retold`; default nothing. */
      readonly retells?: Retells;
    }
  /** A failed rollout is told of its failure and tries again in the same context. */
  | {
      readonly kind: "retry";
      readonly size: number;
      readonly guidance: string;
      /**
       * So many answers in all, each told of its failure, and then a teacher that errs so often; turns are
       * paid what their answer was worth. Default one more, and no teacher.
       */
      readonly trials?: { readonly most: number; readonly teacher: number };
    }
  /**
   * Each turn in a context of its own: the request, what was noted so far, the last result. A trajectory a
   * turn, all judged by the rollout's end.
   */
  | {
      readonly kind: "folded";
      /** How often the demonstrator errs; `null` = the policy acts. */
      readonly mistakes: number | null;
      /** Whether a note may replace all before it. */
      readonly consolidates: boolean;
      /** Rollouts at each task, each joint over its turns; default 1. */
      readonly size?: number;
      /**
       * In an environment with a memory of its own: who keeps it and who answers from it. A turn's context
       * is then what the environment says, and the role follows from that. Default nobody.
       */
      readonly managed?: { readonly manager: string; readonly answerer: string };
      /** Whether every call and its result are noted, whatever the policy says beside them. */
      readonly records?: boolean;
    }
  /**
   * Two rollouts of the policy at each task, the second told `rethink`, in the role `student`; then both
   * again and a demonstration, in the roles of the situations, the later two with their words said first.
   */
  | { readonly kind: "situated"; readonly rethink: string; readonly words: SituationWords }
  /**
   * Stored trajectories, no environment. Beside each of them actions of the policy at one of its turns, in
   * the role `proposal`; the environment answers them where they are to be `answered`.
   */
  | {
      readonly kind: "log";
      readonly size: number;
      readonly proposals: { readonly count: number; readonly answered?: boolean };
    }
  /** A person acts for `turns` turns after `failures` failed ones in a row, and gives back. */
  | {
      readonly kind: "takeover";
      readonly size: number;
      readonly failures: number;
      readonly turns: number;
    }
  /** Tensors that `moves` says are moved by seeded noise, one trajectory of each task a perturbation. */
  | {
      readonly kind: "noise";
      readonly perturbations: number;
      readonly scale: number;
      readonly moves: (tensor: string) => boolean;
    }
  /** `size` joint rollouts of each task, each of them by all `roles`, in their order. */
  | {
      readonly kind: "team";
      readonly size: number;
      /**
       * `together`: one environment, a conversation each, nobody sees the others of a round. `relay`: one
       * after the other, each reads what those before it answered. `apart`: nobody knows of the others.
       */
      readonly how: "together" | "relay" | "apart";
      /** The checkpoint that plays the role `opponent`. */
      readonly opponent?: string | null;
      readonly roles: readonly string[];
      /** Of the system message, by role. */
      readonly sentences?: { readonly [role: string]: string };
    }
  /** The policy sets `proposals` tasks for each reference and tries each that can be read `rollouts` times. */
  | {
      readonly kind: "proposals";
      readonly proposals: number;
      readonly attempts: number;
      /** Demonstrations of how a task is set, in the role `shown`. */
      readonly shown: number;
      /** Who searches documents, in an environment that has some; default nobody. */
      readonly searches?: "both" | "setter";
    }
  /** Whatever the recipe's own file says. */
  | { readonly kind: "custom"; readonly mechanism: CustomRollout }
  /** Nothing is rolled out. */
  | { readonly kind: "none" };

export type Situation = "go-on" | "rethink" | "ask";
export type SituationWords = { readonly [situation in Exclude<Situation, "go-on">]: string };
