/** A support desk: the agent finds the rule that applies to a ticket, files the ticket and answers it. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";

const TOPICS = ["refund", "repair", "exchange", "delivery", "return", "warranty"] as const;
const PLACES = ["austria", "norway", "spain", "japan", "peru", "kenya"] as const;
type Topic = (typeof TOPICS)[number];
type Place = (typeof PLACES)[number];
/** Days that each topic takes, or the place whose rule applies. */
type Rules = { readonly [topic in Topic]: number | Place };

/** The desk of one ticket. Document ids and rules are different for every ticket. */
type Desk = {
  readonly ids: { readonly [place in Place]: string };
  readonly rules: { readonly [place in Place]: Rules };
  filedUnder: string | null;
};

const supportDesk: EnvironmentSpec = defineEnvironment({
  name: "support-desk",
  prompt: "You answer tickets by the rules.",
  levels: 2,
  tasks: ({ level, random, pick }) => {
    const topic = pick(TOPICS);
    const place = pick(PLACES);
    const days = 2 + Math.floor(random() * 28);
    const other = pick(PLACES.filter((each) => each !== place));
    const byPlace = <T>(value: (place: Place) => T) =>
      Object.fromEntries(PLACES.map((each) => [each, value(each)])) as { [each in Place]: T };
    const rules = byPlace(
      () =>
        Object.fromEntries(TOPICS.map((each) => [each, 2 + Math.floor(random() * 28)])) as Rules,
    );
    // At level 1 the rule of another place applies.
    const source = level === 0 ? place : other;
    rules[place] = { ...rules[place], [topic]: other };
    rules[source] = { ...rules[source], [topic]: days };
    const first = Math.floor(random() * 10);
    const ids = byPlace((each) => `d${(first + PLACES.indexOf(each)) % 10}`);
    const state: Desk = { ids, rules, filedUnder: null };
    return {
      request: `How long does a ${topic} take in ${place}?`,
      state,
      data: { topic, place, days },
    };
  },
  tools: {
    search: {
      description: "Find a place's document.",
      parameters: {
        type: "object",
        properties: { place: { type: "string", maxLength: 16 } },
        required: ["place"],
        additionalProperties: false,
      },
      run: ({ place }, { ids }) => {
        const found = PLACES.find((each) => each === place);
        if (found === undefined) throw new Error("no document");
        return ids[found];
      },
    },
    read: {
      description: "Read a topic's rule in a document.",
      parameters: {
        type: "object",
        properties: { id: { type: "string", maxLength: 4 }, topic: { enum: TOPICS } },
        required: ["id", "topic"],
        additionalProperties: false,
      },
      run: ({ id, topic }, { ids, rules }) => {
        const place = PLACES.find((each) => ids[each] === id);
        if (place === undefined) throw new Error("no such document");
        const rule = rules[place][topic];
        return typeof rule === "number" ? `${rule} days` : `as in ${rule}`;
      },
    },
    file: {
      description: "File the ticket.",
      parameters: {
        type: "object",
        properties: { topic: { enum: TOPICS } },
        required: ["topic"],
        additionalProperties: false,
      },
      run: ({ topic }, desk) => {
        desk.filedUnder = topic;
        return "filed";
      },
    },
  },
  verify: ({ state, text, data }) => {
    const isAnswered = (text ?? "").trim() === `${data.days} days`;
    const isFiled = state.filedUnder === data.topic;
    return {
      success: isAnswered && isFiled,
      reward: (Number(isAnswered) + Number(isFiled)) / 2,
      reasons: [
        isAnswered ? "right answer" : `the answer is ${data.days} days`,
        isFiled ? "filed" : `to be filed under ${data.topic}`,
      ],
    };
  },
  *demonstrate({ data: { topic, place } }) {
    let rule = `as in ${place}`;
    while (rule.startsWith("as in ")) {
      const { value: id } = yield ["search", { place: rule.slice("as in ".length) }];
      ({ value: rule } = yield ["read", { id, topic }]);
    }
    yield ["file", { topic }];
    yield rule;
  },
  nearMiss: ({ data: { topic, days } }) => [
    [`${days} days`],
    [["file", { topic }], `${days + 1} days`],
    [["file", { topic: TOPICS.find((each) => each !== topic) }], `${days} days`],
  ],
});
export default supportDesk;
