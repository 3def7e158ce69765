/**
 * Prints values in templates as Python does: `None`, `True`, `['a', 'b']`. @huggingface/jinja prints nothing for none,
 * and booleans and lists as JSON.
 */

/** Name of the function that printed expressions are passed to. Templates cannot contain it. */
export const PRINT = "$print";

/** A node of the library's syntax tree. */
type Node = { readonly type: string; readonly operator?: { readonly value: string } };

/** Expressions with a value of any type. */
const PRINTED: ReadonlySet<string> = new Set([
  "Identifier",
  "MemberExpression",
  "CallExpression",
  "FilterExpression",
  "SelectExpression",
  "TestExpression",
  "Ternary",
  "UnaryExpression",
]);

/** Binary operators whose result is not a number or a text. */
const LOGICAL = /^(?:[=!]=|[<>]=?|in|not in|and|or)$/;

/** Members that contain statements. */
const BLOCKS: ReadonlySet<string> = new Set(["body", "alternate", "defaultBlock"]);

/** Changes a parsed template, so that it prints what `pythonText` returns. */
export function printAsPython(block: object): void {
  for (const [name, statements] of Object.entries(block)) {
    if (!BLOCKS.has(name) || !Array.isArray(statements)) continue;
    for (const [i, statement] of (statements as Node[]).entries()) {
      const { type, operator } = statement;
      const isPrinted =
        PRINTED.has(type) || (type === "BinaryExpression" && LOGICAL.test(operator?.value ?? ""));
      if (isPrinted) (statements as object[])[i] = printed(statement);
      else printAsPython(statement);
    }
  }
}

function printed(expression: Node): object {
  const callee = { type: "Identifier", value: PRINT };
  // The library passes none and undefined values alike. Variables are cheap to evaluate twice.
  const isVariable = ["Identifier", "MemberExpression"].includes(expression.type);
  const none = { type: "Identifier", value: "none" };
  const isNone = { type: "TestExpression", operand: expression, negate: false, test: none };
  const args = isVariable ? [expression, isNone] : [expression];
  return { type: "CallExpression", callee, args };
}

/** A value of the library, inside of a list or an object. */
type RuntimeValue = { readonly type: string; readonly value: unknown };

/** The text that Python prints for a list, an object, a boolean or none. Other values are returned as they are. */
export function pythonText(value: unknown, isNone = false): unknown {
  if (isNone) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    return `[${(value as RuntimeValue[]).map((item) => inner(item)).join(", ")}]`;
  }
  if (!(value instanceof Map)) return value;
  const members = [...(value as Map<string, RuntimeValue>)];
  return `{${members.map(([key, item]) => `${quoted(key)}: ${inner(item)}`).join(", ")}}`;
}

function inner({ type, value }: RuntimeValue): string {
  return typeof value === "string"
    ? quoted(value)
    : String(pythonText(value, type === "NullValue"));
}

/** As `repr`, without its escapes for characters that cannot be printed. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}
