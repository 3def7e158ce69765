/**
 * Replaces the page's `performance.now` by a clock that can leave out work besides the measured
 * one.
 */
export class PausableClock {
  readonly #now = performance.now.bind(performance);
  #left = 0;

  constructor() {
    performance.now = () => this.#now() - this.#left;
  }

  /** Runs work that the clock leaves out. Inside it, the clock runs. */
  without<T>(run: () => T): T {
    const start = this.#now();
    const result = run();
    this.#left += this.#now() - start;
    return result;
  }

  restore(): void {
    performance.now = this.#now;
  }
}
