/** Digests the code of a file. Comments, whitespace and names of tests do not affect the digest. */
import { createHash } from "node:crypto";
import { parseSync } from "vite";
import { childOf, childrenOf, nameOf, type SyntaxNode } from "./syntax.ts";

const NAMED = new Set(["test", "it", "describe"]);

/** The digest in hex. */
export function codeDigest(file: string, text: string): string {
  const { program, comments } = parseSync(file, text);
  const left = [...comments, ...namesOfTests(program as unknown as SyntaxNode)];
  let code = "";
  let from = 0;
  for (const { start, end } of left.toSorted((a, b) => a.start - b.start)) {
    code += text.slice(from, start);
    from = end;
  }
  code = (code + text.slice(from)).replaceAll(/\s+/g, " ");
  return createHash("sha256").update(code).digest("hex").slice(0, 12);
}

function namesOfTests(node: SyntaxNode): SyntaxNode[] {
  const inside = childrenOf(node).flatMap(([, child]) => namesOfTests(child));
  const callee = childOf(node, "callee");
  if (node.type !== "CallExpression" || !NAMED.has(nameOf(callee) ?? "")) return inside;
  const [name] = node["arguments"] as readonly SyntaxNode[];
  return name?.type === "Literal" ? [name, ...inside] : inside;
}
