/**
 * A calculator that sometimes fails: the answer needs the tool, and the tool is sometimes busy. A policy
 * that gives up or guesses fails; one that calls again succeeds. Reward is 0 or 1.
 */
import { pick, integerBelow } from "./draw.ts";
import { type Task, type TaskReference, WaggleError, mulberry32, hashText } from "@waggle/protocol";
import { z } from "zod";
import { evaluateExpression } from "./expression.ts";
import { drawInstance, isOfSplit } from "./environment-task.ts";
import { ledgerProposer } from "./ledger.ts";
import { type RunnableTools, tool } from "./runnable-tool.ts";
import {
  type Demonstrator,
  leveledReferences,
  type EnvironmentSpec,
  type TaskProposals,
  type JudgedEnvironment,
} from "./environment-spec.ts";
import { proposalSolver } from "./proposal-solver.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const NAME = "calculator";
/** Chance that a call fails, by level. */
const FAILURES = [0, 0.3, 0.5] as const;
/** Maximum number of consecutive failures. The next call works, so every task can be solved. */
const MAX_FAILURES = 4;

type CalculatorInstance = { readonly expression: string; readonly answer: number };
type Counter = {
  readonly seed: number;
  readonly failure: number;
  readonly answer: number;
  calls: number;
  failed: number;
  /** Whether the tool was asked for the answer, and whether it has said it. */
  isAsked: boolean;
  isFound: boolean;
};

function instance(reference: TaskReference): CalculatorInstance {
  return drawInstance(
    NAME,
    reference,
    (random) => {
      const terms = Array.from({ length: 2 + integerBelow(random, 2) }, () =>
        String(2 + integerBelow(random, 48)),
      );
      const expression = terms.reduce((text, term) => `${text}${pick(random, ["+", "*"])}${term}`);
      return { expression, answer: evaluateExpression(expression) };
    },
    ({ expression }) => expression,
  );
}

function task(reference: TaskReference, { expression } = instance(reference)): Task {
  return {
    ...reference,
    kind: `failures-${FAILURES[reference.seed % FAILURES.length]}`,
    template: "0",
    system: "You calculate.",
    request: `What is ${expression}?`,
  };
}

const TOOLS: RunnableTools<Counter> = {
  calculate: tool({
    description: "Evaluate arithmetic. Sometimes busy.",
    schema: z.strictObject({ expression: z.string().max(64) }),
    run: ({ expression }, counter: Counter) => {
      counter.calls += 1;
      if (asksFor(expression, counter.answer)) counter.isAsked = true;
      const draw = mulberry32(hashText(`${NAME}/${counter.seed}/${counter.calls}`))();
      if (draw < counter.failure && counter.failed < MAX_FAILURES) {
        counter.failed += 1;
        throw new WaggleError("TOOL_FAILED", "busy");
      }
      counter.failed = 0;
      const value = evaluateExpression(expression);
      if (value === counter.answer) counter.isFound = true;
      return value;
    },
  }),
};

function asksFor(expression: string, answer: number): boolean {
  try {
    return evaluateExpression(expression) === answer;
  } catch {
    // What cannot be evaluated asks for nothing; the call itself says so.
    return false;
  }
}

function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
  { expression } = instance(reference),
): Demonstrator {
  let asked = false;
  return (observation) => {
    const result = observation?.toolResults[0];
    if (result?.ok === true) return { text: String(result.value), calls: [] };
    // Mistakes: guess at once, give up after a failure, or mistype.
    if (random() < (asked ? mistakes : mistakes / 3)) {
      return { text: String(10 + integerBelow(random, 90)), calls: [] };
    }
    asked = true;
    const typed = random() < mistakes / 4 ? expression.replace(/\d$/, "0") : expression;
    return { text: "", calls: [{ name: "calculate", arguments: { expression: typed } }] };
  };
}

function create(reference: TaskReference, drawn = instance(reference)): JudgedEnvironment {
  const { answer } = drawn;
  const failure = FAILURES[reference.seed % FAILURES.length] as number;
  const counter: Counter = {
    seed: reference.seed,
    failure,
    answer,
    calls: 0,
    failed: 0,
    isAsked: false,
    isFound: false,
  };
  return {
    environment: createToolEnvironment({
      task: task(reference, drawn),
      tools: TOOLS,
      state: counter,
    }),
    judge: (finalText) => {
      const said = /^-?\d+$/.test((finalText ?? "").trim()) ? Number(finalText) : null;
      const success = said === answer;
      // Asking, hearing and saying it: who gives up after a failed call has come further than who guesses.
      const progress = success ? 1 : (Number(counter.isAsked) + Number(counter.isFound)) / 3;
      const parts = { answer, calls: counter.calls, progress };
      return { reward: success ? 1 : 0, success, parts };
    },
  };
}

/** Levels set how often the tool fails: never, in 30 % and in half of the calls. */
const ENVIRONMENT = {
  ...leveledReferences(NAME, FAILURES.length),
  maxTurns: MAX_FAILURES + 3,
  measures: ["progress"] as const,
  task,
  create,
  demonstrator,
};

/** Expressions that may be proposed: two or three numbers of at most two digits. */
const PROPOSAL = /^\d{1,2}(?:[+*]\d{1,2}){1,2}$/;

/** The proposed instance, or `null` if it is malformed or belongs to the other split. */
function proposed(text: string, reference: TaskReference): CalculatorInstance | null {
  const expression = text.trim();
  return PROPOSAL.test(expression) && isOfSplit(reference, expression)
    ? { expression, answer: evaluateExpression(expression) }
    : null;
}

const PROPOSALS: TaskProposals = {
  proposer: {
    ...ENVIRONMENT,
    maxTurns: 1,
    task: proposerTask,
    create: (reference) => ({
      environment: createToolEnvironment({ task: proposerTask(reference), tools: {}, state: null }),
      judge: (finalText) => {
        const success = proposed(finalText ?? "", reference) !== null;
        return { reward: success ? 1 : 0, success, parts: {} };
      },
    }),
    // A mistake appends an operator without a number.
    demonstrator: (reference, random, mistakes) => () => {
      const { expression } = instance(reference);
      return { text: random() < mistakes ? `${expression}+` : expression, calls: [] };
    },
  },
  solver: proposalSolver(ENVIRONMENT, proposed, { task, create, demonstrator }),
};

function proposerTask(reference: TaskReference): Task {
  return { ...task(reference), kind: "proposal", system: "You set tasks.", request: "Set one." };
}

export const CALCULATOR: EnvironmentSpec = {
  ...ENVIRONMENT,
  proposals: PROPOSALS,
  documented: {
    ...PROPOSALS,
    proposer: ledgerProposer(ENVIRONMENT, (text, reference) => proposed(text, reference) !== null),
  },
};
