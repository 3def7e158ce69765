/**
 * Arithmetic for the calculate tool: + - * / and parentheses on decimal numbers. It is a hand-written
 * recursive-descent parser, because it runs on the edge on text that a model wrote. The npm packages either
 * evaluate functions and variables (expr-eval, unmaintained, with open advisories) or weigh hundreds of
 * kilobytes (mathjs).
 */
import { WaggleError } from "@waggle/protocol";

const MAX_LENGTH = 200;
const MAX_DEPTH = 32;

function refuse(what: string): WaggleError {
  return new WaggleError(
    "INVALID_TOOL_ARGUMENTS",
    `an expression must be arithmetic such as 3*45, got ${what}; use numbers, + - * / and parentheses`,
  );
}

/**
 * The value of an arithmetic expression.
 * @throws WaggleError `INVALID_TOOL_ARGUMENTS` for anything else, and for results that are not finite.
 */
export function evaluateExpression(expression: string): number {
  if (expression.length > MAX_LENGTH) throw refuse(`${expression.length} characters`);
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/()]|\S/g) ?? [];
  let position = 0;

  const sum = (depth: number): number => {
    let value = product(depth);
    while (tokens[position] === "+" || tokens[position] === "-") {
      const sign = tokens[position++] === "+" ? 1 : -1;
      value += sign * product(depth);
    }
    return value;
  };
  const product = (depth: number): number => {
    let value = factor(depth);
    while (tokens[position] === "*" || tokens[position] === "/") {
      const times = tokens[position++] === "*";
      const right = factor(depth);
      value = times ? value * right : value / right;
    }
    return value;
  };
  const factor = (depth: number): number => {
    if (depth > MAX_DEPTH) throw refuse("too many nested parentheses or signs");
    const token = tokens[position++];
    if (token === "-") return -factor(depth + 1);
    if (token === "+") return factor(depth + 1);
    if (token === "(") {
      const value = sum(depth + 1);
      if (tokens[position++] !== ")") throw refuse("an open parenthesis");
      return value;
    }
    const value = token === undefined ? Number.NaN : Number(token);
    if (Number.isNaN(value)) throw refuse(token === undefined ? "nothing" : `"${token}"`);
    return value;
  };

  const value = sum(0);
  if (position < tokens.length) throw refuse(`"${tokens[position]?.slice(0, 8)}"`);
  if (!Number.isFinite(value)) throw refuse("a result that is not finite");
  // Rounded to ten digits: exact for money, and 0.1 + 0.2 gives 0.3.
  return Number(value.toPrecision(10));
}
