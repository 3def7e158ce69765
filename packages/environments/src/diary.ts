/**
 * A visitor tells about himself line by line and asks a question at the end. Lines may add a fact, change
 * it, take it back, or mean nothing. The memory changes only through its operations. Every message contains
 * the whole memory, so different policies can keep it and answer from it. A task may begin in the middle of
 * a diary, with the memory of the lines before. Success is the facts that hold at the end.
 */
import { pick } from "./draw.ts";
import type { Environment, Task, TaskReference, RandomSource } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { drawInstance } from "./environment-task.ts";
import { type RunnableTools, tool } from "./runnable-tool.ts";
import {
  type DemonstratedAction,
  type Demonstrator,
  leveledReferences,
  type EnvironmentSpec,
} from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const NAME = "diary";
/** Lines before the question, by level. */
const LINES = [2, 3, 4] as const;
/** Topics that the question asks about, by level. */
const ASKED = [1, 2, 3] as const;
/** Chance that a line means nothing. */
const CHAT = 0.2;
/** Chance that a task begins with an empty diary. */
const NEW = 0.5;
/** Extra turns, since an unreadable operation costs one. */
const SPARE = 2;
/** The answer if no fact about the topic holds. */
const NOTHING = "nothing";

const TOPICS = {
  city: {
    values: ["oslo", "rome", "lima", "cairo", "paris", "delhi"],
    said: "I live in {value}.",
    changed: "I moved to {value}.",
    gone: "I have no home now.",
  },
  pet: {
    values: ["cat", "dog", "parrot", "horse", "hamster", "turtle"],
    said: "I have a {value}.",
    changed: "Now I have a {value} instead.",
    gone: "I gave my pet away.",
  },
  job: {
    values: ["baker", "pilot", "nurse", "tailor", "farmer", "clerk"],
    said: "I work as a {value}.",
    changed: "I became a {value}.",
    gone: "I lost my job.",
  },
  food: {
    values: ["rice", "soup", "bread", "pasta", "beans", "fish"],
    said: "I like {value} best.",
    changed: "By now I prefer {value}.",
    gone: "I do not care what I eat.",
  },
} as const;
type Topic = keyof typeof TOPICS;
const TOPIC_NAMES = Object.keys(TOPICS) as Topic[];
const CHATS = ["Nice day today.", "I slept well.", "The bus was late."];

/** A line, and the change it makes: a topic's new value, or `null` if none holds any more. */
type Line = {
  readonly words: string;
  readonly change: { readonly topic: Topic; readonly value: string | null } | null;
};
type DiaryInstance = {
  readonly lines: readonly Line[];
  /** Number of lines whose facts are in the memory when the task begins. */
  readonly kept: number;
  readonly asked: readonly Topic[];
  readonly answer: string;
};
type Entry = { readonly id: string; readonly text: string };
type Diary = { entries: readonly Entry[]; written: number; heard: number };

function instance(reference: TaskReference): DiaryInstance {
  return drawInstance(
    NAME,
    reference,
    (random) => {
      const held = new Map<Topic, string | null>();
      const level = reference.seed % LINES.length;
      const count = LINES[level] as number;
      const asks = ASKED[level] as number;
      // Few topics, so that lines return to the same topic.
      const first = Math.floor(random() * TOPIC_NAMES.length);
      const topics = Array.from(
        { length: Math.max(2, asks) },
        (_, i) => TOPIC_NAMES[(first + i) % TOPIC_NAMES.length] as Topic,
      );
      const lines = Array.from({ length: count }, (_, i): Line => {
        // Each topic that is asked about has a line.
        if (asks > 1 && i < asks) return told(topics[i] as Topic, held, random);
        // At least one line must state a fact.
        const isChat = random() < CHAT && (i < count - 1 || held.size > 0);
        return isChat
          ? { words: pick(random, CHATS), change: null }
          : told(pick(random, topics), held, random);
      });
      const asked = asks === 1 ? [pick(random, [...held.keys()])] : [...held.keys()];
      const kept = random() < NEW ? 0 : Math.floor(random() * (count + 1));
      const answer = asked.map((topic) => held.get(topic) ?? NOTHING).join(" ");
      return { lines, kept, asked, answer };
    },
    ({ lines, asked }) => [...lines.map(({ words }) => words), ...asked].join("/"),
  );
}

/** A line about a topic that fits the fact that holds so far. */
function told(topic: Topic, held: Map<Topic, string | null>, random: RandomSource): Line {
  const { values, said, changed, gone } = TOPICS[topic];
  const now = held.get(topic) ?? null;
  const isGone = now !== null && random() < 0.4;
  const value = isGone
    ? null
    : pick<string>(
        random,
        values.filter((other) => other !== now),
      );
  held.set(topic, value);
  const words = value === null ? gone : (now === null ? said : changed).replace("{value}", value);
  return { words, change: { topic, value } };
}

/** The whole message: the memory, then the next line or the question. */
function message({ lines, asked }: DiaryInstance, { entries, heard }: Diary): string {
  const memory = entries.map(({ id, text }) => `${id} ${text}`).join(", ") || "empty";
  const line = lines[heard];
  return `Memory: ${memory}. ${line === undefined ? `Asked: ${asked.join(" and ")}?` : `Said: ${line.words}`}`;
}

/** The diary after a careful policy has processed the lines before the task. */
function diaryOf({ lines, kept }: DiaryInstance): Diary {
  const diary: Diary = { entries: [], written: 0, heard: kept };
  for (const { change } of lines.slice(0, kept)) {
    if (change === null) continue;
    const { topic, value } = change;
    const known = aboutTopic(diary.entries, topic);
    const others = diary.entries.filter((entry) => entry !== known);
    const entry = { id: known?.id ?? `m${diary.written}`, text: `${topic} ${value}` };
    diary.entries = value === null ? others : [...others, entry];
    if (known === undefined && value !== null) diary.written += 1;
  }
  return diary;
}

