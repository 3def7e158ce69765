/** Requests that the shop's assistant must refuse, by subject; single things that it does not sell; and messages that say nothing. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { REFUSAL } from "../answers.ts";
import { next } from "../scene.ts";
import type { DrawTurn, Scene, TalkKind, TurnsOf } from "../talk-turn.ts";
import { drawDescription, drawProducts, nameOf } from "../values.ts";
import {
  nounOf,
  OTHER_SUBJECTS,
  SHOP_SERVICES,
  SINGLE_THINGS,
  type Subject,
} from "../wordings/index.ts";
import { refusedThing, say, talk } from "./small-talk.ts";

/** A value of a subject's slot. */
function valueOf({ slot, values }: Subject, random: RandomSource, { goods }: Scene): string {
  if (values.length > 0) return pick(random, values);
  if (slot === "name") {
    const [item] = drawProducts(random, 1, { goods });
    return item === undefined ? "" : nameOf(item, random, goods);
  }
  return drawDescription(random, goods).slots[slot] ?? "";
}

/** Each subject as often as it has patterns. */
function weighted(subjects: readonly Subject[]): readonly Subject[] {
  return subjects.flatMap((subject) => subject.patterns.map(() => subject));
}

/** A request about one of the subjects, which is refused. A mistake searches for a product that it names. */
function refused(kind: TalkKind, subjects: readonly Subject[]): DrawTurn {
  const choices = weighted(subjects);
  return (random, scene) => {
    const subject = pick(random, choices);
    const value = valueOf(subject, random, scene);
    return {
      kind,
      slots: { [subject.slot]: value },
      needs: [subject.slot],
      expected: { cart: scene.cart, form: "refusal", facts: [] },
      conduct: (assistant) => say(assistant, REFUSAL, subject.values.length === 0 ? value : ""),
      after: next(scene, { last: null }),
    };
  };
}

const notSoldOne: DrawTurn = (random, scene) => {
  const one = pick(random, SINGLE_THINGS);
  return refusedThing("not-sold-one", { one }, nounOf(one), scene);
};

export const OTHER_REQUEST_TURNS: TurnsOf<
  "other-subject" | "shop-service" | "not-sold-one" | "fragment"
> = {
  "other-subject": refused("other-subject", OTHER_SUBJECTS),
  "shop-service": refused("shop-service", SHOP_SERVICES),
  "not-sold-one": notSoldOne,
  fragment: talk(
    "fragment",
    "small-talk",
    "Sorry, I did not understand that. Please say it in other words.",
    ["other words", "understand", "rephrase"],
  ),
};
