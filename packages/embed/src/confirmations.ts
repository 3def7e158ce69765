/** Questions that a visitor must allow before a tool runs. It shows nothing: a panel renders `pending`. */
import { isUnsure } from "@waggle/evaluation";
import { WaggleError } from "@waggle/protocol";
import { DEFAULT_AGENT_TEXTS, type AgentTexts } from "./agent-texts.ts";

/** A question that waits for the visitor. */
export type Confirmation = {
  readonly id: string;
  readonly toolName: string;
  readonly question: string;
  /** Later answers are ignored. */
  readonly answer: (isAllowed: boolean) => void;
};

/** The open questions of one agent, oldest first. */
export class Confirmations {
  readonly #onChange: () => void;
  readonly #confirmBelow: number;
  readonly #unsure: AgentTexts["unsure"];
  #open: readonly Confirmation[] = [];

  /**
   * @param confirmBelow - see `AgentOptions`.
   * @throws WaggleError `INVALID_ARGUMENT` if it is not from 0 to 1.
   */
  constructor(
    onChange: () => void,
    confirmBelow: number = 0.5,
    { unsure }: Pick<AgentTexts, "unsure"> = DEFAULT_AGENT_TEXTS,
  ) {
    if (!(confirmBelow >= 0 && confirmBelow <= 1)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `confirmBelow is ${confirmBelow}; use a probability from 0 (never ask) to 1 (always ask)`,
      );
    }
    this.#onChange = onChange;
    this.#confirmBelow = confirmBelow;
    this.#unsure = unsure;
  }

  /** The question to show; `null` if there is none. */
  get pending(): Confirmation | null {
    return this.#open[0] ?? null;
  }

  /** `ask`, if the call is less probably right than `confirmBelow`; otherwise true. `null` = unknown. */
  async askIfUnsure(
    toolName: string,
    label: string,
    signal: AbortSignal,
    probability: number | null,
  ): Promise<boolean> {
    const isSure = probability === null || !isUnsure(probability, this.#confirmBelow);
    return isSure || this.ask(toolName, this.#unsure(label), signal);
  }

  /** Resolves with the visitor's answer, or with false when the request ends first. */
  ask(toolName: string, question: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const id = crypto.randomUUID();
      const answer = (isAllowed: boolean): void => {
        signal.removeEventListener("abort", decline);
        this.#open = this.#open.filter((one) => one.id !== id);
        resolve(isAllowed);
        this.#onChange();
      };
      const decline = (): void => answer(false);
      if (signal.aborted) {
        resolve(false);
        return;
      }
      signal.addEventListener("abort", decline);
      this.#open = [...this.#open, { id, toolName, question, answer }];
      this.#onChange();
    });
  }
}
