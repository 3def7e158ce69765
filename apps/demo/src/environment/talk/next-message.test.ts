/**
 * How often the page's rules about next messages are right, in conversations whose kinds are known. `docs/evidence` has the
 * figures. The writers of the conversations did not know the rules; the rules' author saw two of the files.
 */
import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { nextMessageKind } from "../../../../../packages/embed/src/feedback/next-message.ts";
import { sampleSize } from "../../../../../test/fixtures/long.ts";
import { EVERYDAY } from "./everyday.ts";
import { talkOf } from "./talk-instance.ts";
import { worded } from "./wording.ts";

const TALKS = sampleSize(6_000, 20_000);

type Tally = { total: number; right: number; wrong: number };

/** What a rule may say about a message of this kind. */
function expected(kind: string): string | null {
  if (kind === "thanks" || kind === "compliment") return "next-thanks";
  return kind.startsWith("correct-") ? "next-corrects" : null;
}

function tallies(): { readonly [group: string]: Tally } {
  const found: { [group: string]: Tally } = {};
  const random = mulberry32(5);
  for (let seed = 0; seed < TALKS; seed += 1) {
    const { messages } = talkOf({ environment: EVERYDAY, split: "train", seed });
    for (const [i, [turn, ...others]] of messages.entries()) {
      const before = messages[i - 1]?.[0];
      if (before === undefined || turn === undefined || others.length > 0) continue;
      const isUnseen = seed % 2 === 0;
      const request = worded(before, isUnseen, random).text;
      const next = worded(turn, isUnseen, random).text;
      const said = nextMessageKind({ request, answer: "Done.", next });
      const right = expected(turn.kind);
      const tally = (found[right ?? "other"] ??= { total: 0, right: 0, wrong: 0 });
      tally.total += 1;
      // Who contradicts also corrects.
      const isRight = said === right || (right === "next-corrects" && said === "next-contradicts");
      if (said !== null) tally[isRight ? "right" : "wrong"] += 1;
    }
  }
  return found;
}

test("the rules are rarely wrong, and find a part of the thanks and the corrections", ({
  annotate,
}) => {
  const { other, "next-thanks": thanks, "next-corrects": corrections } = tallies();
  void annotate(JSON.stringify({ other, thanks, corrections }));
  expect(other?.total).toBeGreaterThan(1000);
  expect((other?.wrong ?? 0) / (other?.total ?? 0)).toBeLessThan(0.02);
  expect(thanks?.wrong).toBe(0);
  expect((thanks?.right ?? 0) / (thanks?.total ?? 0)).toBeGreaterThan(0.1);
  expect((corrections?.wrong ?? 0) / (corrections?.total ?? 0)).toBeLessThan(0.01);
  expect((corrections?.right ?? 0) / (corrections?.total ?? 0)).toBeGreaterThan(0.12);
});
