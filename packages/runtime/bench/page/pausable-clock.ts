/** `performance.now` of this page, without the time that something beside what is measured took. */
export class PausableClock {
  readonly #now = performance.now.bind(performance);
  #left = 0;

  constructor() {
    performance.now = () => this.#now() - this.#left;
  }

  /** Runs what the clock is not to count; inside, it goes on. */
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
