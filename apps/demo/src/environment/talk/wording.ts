/** Chooses the pattern of a turn and fills it. One pattern in four of each kind is for held-out tasks only. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import type { TalkTurn } from "./talk-turn.ts";
import { typed } from "./typing.ts";
import { AFTER, BEFORE } from "./wordings/asides.ts";
import { WORDINGS } from "./wordings/index.ts";

/** One in this many patterns is held out. */
const HELD_OUT_SHARE = 4;
/** Share of the messages with something beside the request, and of these the share that has it before the request. */
const ASIDE_SHARE = 0.15;
const BEFORE_SHARE = 0.6;
/** Kinds whose wording is all they have: another language, random letters, or too little to misspell. */
const AS_WRITTEN: ReadonlySet<string> = new Set([
  "other-language",
  "gibberish",
  "fragment",
  "half-word",
]);

/** A turn in words. */
export type Worded = { readonly text: string; readonly template: string };

/** Whether the pattern at this index occurs in held-out tasks only. */
export function isHeldOutPattern(index: number): boolean {
  return index % HELD_OUT_SHARE === HELD_OUT_SHARE - 1;
}

const SLOTS = new Map<string, readonly string[]>();

/** The slots of a pattern. */
function slotsOf(pattern: string): readonly string[] {
  const known = SLOTS.get(pattern);
  if (known !== undefined) return known;
  const slots = [...pattern.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  SLOTS.set(pattern, slots);
  return slots;
}

/** The patterns that fit a turn, with their indexes among all of the kind. */
export function fittingPatterns(turn: TalkTurn): { pattern: string; index: number }[] {
  if (turn.kind === "gibberish")
    return (turn.patterns ?? []).map((pattern) => ({ pattern, index: 0 }));
  const { slots, needs = [], patterns } = turn;
  return WORDINGS[turn.kind]
    .map((pattern, index) => ({ pattern, index }))
    .filter(({ pattern }) => {
      const used = slotsOf(pattern);
      return (
        (patterns?.includes(pattern) ?? true) &&
        used.every((slot) => slots[slot] !== undefined) &&
        needs.every((slot) => used.includes(slot))
      );
    });
}

/** A pattern with the values of its slots. */
export function filled(pattern: string, slots: TalkTurn["slots"]): string {
  // A pattern that names the attribute takes the category alone.
  const plain = pattern.includes("{attribute}") ? slots["plain"] : undefined;
  const text = pattern.replace(/\{(\w+)\}/g, (_, slot: string) =>
    slot === "category" && plain !== undefined ? plain : (slots[slot] ?? ""),
  );
  // "a umbrella" is "an umbrella".
  return text.replaceAll(/\ba (?=[aeio]|um)/g, "an ");
}

/**
 * The turn in words.
 * @param unseen - whether to take a held-out pattern
 */
export function worded(turn: TalkTurn, unseen: boolean, random: RandomSource): Worded {
  const fitting = fittingPatterns(turn);
  const wanted = fitting.filter(({ index }) => isHeldOutPattern(index) === unseen);
  const { pattern, index } = pick(random, turn.kind === "gibberish" ? fitting : wanted);
  const text = filled(pattern, unseen ? { ...turn.slots, ...turn.unseen } : turn.slots);
  return {
    text: AS_WRITTEN.has(turn.kind) ? text : typed(text, random),
    template: `${turn.kind}-${unseen ? "unseen-" : ""}${index}`,
  };
}

/** A message with a reason, a mood or a story beside the request, sometimes. */
export function withAside(text: string, unseen: boolean, random: RandomSource): string {
  if (random() >= ASIDE_SHARE) return text;
  const isBefore = random() < BEFORE_SHARE;
  const asides = (isBefore ? BEFORE : AFTER).filter((_, at) => isHeldOutPattern(at) === unseen);
  const aside = typed(pick(random, asides), random);
  return isBefore ? `${aside} ${text}` : `${text.replace(/[.!?]$/, "")}, ${aside}`;
}
