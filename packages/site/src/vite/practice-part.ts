/**
 * The part of an environment that a page practices with: its tasks, tools and user. Its verifier and its demonstrations
 * would tell visitors how to be rewarded. They stay in the file, for the trainer.
 */
import { parseSync, Visitor } from "oxc-parser";

/** Fields of a definition that only the trainer and `waggle check` use. */
const UNPRACTICED: ReadonlySet<string> = new Set(["demonstrate", "mistake", "gold", "nearMiss"]);
/** Every definition has a verifier, so this one takes its place. */
const NO_VERIFIER = 'verify() { throw new Error("this page has no verifier"); }';

type Cut = { readonly start: number; readonly end: number; readonly instead: string };

/** What is left of a module. */
export type PracticePart = {
  /** The module's lines stay where they are. */
  readonly code: string;
  /** False if a definition is no object that is written in the call. Such a definition is not changed. */
  readonly isComplete: boolean;
};

/**
 * The module without the verifiers and demonstrations of its `defineEnvironment({ … })` calls; `null` if there are none.
 *
 * @param keepsVerifier - for pages that judge tasks themselves.
 */
export function practicePart(
  file: string,
  code: string,
  keepsVerifier: boolean,
): PracticePart | null {
  if (!code.includes("defineEnvironment")) return null;
  const cuts: Cut[] = [];
  let calls = 0;
  let isComplete = true;
  new Visitor({
    CallExpression({ callee, arguments: [definition] }) {
      if (callee.type !== "Identifier" || callee.name !== "defineEnvironment") return;
      calls += 1;
      if (definition?.type !== "ObjectExpression") {
        isComplete = false;
        return;
      }
      for (const property of definition.properties) {
        if (property.type !== "Property" || property.computed) continue;
        const { key, start, end } = property;
        const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? key.value : "";
        if (name === "verify" && !keepsVerifier) cuts.push({ start, end, instead: NO_VERIFIER });
        if (!UNPRACTICED.has(String(name))) continue;
        cuts.push({ start, end, instead: `${String(name)}: undefined` });
      }
    },
  }).visit(parseSync(file, code).program);
  return calls === 0 ? null : { code: withCuts(code, cuts), isComplete };
}

function withCuts(code: string, cuts: readonly Cut[]): string {
  let left = code;
  for (const { start, end, instead } of cuts.toReversed()) {
    const lines = code.slice(start, end).replaceAll(/[^\n]/g, "");
    left = left.slice(0, start) + instead + lines + left.slice(end);
  }
  return left;
}
