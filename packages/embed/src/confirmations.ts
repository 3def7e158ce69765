/** Questions that a visitor must allow before a tool runs. It shows nothing: a panel renders `pending`. */

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
  #open: readonly Confirmation[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The question to show; `null` if there is none. */
  get pending(): Confirmation | null {
    return this.#open[0] ?? null;
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
