/**
 * A form to fill in from a request and to send. Each field is rewarded when it is first set correctly,
 * and so is sending. Success means that every field is correct and the form was sent.
 */
import { pick } from "./draw.ts";
import { type Task, type TaskReference, WaggleError, mulberry32, hashText } from "@waggle/protocol";
import { z } from "zod";
import { drawInstance } from "./environment-task.ts";
import { type RunnableTools, tool } from "./runnable-tool.ts";
import { type Demonstrator, leveledReferences, type EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const NAME = "form";
const VALUES = {
  day: ["monday", "tuesday", "friday", "sunday"],
  time: ["noon", "six", "seven", "eight", "nine"],
  people: ["two", "three", "four", "five", "six"],
  seat: ["window", "garden", "corner", "bar"],
} as const;
type Field = keyof typeof VALUES;
const FIELDS = Object.keys(VALUES) as Field[];
/** Number of fields in a task, by level. */
const COUNTS = [2, 3, 4] as const;

const PHRASES: { readonly [field in Field]: string } = {
  day: "on {value}",
  time: "at {value}",
  people: "for {value} people",
  seat: "at the {value}",
};

type FormInstance = { readonly wanted: readonly (readonly [Field, string])[] };
type Form = {
  readonly wanted: ReadonlyMap<Field, string>;
  readonly set: Map<string, string>;
  /** Reward of each turn with calls. */
  readonly paid: number[];
  /** Fields that have been rewarded. */
  readonly done: Set<string>;
  isSent: boolean;
};

function instance(reference: TaskReference): FormInstance {
  const count = COUNTS[reference.seed % COUNTS.length] as number;
  return drawInstance(
    NAME,
    reference,
    (random) => {
      const fields = [...FIELDS];
      while (fields.length > count) fields.splice(Math.floor(random() * fields.length), 1);
      return { wanted: fields.map((field) => [field, pick(random, VALUES[field])] as const) };
    },
    ({ wanted }) => wanted.flat().join("/"),
  );
}

function task(reference: TaskReference): Task {
  const { wanted } = instance(reference);
  const random = mulberry32(hashText(`words/${reference.split}/${reference.seed}`));
  const phrases = wanted.map(([field, value]) => PHRASES[field].replace("{value}", value));
  const order = phrases.toSorted(() => random() - 0.5);
  return {
    ...reference,
    kind: `fields-${wanted.length}`,
    template: "0",
    system: "You fill in a form.",
    request: `A table ${order.join(" ")}.`,
  };
}

const TOOLS: RunnableTools<Form> = {
  set: tool({
    description: "Set day, time, people or seat.",
    schema: z.strictObject({ field: z.string().max(16), value: z.string().max(16) }),
    run: ({ field, value }, form: Form) => {
      if (!FIELDS.some((known) => known === field)) {
        throw new WaggleError("TOOL_FAILED", "no such field");
      }
      form.set.set(field, value);
      return "ok";
    },
  }),
  send: tool({
    description: "Send the form.",
    schema: z.strictObject({}),
    run: (_, form: Form) => {
      form.isSent = true;
      return "sent";
    },
  }),
};

/** Rewards a turn: for fields that are correct for the first time, and for sending a correct form. */
function payTurn(form: Form): void {
  const share = 1 / (form.wanted.size + 1);
  let earned = 0;
  for (const [field, value] of form.wanted) {
    if (form.set.get(field) !== value || form.done.has(field)) continue;
    form.done.add(field);
    earned += share;
  }
  if (form.isSent && isRight(form)) earned += share;
  form.paid.push(earned);
}

function isRight({ wanted, set }: Form): boolean {
  return (
    set.size === wanted.size && [...wanted].every(([field, value]) => set.get(field) === value)
  );
}

/** In [0, 1]: how near each wanted field is to its value, and the sending; 1 only for a success. */
function closenessOf({ wanted, set, isSent }: Form): number {
  const near = [...wanted].map(([field, value]) => nearness(field, set.get(field), value));
  const sent = isSent && [...set.keys()].every((field) => wanted.has(field as Field)) ? 1 : 0;
  return (near.reduce((sum, one) => sum + one, 0) + sent) / (wanted.size + 1);
}

/** 1 less the distance in a field whose values have an order; seats have none. */
function nearness(field: Field, value: string | undefined, wanted: string): number {
  if (value === wanted) return 1;
  const values: readonly string[] = VALUES[field];
  const place = values.indexOf(value ?? "");
  if (field === "seat" || place < 0) return 0;
  return 1 - Math.abs(place - values.indexOf(wanted)) / (values.length - 1);
}

function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
): Demonstrator {
  const left = [...instance(reference).wanted];
  let isSent = false;
  return () => {
    if (isSent) return { text: "Done.", calls: [] };
    let next = left.shift();
    // Mistakes: skip a field or write another value.
    if (next !== undefined && random() < mistakes / 4) next = left.shift();
    if (next === undefined) {
      isSent = true;
      if (random() < mistakes / 4) return { text: "Done.", calls: [] };
      return { text: "", calls: [{ name: "send", arguments: {} }] };
    }
    const [field, right] = next;
    const value = random() < mistakes / 3 ? pick(random, VALUES[field]) : right;
    return { text: "", calls: [{ name: "set", arguments: { field, value } }] };
  };
}

/** Levels are forms with 2, 3 and 4 fields. */
export const FORM: EnvironmentSpec = {
  ...leveledReferences(NAME, COUNTS.length),
  features: ["turn-rewards"],
  maxTurns: 8,
  measures: ["progress", "closeness"],
  task,
  create: (reference) => {
    const form: Form = {
      wanted: new Map(instance(reference).wanted),
      set: new Map(),
      paid: [],
      done: new Set(),
      isSent: false,
    };
    return {
      environment: createToolEnvironment({
        task: task(reference),
        tools: TOOLS,
        state: form,
        afterCalls: (state) => {
          payTurn(state);
          return state.isSent;
        },
      }),
      judge: () => {
        const success = form.isSent && isRight(form);
        const reward = success ? 1 : form.paid.reduce((sum, paid) => sum + paid, 0);
        return {
          reward,
          success,
          parts: {
            fields: form.done.size,
            sent: form.isSent,
            closeness: closenessOf(form),
          },
          turnRewards: [...form.paid],
        };
      },
    };
  },
  demonstrator,
};
