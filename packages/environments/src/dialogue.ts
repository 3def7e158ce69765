/**
 * A simulated visitor who leaves out part of what they want: the policy must ask for it before booking.
 * The visitor answers one question per turn and never acts. Success is a booking of exactly what the
 * visitor had in mind.
 */
import { pick } from "./draw.ts";
import { type Task, type TaskReference, WaggleError, mulberry32, hashText } from "@waggle/protocol";
import { z } from "zod";
import { drawInstance } from "./environment-task.ts";
import { type RunnableTools, tool } from "./runnable-tool.ts";
import { type Demonstrator, leveledReferences, type EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const NAME = "dialogue";
const SLOTS = {
  day: ["monday", "tuesday", "friday", "sunday"],
  time: ["noon", "six", "seven", "eight"],
  people: ["two", "three", "four", "five"],
} as const;
type Slot = keyof typeof SLOTS;
const SLOT_NAMES = Object.keys(SLOTS) as Slot[];
/** Number of questions that the visitor answers. */
const PATIENCE = 5;

type Wish = { readonly [slot in Slot]: string };
type DialogueInstance = { readonly wish: Wish; readonly said: readonly Slot[] };
type Talk = {
  readonly instance: DialogueInstance;
  booked: Wish | null;
  questions: number;
};

/** Level n leaves n + 1 of the three slots unmentioned. */
function instance(reference: TaskReference): DialogueInstance {
  const unsaid = 1 + (reference.seed % SLOT_NAMES.length);
  return drawInstance(
    NAME,
    reference,
    (random) => {
      const wish = {
        day: pick(random, SLOTS.day),
        time: pick(random, SLOTS.time),
        people: pick(random, SLOTS.people),
      };
      const said = [...SLOT_NAMES];
      for (let i = 0; i < unsaid; i += 1) said.splice(Math.floor(random() * said.length), 1);
      return { wish, said };
    },
    ({ wish }) => Object.values(wish).join("/"),
  );
}

const PHRASES: { readonly [slot in Slot]: string } = {
  day: "on {value}",
  time: "at {value}",
  people: "for {value} people",
};

function phrase(slot: Slot, { wish }: DialogueInstance): string {
  return PHRASES[slot].replace("{value}", wish[slot]);
}

function task(reference: TaskReference): Task {
  const drawn = instance(reference);
  const random = mulberry32(hashText(`words/${reference.split}/${reference.seed}`));
  const begin = pick(random, ["A table", "I want a table", "Please book a table"]);
  const request = [begin, ...drawn.said.map((slot) => phrase(slot, drawn))].join(" ");
  return {
    ...reference,
    kind: `unsaid-${SLOT_NAMES.length - drawn.said.length}`,
    template: "0",
    system: "You book tables. Ask for what you do not know.",
    request: `${request}.`,
  };
}

const TOOLS: RunnableTools<Talk> = {
  book: tool({
    description: "Book a table.",
    schema: z.strictObject({
      day: z.string().max(16),
      time: z.string().max(16),
      people: z.string().max(16),
    }),
    run: (wish, talk: Talk) => {
      const wrong = SLOT_NAMES.find((slot) => !SLOTS[slot].some((known) => known === wish[slot]));
      if (wrong !== undefined) throw new WaggleError("TOOL_FAILED", `no such ${wrong}`);
      talk.booked = wish;
      return "booked";
    },
  }),
};

/** The visitor's reply to a turn without calls; `null` when out of patience. */
function reply(text: string, talk: Talk): string | null {
  talk.questions += 1;
  if (talk.questions > PATIENCE) return null;
  const asked = SLOT_NAMES.find((slot) => text.toLowerCase().includes(slot));
  return asked === undefined ? "What?" : phrase(asked, talk.instance);
}

function demonstrator(
  reference: TaskReference,
  random: () => number,
  mistakes: number,
): Demonstrator {
  const drawn = instance(reference);
  const known = new Map<Slot, string>(drawn.said.map((slot) => [slot, drawn.wish[slot]]));
  let asked: Slot | null = null;
  return (observation) => {
    if (observation?.terminated === true) return { text: "", calls: [] };
    if (asked !== null) known.set(asked, drawn.wish[asked]);
    // A mistake books a slot that the visitor never mentioned.
    const open = SLOT_NAMES.filter((slot) => !known.has(slot));
    const slot = open[0];
    if (slot !== undefined && random() >= mistakes / 2) {
      asked = slot;
      return { text: `Which ${slot}?`, calls: [] };
    }
    const wish = SLOT_NAMES.map((name) => [name, known.get(name) ?? pick(random, SLOTS[name])]);
    return { text: "", calls: [{ name: "book", arguments: Object.fromEntries(wish) }] };
  };
}

/** Levels leave one, two or all three of day, time and people unmentioned. */
export const DIALOGUE: EnvironmentSpec = {
  ...leveledReferences(NAME, SLOT_NAMES.length),
  features: ["user"],
  maxTurns: PATIENCE + 2,
  task,
  create: (reference) => {
    const talk: Talk = { instance: instance(reference), booked: null, questions: 0 };
    return {
      environment: createToolEnvironment({
        task: task(reference),
        tools: TOOLS,
        state: talk,
        answer: reply,
        afterCalls: ({ booked }) => booked !== null,
      }),
      judge: () => {
        const { booked } = talk;
        const right = SLOT_NAMES.filter((slot) => booked?.[slot] === talk.instance.wish[slot]);
        const success = right.length === SLOT_NAMES.length;
        return {
          reward: success ? 1 : 0,
          success,
          parts: { right: right.length, questions: talk.questions },
        };
      },
    };
  },
  demonstrator,
};
