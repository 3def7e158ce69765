/** All mutants of a source file, and marks that show which tests reach them. */
import { isExcluded, isKept } from "./exclusions.ts";
import { type Replacement, replacementsOf } from "./operators.ts";
import { childrenOf, parseSource, type SyntaxNode } from "./syntax.ts";

type MutationSite = Replacement & {
  /** The innermost mark that runs before the changed code; 0 runs when the file is loaded. */
  readonly mark: number;
};

/** The mutants and the marks of a file. */
export type SourceSites = {
  readonly sites: readonly MutationSite[];
  /** Number of marks besides 0. */
  readonly marks: number;
  /** The source with a call of the global function `reach` at every mark. */
  readonly marked: (reach: string) => string;
};

/** How a call is inserted: `{ call; … }`, `(call, …)`, `{ call; … }` around a statement, `call; …`. */
type Form = "block" | "expression" | "statement" | "before";
type Mark = { readonly node: SyntaxNode; readonly form: Form };

/** Parses a file and finds its mutants. */
export function readSites(file: string, source: string): SourceSites {
  const sites: MutationSite[] = [];
  const marks: Mark[] = [];

  const visit = (node: SyntaxNode, parents: readonly SyntaxNode[], mark: number): void => {
    if (!isKept(node, parents)) {
      for (const one of replacementsOf(node, source)) sites.push({ ...one, mark });
    }
    for (const [key, child] of childrenOf(node)) {
      if (isExcluded(child, key, [node, ...parents])) continue;
      const form = formOf(child, key, node);
      if (form !== null) marks.push({ node: child, form });
      visit(child, [node, ...parents], form === null ? mark : marks.length);
    }
  };
  visit(parseSource(file, source), [], 0);
  return { sites, marks: marks.length, marked: (reach) => withMarks(file, source, marks, reach) };
}

function formOf(child: SyntaxNode, key: string, parent: SyntaxNode): Form | null {
  if (child.type === "BlockStatement") return "block";
  if (parent.type === "ArrowFunctionExpression" && key === "body") return "expression";
  if (key !== "consequent" && key !== "alternate") return null;
  if (parent.type === "ConditionalExpression") return "expression";
  if (parent.type === "IfStatement") return "statement";
  return parent.type === "SwitchCase" ? "before" : null;
}

function withMarks(file: string, source: string, marks: readonly Mark[], reach: string): string {
  const callOf = (mark: number): string => `globalThis.${reach}?.("${file}:${mark}")`;
  const opening = new Map<number, string>([[0, `${callOf(0)};`]]);
  const closing = new Map<number, string>();
  for (const [i, { node, form }] of marks.entries()) {
    const call = callOf(i + 1);
    const [at, text, end] = {
      block: [node.start + 1, `${call};`, ""] as const,
      expression: [node.start, `(${call}, `, ")"] as const,
      statement: [node.start, `{ ${call}; `, "}"] as const,
      before: [node.start, `${call}; `, ""] as const,
    }[form];
    // Outer marks come first: openings in that order, closings in reverse.
    opening.set(at, (opening.get(at) ?? "") + text);
    closing.set(node.end, end + (closing.get(node.end) ?? ""));
  }
  const places = [...new Set([...opening.keys(), ...closing.keys()])].toSorted((a, b) => a - b);
  let text = "";
  let from = 0;
  for (const at of places) {
    text += source.slice(from, at) + (closing.get(at) ?? "") + (opening.get(at) ?? "");
    from = at;
  }
  return text + source.slice(from);
}
