/** Progress of a command that takes longer than two seconds: a line on a terminal, otherwise a line now and then. */

/** Bytes of a step; `null`: not known. */
export type Progress = {
  readonly step: string;
  readonly doneBytes?: number;
  readonly totalBytes?: number | null;
};

export type ProgressOptions = {
  readonly writeError: (line: string) => void;
  /** Whether events are written as JSON. */
  readonly json: boolean;
  /** A terminal, whose last line is rewritten. Default: standard error if it is one. */
  readonly terminal?: { readonly write: (text: string) => unknown } | null;
  /** Milliseconds. */
  readonly now?: () => number;
};

const TERMINAL_MS = 100;
/** Of the first line where there is no terminal, and between two lines of a step. */
const FIRST_MS = 2000;
const BETWEEN_MS = 10_000;
const CLEAR = "\r\u001B[K";

/** Writes the progress of a command. */
export class ProgressWriter {
  readonly #options: ProgressOptions;
  readonly #terminal: { readonly write: (text: string) => unknown } | null;
  readonly #now: () => number;
  readonly #first: number;
  #due: number;
  #step: string | null = null;
  #isShown = false;

  constructor(options: ProgressOptions) {
    const { terminal = process.stderr.isTTY ? process.stderr : null, now } = options;
    this.#options = options;
    this.#terminal = options.json ? null : terminal;
    this.#now = now ?? (() => performance.now());
    this.#first = this.#now() + (this.#terminal === null ? FIRST_MS : 0);
    this.#due = this.#first;
  }

  /** Reports the state of a step. Most calls write nothing. */
  readonly show = (progress: Progress): void => {
    const now = this.#now();
    const isNew = progress.step !== this.#step;
    if (now < (isNew ? this.#first : this.#due)) return;
    this.#step = progress.step;
    if (this.#terminal !== null) {
      this.#due = now + TERMINAL_MS;
      this.#isShown = true;
      this.#terminal.write(`${CLEAR}${textOf(progress)}`);
      return;
    }
    this.#due = now + BETWEEN_MS;
    this.#options.writeError(
      this.#options.json ? JSON.stringify({ event: "progress", ...progress }) : textOf(progress),
    );
  };

  /** Removes the line from the terminal, before anything else is written. */
  end(): void {
    if (this.#isShown) this.#terminal?.write(CLEAR);
    this.#isShown = false;
  }
}

function textOf({ step, doneBytes, totalBytes }: Progress): string {
  if (doneBytes === undefined) return `${step} …`;
  const done = (doneBytes / 1e6).toFixed(1);
  if (totalBytes == null) return `${step}: ${done} MB`;
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes);
  return `${step}: ${done} of ${(totalBytes / 1e6).toFixed(1)} MB (${percent} %)`;
}
