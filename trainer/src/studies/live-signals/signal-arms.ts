/** What the people of each arm say, the recipe that learns from it, and the gain that issue 18 asks for. */

/** A way in which a person says how an answer was. */
export type Signal = "thumb" | "outcome" | "message" | "correction" | "edit";

/** One arm of the study. */
export type SignalArm = {
  readonly name: string;
  readonly gives: readonly Signal[];
  readonly recipe: string;
  /** The recipe's own settings; default its values. */
  readonly settings?: { readonly [name: string]: number };
  /** Optimizer steps on the same requests; default 1. */
  readonly epochs?: number;
  /** Points above the base that are asked for; `null` = none. */
  readonly target: number | null;
};

/** Few people write a text, and each text is used this often. */
export const TEXT_EPOCHS = 4;

/** The signals of OpenClaw-RL: what people write next, and the texts of corrections. */
const TALK = {
  gives: ["message", "correction"],
  epochs: TEXT_EPOCHS,
  target: null,
} as const satisfies Partial<SignalArm>;

/** Names of arms that are compared at equal budgets. */
export type FormulaArms = {
  /** OpenClaw-RL's own formula, with both terms. */
  readonly formula: string;
  readonly others: readonly string[];
};

export const SIGNAL_ARMS: readonly SignalArm[] = [
  { name: "thumbs", gives: ["thumb"], recipe: "thumbs-reinforce", target: 8 },
  { name: "outcomes", gives: ["outcome"], recipe: "outcomes-reinforce", target: 15 },
  { name: "messages", gives: ["message"], recipe: "messages-reinforce", target: 8 },
  {
    name: "corrections",
    gives: ["correction"],
    recipe: "openclaw-distill",
    epochs: TEXT_EPOCHS,
    target: 15,
  },
  {
    name: "edits",
    gives: ["edit"],
    recipe: "corrections-imitate",
    epochs: TEXT_EPOCHS,
    target: 15,
  },
  {
    name: "all-rewards",
    gives: ["thumb", "outcome", "message"],
    recipe: "signals-reinforce",
    target: 20,
  },
  {
    name: "all-openclaw",
    gives: ["thumb", "outcome", "message", "correction"],
    recipe: "openclaw-rl",
    target: 20,
  },
  {
    name: "all-five",
    gives: ["thumb", "outcome", "message", "correction", "edit"],
    recipe: "all-signals",
    target: 20,
  },
  {
    name: "all-own",
    gives: ["thumb", "outcome", "message", "correction"],
    recipe: "signals-reinforce",
    target: null,
  },
  { name: "talk-both", ...TALK, recipe: "openclaw-rl" },
  { name: "talk-rewards", ...TALK, recipe: "openclaw-rl", settings: { hindsightWeight: 0 } },
  { name: "talk-distillation", ...TALK, recipe: "openclaw-rl", settings: { rewardWeight: 0 } },
  { name: "talk-own", ...TALK, recipe: "signals-reinforce" },
];

/** Arms with the same signals and the same number of steps on them, which differ in what a token's advantage is. */
export const FORMULA_ARMS: readonly FormulaArms[] = [
  {
    formula: "talk-both",
    others: ["talk-rewards", "talk-distillation", "talk-own"],
  },
  { formula: "all-openclaw", others: ["all-own"] },
];

/** Share of requests after which a person gives a signal, if half of the answers are right. */
export const ANSWERING: { readonly [signal in Signal]: number } = {
  thumb: 0.1,
  outcome: 0.5,
  message: 0.2,
  correction: 0.2,
  edit: 0.1,
};

/** Probability that a signal says the opposite of what the person thinks. */
export const WRONG = 0.15;