function aboutTopic(entries: readonly Entry[], topic: string): Entry | undefined {
  return entries.find((entry) => entry.text.startsWith(`${topic} `));
}

function changed(diary: Diary, id: string, to: readonly Entry[]): string {
  if (!diary.entries.some((entry) => entry.id === id)) {
    throw new WaggleError("TOOL_FAILED", "no such entry");
  }
  diary.entries = diary.entries.flatMap((entry) => (entry.id === id ? to : [entry]));
  return "done";
}

const text = z.string().min(1).max(24);
const id = z.string().max(8);

const TOOLS: RunnableTools<Diary> = {
  add: tool({
    description: "Remember something new.",
    schema: z.strictObject({ text }),
    run: (given, diary: Diary) => {
      diary.entries = [...diary.entries, { id: `m${diary.written}`, text: given.text }];
      diary.written += 1;
      return "done";
    },
  }),
  update: tool({
    description: "Change an entry.",
    schema: z.strictObject({ id, text }),
    run: (given, diary: Diary) => changed(diary, given.id, [given]),
  }),
  delete: tool({
    description: "Forget an entry.",
    schema: z.strictObject({ id }),
    run: (given, diary: Diary) => changed(diary, given.id, []),
  }),
  none: tool({
    description: "Leave the memory as it is.",
    schema: z.strictObject({}),
    run: () => "done",
  }),
};

function task(reference: TaskReference, drawn = instance(reference)): Task {
  return {
    ...reference,
    kind: `lines-${drawn.lines.length}`,
    template: "0",
    system: "You keep a memory and answer from it.",
    request: message(drawn, diaryOf(drawn)),
  };
}

/** The environment of a task. The next line follows whatever the policy does about a line. */
function create(reference: TaskReference): ReturnType<EnvironmentSpec["create"]> {
  const drawn = instance(reference);
  const diary = diaryOf(drawn);
  const isAsked = (): boolean => diary.heard >= drawn.lines.length;
  const next = (): string => {
    diary.heard = Math.min(diary.heard + 1, drawn.lines.length);
    return message(drawn, diary);
  };
  const tools = createToolEnvironment({
    task: task(reference, drawn),
    tools: TOOLS,
    state: diary,
    // Text about a line changes nothing; text in reply to the question is the answer.
    answer: () => (isAsked() ? null : next()),
  });
  const step: Environment["step"] = async (action, signal) => {
    const observation = await tools.step(action, signal);
    return action.toolCalls.length === 0 ? observation : { ...observation, userMessage: next() };
  };
  return {
    environment: { task: tools.task, observe: () => tools.observe(), step },
    judge: (finalText) => {
      const success = isAsked() && (finalText ?? "").trim() === drawn.answer;
      const { entries } = diary;
      return {
        reward: success ? 1 : 0,
        success,
        parts: { answer: drawn.answer, memory: entries.map((entry) => entry.text).join(", ") },
      };
    },
  };
}

/** Parses a message. Matches the last `Said` or `Asked`, since memory entries may contain any text. */
function read(said: string): { entries: Entry[]; line: string | null; asked: string | null } {
  const [, memory = "", kind, rest = ""] = /^Memory: (.*)\. (Said|Asked): (.*)$/s.exec(said) ?? [];
  const entries = memory === "empty" ? [] : memory.split(", ").map(entryOf);
  return kind === "Asked"
    ? { entries, line: null, asked: rest.replace("?", "") }
    : { entries, line: rest, asked: null };
}

function entryOf(shown: string): Entry {
  const [first = "", ...words] = shown.split(" ");
  return { id: first, text: words.join(" ") };
}

/** Acts on the message alone, as a policy must. */
function demonstrator(
  reference: TaskReference,
  random: RandomSource,
  mistakes: number,
): Demonstrator {
  const drawn = instance(reference);
  return (observation) => {
    const said = observation === null ? task(reference, drawn).request : observation.userMessage;
    const { entries, line } = read(said ?? "");
    if (line === null) {
      const answers = drawn.asked.map((topic) => {
        const guess = pick(random, TOPICS[topic].values);
        const known = aboutTopic(entries, topic)?.text.split(" ")[1] ?? NOTHING;
        return random() < mistakes / 3 ? guess : known;
      });
      return { text: answers.join(" "), calls: [] };
    }
    const change = drawn.lines.find(({ words }) => words === line)?.change ?? null;
    // Mistakes: ignore a line, or add a second entry about the same topic.
    if (change === null || random() < mistakes / 2) return operation("none", {});
    const entry = aboutTopic(entries, change.topic);
    if (change.value === null) {
      return entry === undefined ? operation("none", {}) : operation("delete", { id: entry.id });
    }
    const fact = `${change.topic} ${change.value}`;
    return entry === undefined || random() < mistakes / 4
      ? operation("add", { text: fact })
      : operation("update", { id: entry.id, text: fact });
  };
}

function operation(name: string, given: { readonly [key: string]: string }): DemonstratedAction {
  return { text: "", calls: [{ name, arguments: given }] };
}

/** Levels are diaries with 2, 3 and 4 lines before the question, which asks about 1, 2 and 3 topics. */
export const DIARY: EnvironmentSpec = {
  ...leveledReferences(NAME, LINES.length),
  features: ["memory"],
  maxTurns: Math.max(...LINES) + 1 + SPARE,
  task,
  create,
  memory: { isQuestion: (said) => read(said).asked !== null },
  demonstrator,
};
