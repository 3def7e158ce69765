/** A talk in words: the visitor's messages, of which the first is the request. */
import { pick } from "@waggle/environments";
import { hashText, mulberry32, type Task, type TaskReference } from "@waggle/protocol";
import { SHOP_SYSTEM } from "../shop-task.ts";
import { talkOf } from "./talk-instance.ts";
import { worded } from "./wording.ts";

const JOINS = [" and ", ", and ", ". also, ", ". then ", ", then "];
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
  const texts = messages.map((message) =>
    message
      .map((turn) => {
        const { text, template } = worded(turn, unseen, random);
        templates.push(template);
        return text;
      })
      .reduce((said, more) => said.replace(/[.!?]$/, "") + pick(random, JOINS) + more),
  );
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
