/** A support desk: the agent finds the rule that applies to a customer's ticket, files the ticket and answers it. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";

const TOPICS = ["refund", "repair", "exchange", "delivery"] as const;
type Topic = (typeof TOPICS)[number];

const SYLLABLES = "ba be da do fi ga ka ko la lo ma mi na no pa ra ri sa so ta te vo".split(" ");
/** Three syllables: many names of few parts, so that a model learns to copy names and not to know them. */
const NAMES = SYLLABLES.flatMap((first) =>
  SYLLABLES.flatMap((second) => ["l", "n", "r"].map((end) => first + second + end)),
);

/** A ticket's wordings. Training has the first five. */
const WORDINGS: readonly ((name: string, topic: Topic) => string)[] = [
  (name, topic) => `How long does a ${topic} take for ${name}?`,
  (name, topic) => `${name} asks how long a ${topic} takes.`,
  (name, topic) => `${name}: ${topic}, how many days?`,
  (name, topic) => `How many days are left for the ${topic} of ${name}?`,
  (name, topic) => `A ${topic} for ${name}: when is it done?`,
  (name, topic) => `Tell ${name} how many days a ${topic} takes.`,
  (name, topic) => `When is the ${topic} of ${name} done?`,
  (name, topic) => `${name} asks: how long for a ${topic}?`,
];
const TRAINED_WORDINGS = 5;

/** The desk of one ticket. Names, document ids and rules are different for every ticket. */
type Desk = {
  /** By customer. */
  readonly ids: { readonly [name: string]: string };
  /** By document: the days of each topic, or the customer whose rule applies. */
  readonly rules: { readonly [id: string]: { readonly [topic in Topic]: string } };
  filedUnder: string | null;
};

const supportDesk: EnvironmentSpec = defineEnvironment({
  name: "support-desk",
  prompt: "You answer tickets by the rules.",
  levels: 2,
  tasks: ({ split, level, random, pick, ofSplit }) => {
    const number = (least: number, most: number) =>
      least + Math.floor(random() * (most - least + 1));
    const topic = pick(TOPICS);
    const wording = number(1, split === "train" ? TRAINED_WORDINGS : WORDINGS.length);
    const own = ofSplit(NAMES);
    const name = pick(own);
    const other = pick(own.filter((each) => each !== name));
    const days = `${number(2, 29)} days`;
    const rulesWith = (rule: string) =>
      Object.fromEntries(
        TOPICS.map((each) => [each, each === topic ? rule : `${number(2, 29)} days`]),
      ) as Desk["rules"][string];
    const first = number(10, 89);
    const ids = { [name]: `d${first}`, [other]: `d${first + number(1, 9)}` };
    const state: Desk = {
      ids,
      // At level 1 the rule of another customer applies.
      rules: {
        [ids[name] ?? ""]: rulesWith(level === 0 ? days : `as for ${other}`),
        [ids[other] ?? ""]: rulesWith(days),
      },
      filedUnder: null,
    };
    return {
      request: WORDINGS[wording - 1]?.(name, topic) ?? "",
      // The topic belongs to the pattern: there are only four.
      pattern: `${topic} ${wording}`,
      values: [name],
      state,
      data: { topic, name, days },
    };
  },
  tools: {
    search: {
      description: "Find a customer's document.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", maxLength: 16 } },
        required: ["name"],
        additionalProperties: false,
      },
      run: ({ name }, { ids }) => {
        const found = ids[name];
        if (found === undefined) throw new Error("no document");
        return found;
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
      run: ({ id, topic }, { rules }) => {
        const found = rules[id];
        if (found === undefined) throw new Error("no such document");
        return found[topic];
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
    const isAnswered = (text ?? "").trim() === data.days;
    const isFiled = state.filedUnder === data.topic;
    return {
      success: isAnswered && isFiled,
      reward: (Number(isAnswered) + Number(isFiled)) / 2,
      reasons: [
        isAnswered ? "right answer" : `the answer is ${data.days}`,
        isFiled ? "filed" : `to be filed under ${data.topic}`,
      ],
    };
  },
  *demonstrate({ data: { topic, name } }) {
    let rule = `as for ${name}`;
    while (rule.startsWith("as for ")) {
      const { value: id } = yield ["search", { name: rule.slice("as for ".length) }];
      ({ value: rule } = yield ["read", { id, topic }]);
    }
    yield ["file", { topic }];
    yield rule;
  },
  nearMiss: ({ data: { topic, days } }) => [
    [days],
    [["file", { topic }], `1${days}`],
    [["file", { topic: TOPICS.find((each) => each !== topic) }], days],
  ],
});
export default supportDesk;
