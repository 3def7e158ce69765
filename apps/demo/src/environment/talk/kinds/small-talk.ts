/** Turns without anything to do: small talk, other subjects, other languages, and what the shop does not have. */
import { pick } from "@waggle/environments";
import type { Product } from "../../catalogue-data.ts";
import { ABILITIES, REFUSAL } from "../answers.ts";
import type { Assistant } from "../assistant.ts";
import { addedOf, next } from "../scene.ts";
import type {
  AnswerForm,
  DrawTurn,
  Fact,
  Scene,
  TalkKind,
  TalkTurn,
  TurnsOf,
} from "../talk-turn.ts";
import { drawProducts, nameOf } from "../values.ts";
import { THINGS } from "../wordings/index.ts";

/** Says a text; a mistake puts the first product that it finds into the cart. */
export async function say(assistant: Assistant, text: string, query = ""): Promise<string> {
  if (!assistant.errs()) return text;
  const [hit] = await assistant.search({ query });
  return hit === undefined ? text : assistant.add(hit);
}

/** A turn whose answer is one text without any call. */
export function talk(
  kind: TalkKind,
  form: AnswerForm,
  text: string,
  ...facts: readonly Fact[]
): DrawTurn {
  return (_, scene) => ({
    kind,
    slots: {},
    expected: { cart: scene.cart, form, facts },
    conduct: (assistant) => say(assistant, text),
    after: next(scene, { last: null }),
  });
}

/** A turn that asks for what the shop does not sell. @param thing - without an article */
export function refusedThing(
  kind: TalkKind,
  slots: TalkTurn["slots"],
  thing: string,
  scene: Scene,
): TalkTurn {
  return {
    kind,
    slots,
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: [
        ["no ", "not", "don't", "none", "nothing"],
        ["else", "other", "instead"],
      ],
    },
    conduct: async (assistant) => {
      const hits = await assistant.search({ query: thing });
      if (assistant.errs()) {
        const [hit] = hits.length > 0 ? hits : await assistant.search({ query: "" });
        if (hit !== undefined) return assistant.add(hit);
      }
      return `We have no ${thing}. I can look for something else.`;
    },
    after: next(scene, { last: null }),
  };
}

const notSold: DrawTurn = (random, scene) => {
  const thing = pick(random, THINGS);
  return refusedThing("not-sold", { thing }, thing, scene);
};

const mixed: DrawTurn = (random, scene) => {
  const [item] = drawProducts(random, 1, scene) as [Product];
  const after = addedOf(scene, item, 1);
  return {
    kind: "mixed-scope",
    slots: { name: nameOf(item, random, scene.goods) },
    expected: {
      cart: after.cart,
      form: "answer",
      facts: [[item.name], item.price, ["can't", "cannot"]],
    },
    conduct: async (assistant) => {
      const [hit] = await assistant.find(item);
      if (hit === undefined) return "";
      const done = await assistant.add(hit);
      return assistant.errs() ? done : `${done} I can't help with the rest.`;
    },
    after,
  };
};

const LETTERS = "abcdefghijklmnopqrstuvwxyz".split("");

const gibberish: DrawTurn = (random, scene) => {
  const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    Array.from({ length: 4 + Math.floor(random() * 7) }, () => pick(random, LETTERS)).join(""),
  );
  const turn = talk(
    "gibberish",
    "small-talk",
    "Sorry, I did not understand that. Please say it in other words.",
    ["other words", "understand", "rephrase"],
  )(random, scene);
  return turn === null ? null : { ...turn, patterns: [words.join(" ")] };
};

export const SMALL_TALK_TURNS: TurnsOf<
  | "not-sold"
  | "mixed-scope"
  | "gibberish"
  | "out-of-scope"
  | "missing-referent"
  | "greeting"
  | "thanks"
  | "who"
  | "abilities"
  | "bye"
  | "compliment"
  | "insult"
  | "other-language"
> = {
  "not-sold": notSold,
  "mixed-scope": mixed,
  gibberish,
  "out-of-scope": talk("out-of-scope", "refusal", REFUSAL),
  "missing-referent": (random, scene) =>
    // At the start, nothing can be meant.
    scene.turns > 0 || scene.cart.length > 0
      ? null
      : talk("missing-referent", "clarification", "Which product do you mean?")(random, scene),
  greeting: talk("greeting", "small-talk", "Hello! What can I do for you?", [
    "hello",
    "hi",
    "hey",
    "welcome",
  ]),
  thanks: talk("thanks", "small-talk", "You are welcome!", ["welcome", "glad", "pleasure"]),
  who: talk("who", "small-talk", `I am the assistant of this shop. ${ABILITIES}`, ["assistant"]),
  abilities: talk("abilities", "small-talk", ABILITIES, ["i can"]),
  bye: talk("bye", "small-talk", "Goodbye, and have a nice day!", ["bye", "see you"]),
  compliment: talk("compliment", "small-talk", "Thank you, that is kind!", ["thank"]),
  insult: talk("insult", "small-talk", "I am sorry. I would like to help you.", ["sorry"]),
  "other-language": talk(
    "other-language",
    "small-talk",
    `Sorry, I understand only English. ${ABILITIES}`,
    ["english"],
    ["i can"],
  ),
};
