import { expect, test } from "vitest";
import { nextMessageKind } from "./next-message.ts";

const kindOf = (next: string, answer = "Done.", request = "book a table for two on friday") =>
  nextMessageKind({ request, answer, next });

test.each([
  "Thanks!",
  "great, thank you very much 🙂",
  "ok thx",
  "that’s perfect.",
  "You've been really helpful",
  "Vielen Dank!",
  "merci beaucoup",
  "c'est parfait",
])("thanks: %s", (next) => expect(kindOf(next)).toBe("next-thanks"));

test.each([
  "no, for three",
  "I meant Saturday",
  "not that, the one by the window",
  "That isn't what I asked for",
  "That's not exactly what I meant",
  "wrong day, this is not right",
  "Nein, am Samstag!",
  "nein, ich wollte Samstag",
  "ich meinte Samstag",
  "non, samedi",
  "pas celle-là",
])("corrects: %s", (next) => expect(kindOf(next)).toBe("next-corrects"));

test.each([
  "that's wrong",
  "No, that is not true.",
  "Das stimmt nicht",
  "c'est faux",
  "you are mistaken, it opens at nine",
])("contradicts: %s", (next) => expect(kindOf(next)).toBe("next-contradicts"));

test.each(["Book a table for two on Friday!!", "please book a table for two on friday"])(
  "repeats the request: %s",
  (next) => expect(kindOf(next)).toBe("next-repeats"),
);

test.each([
  "",
  "🙂",
  "book a table for four on monday",
  "is there parking, thanks",
  "no thanks",
  "no problem",
  "a card that says thank you",
  "that is precisely what I was after",
  "Which one is not vegetarian?",
  "what is wrong with the terrace?",
  "taxi to the station",
  "Ta réponse est fausse",
  "Merci de me trouver un autre restaurant",
  "Merci d'annuler la table",
  "Thanks but it rains",
  "Danke, aber es regnet",
  "thanks for nothing",
  "Cheers is the name of the bar",
  "Je voulais aussi un dessert",
  "Ich wollte noch fragen, ob es einen Parkplatz gibt",
  "I wanted to ask about parking",
  "Pas la peine, merci",
  "je n'ai pas besoin de dessert",
])("says nothing: %s", (next) => expect(kindOf(next)).toBeNull());

test("after a question, a plain no is an answer, and a correction is still one", () => {
  const question = "Shall I book it?";
  expect(kindOf("no, leave it", question)).toBeNull();
  expect(kindOf("no, leave it")).toBe("next-corrects");
  expect(kindOf("no, I meant Saturday", question)).toBe("next-corrects");
});

test("a long message takes no longer than its first 400 characters", () => {
  for (const part of ["ok ", "no, ", "i had a ", "thanks", "\u0301", "that's just "]) {
    const text = part.repeat(200_000);
    const began = performance.now();
    kindOf(text, text, text);
    expect(performance.now() - began).toBeLessThan(500);
  }
});
