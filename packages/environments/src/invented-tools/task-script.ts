/** Everything about one task: what the user says, which calls are right, what they return, and a right answer. */
import type { DemonstratedAction } from "../environment-spec.ts";
import type { InventedTool } from "./invented-tool.ts";
import type { Parameter } from "./invented-tool.ts";
import { argumentsOf, type Wish } from "./wish.ts";

/** What the environment needs to know about a tool. */
export type ScriptTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Pick<Parameter, "name" | "field" | "isRequired">[];
  readonly changes: boolean;
};

export type CallArguments = { readonly [name: string]: unknown };

/** A call that the task needs, with its result. A failure is the text of the tool's error. */
export type ScriptCall = {
  readonly name: string;
  readonly arguments: CallArguments;
  readonly result: { readonly value: unknown } | { readonly failure: string };
};

export type TaskScript = {
  readonly kind: string;
  readonly template: string;
  readonly tools: readonly ScriptTool[];
  readonly request: string;
  /** The question that must come first, and the user's reply to it. */
  readonly question?: { readonly text: string; readonly reply: string };
  /** Calls by turn. */
  readonly rounds: readonly (readonly ScriptCall[])[];
  readonly answer: string;
  /** Texts that the answer must contain. Case does not count. */
  readonly facts: readonly string[];
  /** What the answer must say: that it is impossible, that it failed, or neither. */
  readonly tone: "plain" | "refusal" | "failure";
  /** A mistake that a careless policy makes: a wrong last turn with calls, or a wrong answer. */
  readonly slip: DemonstratedAction;
};

export const scriptTool = ({
  name,
  description,
  parameters,
  action,
}: InventedTool): ScriptTool => ({
  name,
  description,
  parameters,
  changes: action.changes,
});

/** The call of a wish, with its result. */
export function scriptCall(wish: Wish, result: ScriptCall["result"]): ScriptCall {
  return { name: wish.tool.name, arguments: argumentsOf(wish), result };
}

/** A turn with one call and no text. */
export const callTurn = (name: string, args: CallArguments): DemonstratedAction => ({
  text: "",
  calls: [{ name, arguments: { ...args } }],
});

/** A turn of text. */
export const textTurn = (text: string): DemonstratedAction => ({ text, calls: [] });
