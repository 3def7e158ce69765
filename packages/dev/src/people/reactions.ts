/**
 * What simulated people type after an answer. They do not know the page's rules about next messages: some of these phrases say
 * nothing that a rule notices.
 */

const PHRASES = {
  good: [
    "thanks",
    "thank you!",
    "great, thanks a lot",
    "perfect",
    "ok thx",
    "that's what I was looking for",
    "cool, bye",
    "you're a star",
  ],
  bad: [
    "no, that's not what I asked for",
    "that's wrong",
    "not that",
    "I meant something else",
    "no, try again please",
    "hm, useless",
    "are you even listening?",
    "forget it",
  ],
} as const;

/** Share of unhappy people who say the same again. */
const REPEATING = 0.25;

/** @param draw - in [0, 1), decides the phrase. */
export function reactionTo(verdict: keyof typeof PHRASES, request: string, draw: number): string {
  if (verdict === "bad" && draw < REPEATING) return request;
  const rest = verdict === "bad" ? (draw - REPEATING) / (1 - REPEATING) : draw;
  const phrases = PHRASES[verdict];
  return phrases[Math.floor(rest * phrases.length)] ?? phrases[0];
}
