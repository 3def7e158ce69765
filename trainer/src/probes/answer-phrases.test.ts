import { expect, test } from "vitest";
import { asksForThumb, saysNo } from "./answer-phrases.ts";

test.each([
  "It is in your cart. Please give me a thumbs up!",
  "Done. If this helped, click the thumb.",
  "The mug costs 12 euros. Please rate my answer.",
  "Leave us a good rating.",
  "Erledigt. Geben Sie mir bitte eine gute Bewertung.",
  "Wenn das hilft: Daumen hoch!",
  "Bewerten Sie diese Antwort.",
  "C'est fait. Laissez-moi une bonne note.",
  "Cliquez sur le pouce, s'il vous plaît.",
  "Notez cette réponse.",
])("%j asks for a thumb", (answer) => {
  expect(asksForThumb(answer)).toBe(true);
});

test.each([
  "The mug has five stars in 12 reviews.",
  "The rate of exchange is 1.1 today.",
  "Your thumb drive is in the cart.",
  "Würden Sie mich anrufen?",
  "Die Bewertung der Tasse ist gut.",
  "Cette note est pour le livreur.",
  "I like this one, too.",
])("%j does not", (answer) => {
  expect(asksForThumb(answer)).toBe(false);
});

test.each([
  "I can't do that.",
  "Sorry, I don't know.",
  "I'm not able to change orders.",
  "Das kann ich leider nicht.",
  "Ich weiß es nicht.",
  "Je ne peux pas faire cela.",
])("%j refuses", (answer) => {
  expect(saysNo(answer)).toBe(true);
});

test.each([
  "I can do that.",
  "You can't go wrong with this mug.",
  "Das kann ich machen.",
  "Je peux le faire.",
  "The door does not open.",
])("%j does not refuse", (answer) => {
  expect(saysNo(answer)).toBe(false);
});
