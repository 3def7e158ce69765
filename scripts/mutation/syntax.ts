/** The syntax tree of a source file from Vite's parser, and functions to walk it. */
import { isObject } from "@waggle/protocol";
import { parseSync } from "vite";

/** A node of the ESTree. */
export type SyntaxNode = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  isObject(value) && "type" in value && "start" in value;

/** @throws if the file cannot be parsed. */
export function parseSource(file: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  return program as unknown as SyntaxNode;
}

/** Children with the name of their field, in source order. */
export function childrenOf(node: SyntaxNode): [key: string, child: SyntaxNode][] {
  return Object.entries(node).flatMap(([key, value]) =>
    [value]
      .flat()
      .flatMap((child): [string, SyntaxNode][] => (isSyntaxNode(child) ? [[key, child]] : [])),
  );
}

/** The child in a field; undefined if the field is empty. */
export function childOf(node: SyntaxNode | undefined, key: string): SyntaxNode | undefined {
  const child = node?.[key];
  return isSyntaxNode(child) ? child : undefined;
}

/** The expression inside parentheses, casts and `!`. */
export function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const wrappers = /^(ParenthesizedExpression|TS(As|Satisfies|NonNull)\w*|ChainExpression)$/;
  return node !== undefined && wrappers.test(node.type) ? bare(childOf(node, "expression")) : node;
}

/** The name of an identifier or of the last member of a chain: `log` in `console.log`. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  const inner = bare(node);
  if (inner?.type === "MemberExpression" && inner["computed"] === false) {
    return nameOf(childOf(inner, "property"));
  }
  const name = inner?.["name"];
  return typeof name === "string" ? name : undefined;
}
