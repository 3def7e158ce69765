/**
 * What one person does on a page: types a request, reads the answer, answers back, and perhaps says how it was. What the person
 * wants is in this process alone. What the assistant did is what the site's backend shows the person.
 */
import type { TaskReference } from "@waggle/protocol";
import { type ErrandSpec, openErrand, type SiteCall } from "./errand.ts";
import type { LivePeople, Person } from "./person.ts";

/** The page in the person's hands. */
export type HandledPage = {
  /** Begins a new conversation. */
  readonly startOver: () => Promise<void>;
  /** Types a message. @returns what the panel shows as the answer; `null` if it was cut before that. */
  readonly ask: (message: string) => Promise<string | null>;
  /** Presses the thumb below the last answer. @throws Error if there is none. */
  readonly press: (thumb: "up" | "down") => Promise<void>;
  /** The id of the last answer, as a page hands it to its backend; `null` if another model gave it. */
  readonly trajectoryId: () => Promise<string | null>;
};

/** The site's backend in the person's hands. */
export type HandledBackend = {
  /** Begins anew what the person has at the site. */
  readonly begin: (reference: TaskReference) => Promise<void>;
  /** What the assistant did there, oldest first. */
  readonly calls: () => Promise<readonly SiteCall[]>;
  /** Tells the site, which reports it as an outcome. */
  readonly tell: (trajectoryId: string, isSolved: boolean) => Promise<void>;
};

/** What a visit needs. */
export type VisitParts = {
  readonly page: HandledPage;
  readonly backend: HandledBackend;
  readonly spec: ErrandSpec;
  readonly signal: LivePeople["signal"];
  /** Called with each message. */
  readonly onRequest: () => void;
};

/** What a person said about an answer. It does not say whether it is true. */
export type Reaction = {
  readonly trajectoryId: string;
  /** In ms since 1970. */
  readonly at: number;
  readonly verdict: "good" | "bad";
};

/** @returns `null` if the person says nothing. @throws Error if the page does not answer. */
export async function visit(parts: VisitParts, person: Person): Promise<Reaction | null> {
  const { page, backend, spec, signal } = parts;
  // As the edge assigns tasks: the seed decides the level.
  const reference = { environment: spec.name, seed: person.taskSeed, split: "train" } as const;
  const errand = await openErrand(spec, reference);
  await backend.begin(reference);
  await page.startOver();
  let seen = 0;
  const ask = async (message: string): Promise<string | null> => {
    parts.onRequest();
    const text = await page.ask(message);
    const calls = await backend.calls();
    // A failed call has changed nothing.
    for (const call of calls.slice(seen)) await errand.call(call).catch(() => undefined);
    seen = calls.length;
    return text;
  };
  const first = errand.first.userMessage;
  let text = await ask(first);
  for (let turn = 1; text !== null && turn < spec.maxTurns; turn += 1) {
    const next = await errand.reply(text);
    if (next === null) break;
    text = await ask(next);
  }
  const verdict = person.verdict(await errand.isFulfilled(text));
  if (verdict === null) return null;
  const trajectoryId = await page.trajectoryId();
  if (trajectoryId === null)
    throw new Error("only an answer of the site's own policy can be rated");
  const at = Date.now();
  const isGood = verdict === "good";
  if (signal === "thumb") await page.press(isGood ? "up" : "down");
  else await backend.tell(trajectoryId, isGood);
  if (signal === "message") await ask(person.message(verdict, first));
  return { trajectoryId, at, verdict };
}
