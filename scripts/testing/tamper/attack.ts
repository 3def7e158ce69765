/** An attack and what became of it. */

/** An attack as it is told. */
export type Attack = {
  readonly name: string;
  /** What the attacker does. */
  readonly does: string;
  /** The rule that stops it. */
  readonly stoppedBy: string;
};

/** An attack with its result. */
export type AttackResult = Attack & {
  /**
   * `rejected`: refused with the stated reason. `neutralized`: nothing of it counts, or at most a tenth of the attacker's
   * records do. `failed`: neither.
   */
  readonly result: "rejected" | "neutralized" | "failed";
  /** What happened, in figures or codes. */
  readonly details: string;
};

/** Largest share of an attacker's records that may be learned from. */
export const MOST_LEARNED = 0.1;

/** One line of text. */
export function attackLine({ name, result, stoppedBy, details }: AttackResult): string {
  return `  ${result.padEnd(11)} ${name.padEnd(44)} ${details} [${stoppedBy}]`;
}
