/** A talk in words: the visitor's messages, of which the first is the request. */
import { pick } from "@waggle/environments";
import { hashText, mulberry32, type Task, type TaskReference } from "@waggle/protocol";
import { SHOP_SYSTEM } from "../shop-task.ts";
import { talkOf } from "./talk-instance.ts";
import { withAside, worded } from "./wording.ts";

/** Between two wishes of a message. */
const JOINS = [
  " and ",
  " and ",
  ", and ",
  " and also ",
  ". also, ",
  ". Also ",
  ". then ",
  ", then ",
  " and then ",
  ". After that, ",
  "; ",
  ", ",
  ". ",
  ". And ",
  ", plus ",
  " + ",
  ". oh and ",
  ". one more thing: ",
  "\n",
  ". Next, ",
  ". besides, ",
  ". while you're at it, ",
  " & ",
];
/** Share of the held-out tasks whose patterns are held out too. */
const UNSEEN_SHARE = 0.5;

/** Everything that the visitor will say, with the names of the patterns. */
export function messagesOf(reference: TaskReference): {
  readonly texts: readonly string[];
  readonly template: string;
} {
  const { messages } = talkOf(reference);
  const { environment, split, seed } = reference;
  const random = mulberry32(hashText(`words/${environment}/${split}/${seed}`));
  // Without values, only the pattern tells a held-out task from one of training.
  const hasValues = messages.flat().some(({ slots }) => Object.keys(slots).length > 0);
  const unseen = split === "heldOut" && (!hasValues || random() < UNSEEN_SHARE);
  const templates: string[] = [];
  const texts = messages.map((message) => {
    const said = message
      .map((turn) => {
        const { text, template } = worded(turn, unseen, random);
        templates.push(template);
        return text;
      })
      .reduce((before, more) => before.replace(/[.!?]$/, "") + pick(random, JOINS) + more);
    // Small talk is an aside itself.
    const isTalk = message.some(({ expected }) => expected.form === "small-talk");
    return isTalk ? said : withAside(said, unseen, random);
  });
  return { texts, template: templates.join("+") };
}

/** The task of a reference. Deterministic. `template` contains `-unseen-` for a held-out pattern. */
export function talkTask(reference: TaskReference): Task {
  const { texts, template } = messagesOf(reference);
  const kinds = talkOf(reference).messages.map((turns) => turns.map(({ kind }) => kind).join("&"));
  return {
    ...reference,
    kind: kinds.join("+"),
    template,
    system: SHOP_SYSTEM,
    request: texts[0] ?? "",
  };
}
