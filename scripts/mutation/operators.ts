/** Mutation operators: the possible replacements of a syntax node. */
import { bare, childOf, nameOf, type SyntaxNode } from "./syntax.ts";

/** One replacement of a range of the source. */
export type Replacement = {
  /** Kind of change, such as `comparison` or `number`. */
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

const COMPARISONS: { readonly [operator: string]: readonly string[] } = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "==": ["!="],
  "!=": ["=="],
};
const ARITHMETIC: { readonly [operator: string]: string } = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
  "<<": ">>",
  ">>": "<<",
  ">>>": "<<",
  "&": "|",
  "|": "&",
  "^": "&",
};
const ASSIGNMENTS: { readonly [operator: string]: string } = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "||=": "&&=",
  "??=": "&&=",
};
const LOGICAL: { readonly [operator: string]: string } = { "&&": "||", "||": "&&" };
const METHODS: { readonly [name: string]: string } = {
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
};
/** Calls that can be dropped, because the object before them has the same type. */
const DROPPED = new Set([
  "filter",
  "slice",
  "toSorted",
  "sort",
  "toReversed",
  "reverse",
  "trim",
  "toLowerCase",
  "toUpperCase",
  "concat",
  "subarray",
]);
/** Smaller numbers are tolerances. Tests should not depend on doubling them. */
const TOLERANCE = 1e-3;

/** Every replacement of one node. Its children are handled separately. */
export function replacementsOf(node: SyntaxNode, source: string): Replacement[] {
  const text = (part: SyntaxNode | undefined): string =>
    part === undefined ? "" : source.slice(part.start, part.end);
  const whole = (operator: string, to: string): Replacement => ({
    operator,
    start: node.start,
    end: node.end,
    text: to,
  });
  /** Replaces the operator between `left` and `right`. */
  const between = (name: string, operators: readonly string[]): Replacement[] => {
    const [left, right] = [childOf(node, "left"), childOf(node, "right")];
    const old = String(node["operator"]);
    if (left === undefined || right === undefined) return [];
    const start = source.indexOf(old, left.end);
    return operators.map((to) => ({ operator: name, start, end: start + old.length, text: to }));
  };
  const decided = (test: SyntaxNode | undefined, values: readonly boolean[]): Replacement[] =>
    test === undefined || bare(test)?.type === "Literal"
      ? []
      : values.map((value) => ({
          operator: "condition",
          start: test.start,
          end: test.end,
          text: String(value),
        }));

  switch (node.type) {
    case "BinaryExpression": {
      const operator = String(node["operator"]);
      const compared = COMPARISONS[operator];
      if (compared !== undefined) return between("comparison", compared);
      const other = ARITHMETIC[operator];
      if (other === undefined || (operator === "+" && isText(node))) return [];
      return between("arithmetic", [other]);
    }
    case "LogicalExpression": {
      const operator = String(node["operator"]);
      const other = LOGICAL[operator];
      if (other !== undefined) return between("logic", [other]);
      return [
        whole("default", `(${text(childOf(node, "left"))})`),
        whole("default", `(${text(childOf(node, "right"))})`),
      ];
    }
    case "AssignmentExpression": {
      const other = ASSIGNMENTS[String(node["operator"])];
      return other === undefined || isText(node) ? [] : between("assignment", [other]);
    }
    case "UpdateExpression": {
      const to = node["operator"] === "++" ? "--" : "++";
      const argument = text(childOf(node, "argument"));
      return [whole("step", node["prefix"] === true ? to + argument : argument + to)];
    }
    case "UnaryExpression":
      if (node["operator"] === "!") return [whole("negation", text(childOf(node, "argument")))];
      if (node["operator"] !== "-") return [];
      return [whole("sign", text(childOf(node, "argument")))];
    case "IfStatement":
    case "ConditionalExpression":
      return decided(childOf(node, "test"), [true, false]);
    case "WhileStatement":
    case "ForStatement":
      return decided(childOf(node, "test"), [false]);
    case "Literal":
      return literalReplacements(node, whole);
    case "TemplateLiteral":
      return (node["quasis"] as readonly SyntaxNode[]).every((part) => part.start === part.end)
        ? []
        : [whole("text", '""')];
    case "ArrayExpression":
      return (node["elements"] as readonly unknown[]).length === 0 ? [] : [whole("array", "[]")];
    case "ExpressionStatement":
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return [whole("statement", ";")];
    case "MemberExpression":
      return node["optional"] === true ? [optionalRemoved(node, source)] : [];
    case "CallExpression":
      return callReplacements(node, source, whole);
    default:
      return [];
  }
}

function literalReplacements(
  node: SyntaxNode,
  whole: (operator: string, to: string) => Replacement,
): Replacement[] {
  const value = node["value"];
  if (typeof value === "boolean") return [whole("boolean", String(!value))];
  if (typeof value === "string") return [whole("text", value === "" ? '"mutant"' : '""')];
  if (typeof value !== "number") return [];
  if (value === 0) return [whole("number", "1")];
  if (!Number.isInteger(value)) {
    return Math.abs(value) < TOLERANCE ? [] : [whole("number", `(${value} * 2)`)];
  }
  return [whole("number", String(value + 1)), whole("number", `(${value - 1})`)];
}

function callReplacements(
  node: SyntaxNode,
  source: string,
  whole: (operator: string, to: string) => Replacement,
): Replacement[] {
  const callee = childOf(node, "callee");
  if (node["optional"] === true && callee !== undefined) return [optionalRemoved(node, source)];
  if (callee?.type !== "MemberExpression" || callee["computed"] === true) return [];
  const [object, property] = [childOf(callee, "object"), childOf(callee, "property")];
  const name = nameOf(property) ?? "";
  if (object === undefined || property === undefined) return [];
  const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (other !== undefined) {
    return [{ operator: "method", start: property.start, end: property.end, text: other }];
  }
  return DROPPED.has(name) ? [whole("call", source.slice(object.start, object.end))] : [];
}

/** `a?.b` → `a.b`, `a?.[b]` → `a[b]`, `a?.(b)` → `a(b)`. */
function optionalRemoved(node: SyntaxNode, source: string): Replacement {
  const before = childOf(node, "object") ?? childOf(node, "callee");
  const start = source.indexOf("?.", before?.end ?? node.start);
  const isNamed = node.type === "MemberExpression" && node["computed"] === false;
  return { operator: "optional", start, end: start + 2, text: isNamed ? "." : "" };
}

/** Whether `+` joins texts; with `-` the types would fail. */
function isText(node: SyntaxNode): boolean {
  return [childOf(node, "left"), childOf(node, "right")].some((side) => {
    const inner = bare(side);
    if (inner?.type === "TemplateLiteral") return true;
    if (inner?.type === "BinaryExpression") return isText(inner);
    return inner?.type === "Literal" && typeof inner["value"] === "string";
  });
}
