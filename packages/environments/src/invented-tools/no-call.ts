/** Tasks in which no call is right: no tool fits, or the user only talks. */
import { pick } from "../draw.ts";
import type { Drawing } from "./drawing.ts";
import { drawTool, type InventedTool } from "./invented-tool.ts";
import { wrongTool } from "./one-call.ts";
import { frameIndex } from "./request-frames.ts";
import { pluralOf } from "./subjects.ts";
import { scriptTool, type TaskScript } from "./task-script.ts";
import { drawPair, drawToolSet, readersOf } from "./tool-sets.ts";
import { drawWish, requestOf } from "./wish.ts";

/** No tool of the set does what the user wants. */
export function noTool(drawing: Drawing, size: number): TaskScript {
  const pair = drawPair(drawing);
  // Another reading tool for the subject could help with a question.
  const { tools } = drawToolSet(drawing, [], size, [pair, ...readersOf(drawing, pair)]);
  const absent = drawTool(drawing, pair, "snake", new Set());
  const wish = drawWish(drawing, absent);
  const { request, pattern } = requestOf(drawing, wish);
  const answer = pick(drawing.random, [
    "Sorry, I can't do that with {s}.",
    "I can't do that with {s}. I have no tool for it.",
  ]);
  return {
    kind: "no-tool",
    template: `no-tool-${pattern}`,
    tools: tools.map(scriptTool),
    request,
    rounds: [],
    answer: answer.replace("{s}", pluralOf(wish.noun)),
    facts: [],
    tone: "refusal",
    slip: wrongTool(drawing, tools, tools[0] as InventedTool),
  };
}

const HELLO = "Hello! What can I do for you?";
const WELCOME = "You are welcome!";
const FINE = "I am fine, thank you. What can I do for you?";
const BYE = "Goodbye!";
const MACHINE = "I am an assistant that works with tools.";
const OKAY = "All right. Tell me when you need something.";

const SMALL_TALK: readonly (readonly [said: string, answer: string])[] = [
  ["hi", HELLO],
  ["Hello!", HELLO],
  ["hey there", HELLO],
  ["Good morning", HELLO],
  ["good evening!", HELLO],
  ["thanks", WELCOME],
  ["Thank you so much!", WELCOME],
  ["great, thanks a lot", WELCOME],
  ["That was helpful.", WELCOME],
  ["how are you?", FINE],
  ["How is it going?", FINE],
  ["are you well today?", FINE],
  ["bye", BYE],
  ["Good night", BYE],
  ["see you tomorrow", BYE],
  ["That is all for today.", BYE],
  ["who are you?", MACHINE],
  ["Are you a robot?", MACHINE],
  ["what is your name?", MACHINE],
  ["are you a real person?", MACHINE],
  ["never mind", OKAY],
  ["ok", OKAY],
  ["I am just looking around.", OKAY],
  ["wait a moment", OKAY],
  ["nothing, sorry", OKAY],
  ["hm, let me think", OKAY],
  ["I like the weather today.", OKAY],
  ["lovely day", OKAY],
  ["hello again", HELLO],
  ["Hi, are you there?", HELLO],
  ["good day to you", HELLO],
  ["Greetings!", HELLO],
  ["thx", WELCOME],
  ["Many thanks for your help.", WELCOME],
  ["perfect, thank you", WELCOME],
  ["You are a great help.", WELCOME],
  ["How do you feel today?", FINE],
  ["everything fine with you?", FINE],
  ["how was your day?", FINE],
  ["Are you all right?", FINE],
  ["goodbye", BYE],
  ["I have to leave now, bye!", BYE],
  ["until next time", BYE],
  ["Have a nice evening.", BYE],
  ["what are you?", MACHINE],
  ["Am I talking to a human?", MACHINE],
  ["Do you have a name?", MACHINE],
  ["are you a computer?", MACHINE],
  ["I do not need anything right now.", OKAY],
  ["forget it", OKAY],
  ["I am thinking.", OKAY],
  ["It is raining here.", OKAY],
  ["I had a good lunch.", OKAY],
  ["my train is late again", OKAY],
  ["I will come back later.", OKAY],
  ["that was a joke", OKAY],
];

/** The user says something that asks for nothing. */
export function smallTalk(drawing: Drawing, size: number): TaskScript {
  const { tools } = drawToolSet(drawing, [drawPair(drawing)], size);
  const { index, unseen } = frameIndex(drawing, SMALL_TALK.length);
  const [request, answer] = SMALL_TALK[index] as (typeof SMALL_TALK)[number];
  return {
    kind: "small-talk",
    template: `small-talk-${unseen ? "unseen-" : ""}${index}`,
    tools: tools.map(scriptTool),
    request,
    rounds: [],
    answer,
    facts: [],
    tone: "plain",
    slip: wrongTool(drawing, tools, tools[0] as InventedTool),
  };
}
