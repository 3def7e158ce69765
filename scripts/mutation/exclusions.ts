/**
 * Code that is not mutated: types, documentation and messages, logging, and changes that are equivalent by rule. The
 * list is in docs/evidence/mutation.md.
 */
import { bare, childOf, childrenOf, nameOf, type SyntaxNode } from "./syntax.ts";

/** Fields whose texts document something. */
const DOCUMENTATION = new Set([
  "description",
  "summary",
  "title",
  "message",
  "literature",
  "paper",
  "differs",
  "difference",
]);
const LOGGING = /^(log|logger|logged|say|warn|info|debug)$/;
const WRAPPERS = /^TS(As|Satisfies|NonNull|Instantiation)\w*$|^TSParameterProperty$/;
const ERROR = /Error$/;

/** Whether the child and everything in it is excluded. `parents` starts with the nearest. */
export function isExcluded(
  child: SyntaxNode,
  key: string,
  parents: readonly SyntaxNode[],
): boolean {
  const [parent] = parents;
  if (parent === undefined) return false;
  if (child.type.startsWith("TS") && !WRAPPERS.test(child.type)) return true;
  if (WRAPPERS.test(parent.type) && key === "typeAnnotation") return true;
  if (
    /^(Import|ExportAll)/.test(parent.type) ||
    (parent.type.startsWith("Export") && key === "source")
  )
    return true;
  if (parent.type === "TaggedTemplateExpression" && key === "quasi") return true;
  // Names of fields and members.
  if (key === "key" || (key === "property" && parent.type === "MemberExpression"))
    return parent["computed"] !== true;
  if (parent.type === "Property" && key === "value") {
    return DOCUMENTATION.has(nameOrText(childOf(parent, "key")));
  }
  if (key === "arguments" && /^(Call|New)Expression$/.test(parent.type)) {
    return isForPeople(parent, child);
  }
  return isIndexDefault(child, key, parent) || isNever(child);
}

/** Whether the node itself is excluded, although its children may change. */
export function isKept(node: SyntaxNode, parents: readonly SyntaxNode[]): boolean {
  const [parent] = parents;
  if (node.type === "ExpressionStatement") {
    const inner = bare(childOf(node, "expression"));
    const call = inner?.type === "AwaitExpression" ? bare(childOf(inner, "argument")) : inner;
    const callee = call?.type === "CallExpression" ? childOf(call, "callee") : undefined;
    return typeof node["directive"] === "string" || callee?.type === "Super" || isLogging(callee);
  }
  // A condition that is always false is the same mutant.
  if (node.type === "ThrowStatement") {
    const owner = parent?.type === "BlockStatement" ? parents[1] : parent;
    const isAlone = parent?.type !== "BlockStatement" || bodyOf(parent).length === 1;
    return owner?.type === "IfStatement" && isAlone;
  }
  if (node.type === "BreakStatement" && parent?.type === "SwitchCase") {
    const cases = parents[1]?.["cases"] as readonly SyntaxNode[] | undefined;
    return cases?.at(-1) === parent;
  }
  if (node.type === "LogicalExpression" && node["operator"] === "??") {
    return isIndexed(childOf(node, "left"));
  }
  if (node.type === "MemberExpression" && node["optional"] === true) {
    return isIndexed(childOf(node, "object"));
  }
  return false;
}

/** Messages of errors, log lines and descriptions of schemas. The code of a WaggleError is not a message. */
function isForPeople(call: SyntaxNode, argument: SyntaxNode): boolean {
  const callee = childOf(call, "callee");
  const name = nameOf(callee) ?? "";
  const first = (call["arguments"] as readonly SyntaxNode[])[0];
  if (call.type === "NewExpression") {
    return (
      ERROR.test(name) && (name === "Error" || name.endsWith("TypeError") || argument !== first)
    );
  }
  return name === "describe" || name === "meta" || isLogging(callee);
}

function isLogging(callee: SyntaxNode | undefined): boolean {
  if (callee?.type === "MemberExpression") {
    const owner = nameOf(childOf(callee, "object")) ?? "";
    return owner === "console" || LOGGING.test(owner);
  }
  return LOGGING.test(nameOf(callee) ?? "");
}

/**
 * `xs[i] ?? 0` and `[first = 0] = xs` satisfy noUncheckedIndexedAccess. The index is in range, so the default is
 * never used.
 */
function isIndexDefault(child: SyntaxNode, key: string, parent: SyntaxNode): boolean {
  if (parent.type === "LogicalExpression" && parent["operator"] === "??" && key === "right") {
    return isIndexed(childOf(parent, "left"));
  }
  return parent.type === "ArrayPattern" && child.type === "AssignmentPattern";
}

function isIndexed(node: SyntaxNode | undefined): boolean {
  const inner = bare(node);
  return inner?.type === "MemberExpression" && inner["computed"] === true;
}

/** `default: throw fault(kind satisfies never)`: a branch that the types prove unreachable. */
function isNever(node: SyntaxNode): boolean {
  if (node.type === "SwitchCase") return childOf(node, "test") === undefined && holdsNever(node);
  return node.type === "ThrowStatement" && holdsNever(node);
}

function holdsNever(node: SyntaxNode): boolean {
  const type = node.type === "TSSatisfiesExpression" ? childOf(node, "typeAnnotation") : undefined;
  return type?.type === "TSNeverKeyword" || childrenOf(node).some(([, child]) => holdsNever(child));
}

const bodyOf = (block: SyntaxNode): readonly SyntaxNode[] => block["body"] as readonly SyntaxNode[];

function nameOrText(key: SyntaxNode | undefined): string {
  const value = key?.["value"];
  return typeof value === "string" ? value : (nameOf(key) ?? "");
}
