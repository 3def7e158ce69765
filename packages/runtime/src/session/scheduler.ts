/**
 * The loop that runs the device for every session of a policy, with continuous batching. Jobs that
 * sample under the same adapter share runs, reading ahead takes turns with them, and finished rows
 * leave immediately. If the backend is synchronous, a token costs no promise and no turn of the
 * event loop, which gets one every few milliseconds so that aborts and messages arrive.
 *
 * It owns every use of the device, one after the other, and handles failures. A lost device is
 * replaced, and caches are read again from the tokens. When memory runs out, caches of idle
 * sequences are dropped first.
 */
import { WaggleError } from "@waggle/protocol";
import type { Awaitable, DecoderCache, RowResult } from "../backend/decoder-backend.ts";
import { isDeviceLost } from "./decoder-device.ts";
import type { DecoderDevice } from "./decoder-device.ts";
import type { NextTask } from "./event-loop.ts";
import { byArrival } from "./job.ts";
import type { Job } from "./job.ts";
import { JobRing } from "./job-ring.ts";
import type { Sequence } from "./sequence.ts";

/**
 * How long the thread may block, in milliseconds. An abort waits at most this long plus one run.
 * After a task of this length, a turn of Chromium's event loop takes up to 0.2 ms, like a token of
 * a small model.
 */
const MAX_BLOCKED_MS = 16;

/** Maximum devices lost during one job or operation before it fails. */
const MOST_LOSSES = 3;

type Operation = {
  readonly run: () => Awaitable<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
};

/** Options of `Scheduler`. */
export type SchedulerOptions = {
  readonly device: DecoderDevice;
  readonly nextTask: NextTask;
  /** Bytes for caches; beyond that, those of idle sequences are dropped. */
  readonly cacheBytes: number;
};

export class Scheduler {
  readonly #device: DecoderDevice;
  readonly #nextTask: NextTask;
  readonly #cacheBytes: number;
  /** Sequences whose caches may be dropped while they are idle. */
  readonly #sequences = new Set<Sequence>();
  /** Jobs with a cache and an open adapter. */
  readonly #ring = new JobRing();
  /** Jobs without one of these. */
  #unprepared: Job[] = [];
  /** Jobs that ran out of memory while others held it; they restart when one of those ends. */
  #parked: Job[] = [];
  readonly #operations: Operation[] = [];
  /** Caches that were given up during a run. */
  #leftovers: DecoderCache[] = [];
  #jobs = 0;
  #uses = 0;
  #isAwake = false;
  /** True during an asynchronous use of the device. */
  #isOccupied = false;
  #deafUntil = 0;
  #stopped: WaggleError | null = null;

  constructor({ device, nextTask, cacheBytes }: SchedulerOptions) {
    this.#device = device;
    this.#nextTask = nextTask;
    this.#cacheBytes = cacheBytes;
  }

  /** Runs a job to its end. Its sequence is busy until then. */
  add(job: Job): void {
    if (this.#stopped !== null) return job.fail(this.#stopped);
    job.id = ++this.#jobs;
    job.sequence.isBusy = true;
    this.#unprepared.push(job);
    this.#wake();
  }

  /** Uses the device before any further run. After a lost device it is repeated. */
  operate<T>(run: () => Awaitable<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#operations.push({ run, resolve, reject });
      this.#wake();
    });
  }

  /** Allows the cache of a sequence to be dropped while it is idle. */
  keep(sequence: Sequence): void {
    sequence.lastUse = ++this.#uses;
    this.#sequences.add(sequence);
  }

  /** Frees the cache of a sequence that no job reads, and forgets the sequence. */
  forget(sequence: Sequence): void {
    this.#sequences.delete(sequence);
    this.free(sequence);
  }

  /** Frees the cache of a sequence that no job reads; it is read again from the tokens. */
  free(sequence: Sequence): void {
    const cache = sequence.takeCache();
    if (cache === null) return;
    if (this.#isOccupied) this.#leftovers.push(cache);
    else cache.dispose();
  }

  /** Ends every job with `error` and frees every cache. Jobs added later fail with it, too. */
  async stop(error: WaggleError): Promise<void> {
    this.#stopped = error;
    await this.operate(() => {
      for (const job of this.#allJobs()) this.#fail(job, error);
      this.#ring.clear();
      this.#unprepared = [];
      for (const sequence of this.#sequences) this.forget(sequence);
    });
  }

  #wake(): void {
    if (this.#isAwake || this.#isOccupied) return;
    this.#isAwake = true;
    this.#nextTask(this.#turn);
  }

  /**
   * Runs until there is nothing to do, the device is asynchronous, or the thread blocked long
   * enough.
   */
  readonly #turn = (): void => {
    this.#isAwake = false;
    // A listener may have requested a turn while a run is still in progress.
    if (this.#isOccupied) return;
    if (this.#parked.some((job) => job.unread() === 0)) this.#unpark();
    this.#deafUntil = performance.now() + MAX_BLOCKED_MS;
    this.#advance();
  };

  #advance(): void {
    for (;;) {
      if (this.#operations.length > 0) return void this.#occupy(this.#runOperation());
      if (this.#unprepared.length > 0) return void this.#occupy(this.#prepare());
      const hasEnded = this.#choose();
      if (this.#ring.rows.length === 0) {
        // The end of a job may have allowed another one to restart.
        if (this.#unprepared.length > 0) continue;
        if (hasEnded) this.#makeRoom();
        return;
      }
      let answer: Awaitable<readonly RowResult[]>;
      try {
        const { session } = (this.#ring.chosen[0] as Job).resident;
        if (session === null) throw new WaggleError("INTERNAL", "the run has no open adapter");
        answer = session.run(this.#ring.rows);
      } catch (error) {
        return void this.#occupy(this.#recover(error));
      }
      if (isPromise(answer)) {
        this.#isOccupied = true;
        answer.then(this.#takeLater, this.#failLater);
        return;
      }
      this.#take(answer);
      if (hasEnded || performance.now() >= this.#deafUntil) return this.#wake();
    }
  }

  readonly #takeLater = (results: readonly RowResult[]): void => {
    this.#vacate();
    this.#take(results);
    if (performance.now() >= this.#deafUntil) this.#wake();
    else this.#advance();
  };

  readonly #failLater = (error: unknown): void => {
    this.#vacate();
    void this.#occupy(this.#recover(error));
  };

  /** Waits for a use of the device that never rejects, then continues. */
  async #occupy(use: Promise<void>): Promise<void> {
    this.#isOccupied = true;
    await use;
    this.#vacate();
    if (performance.now() >= this.#deafUntil) this.#wake();
    else this.#advance();
  }

  #vacate(): void {
    this.#isOccupied = false;
    for (const cache of this.#leftovers) cache.dispose();
    this.#leftovers = [];
  }

  /** @returns whether a job ended, whose owner then waits for a turn. */
  #choose(): boolean {
    const ended = this.#ring.choose();
    for (const job of ended) this.#settle(job);
    return ended.length > 0;
  }

  #take(results: readonly RowResult[]): void {
    const { chosen } = this.#ring;
    for (let i = 0; i < chosen.length; i++) {
      const job = chosen[i] as Job;
      if (job.reach >= job.failedReach) job.memoryFailures = 0;
      try {
        job.take(results[i] as RowResult);
      } catch (error) {
        // A listener or a grammar threw, which ends only this job.
        this.#end(job, error);
      }
    }
  }

  #settle(job: Job): void {
    if (job.fault !== null) return this.#fail(job, job.fault);
    this.#rest(job);
    job.settle();
  }

  #fail(job: Job, error: unknown): void {
    this.#rest(job);
    job.fail(error);
  }

  #rest({ sequence }: Job): void {
    this.#unpark();
    sequence.isBusy = false;
    sequence.lastUse = ++this.#uses;
    if (!this.#sequences.has(sequence)) this.free(sequence);
  }

  async #runOperation(): Promise<void> {
    const { run, resolve, reject } = this.#operations.shift() as Operation;
    for (let failures = 1; ; failures++) {
      try {
        return resolve((await run()) as never);
      } catch (error) {
        const mayRepeat = failures < MOST_LOSSES && (await this.#repair(error, failures));
        if (!mayRepeat) return reject(error);
      }
    }
  }

  /** Opens the adapters of new jobs and creates their caches. */
  async #prepare(): Promise<void> {
    for (let job = this.#unprepared.shift(); job !== undefined; job = this.#unprepared.shift()) {
      const { sequence, resident } = job;
      sequence.leaveOneUnread();
      if (job.unread() === 0) {
        this.#settle(job);
        continue;
      }
      try {
        const session = await this.#device.open(resident);
        sequence.cache ??= await session.createCache();
        this.#ring.add(job);
      } catch (error) {
        await this.#failed([job], error);
      }
    }
    this.#makeRoom();
  }

  /** Handles a failed run of the chosen jobs. */
  async #recover(error: unknown): Promise<void> {
    const failed = [...this.#ring.chosen];
    for (const job of failed) {
      this.#ring.remove(job);
      job.sequence.takeCache()?.dispose();
    }
    await this.#failed(failed, error);
  }

  /** Handles jobs that failed together: repeats those that may succeed, ends the others. */
  async #failed(jobs: readonly Job[], error: unknown): Promise<void> {
    const mayRepeat = await this.#repair(error, 1);
    this.#unprepared = [...jobs, ...this.#unprepared];
    if (isDeviceLost(error)) {
      for (const job of this.#allJobs()) {
        if (++job.losses >= MOST_LOSSES) this.#end(job, error);
      }
      return;
    }
    if (!mayRepeat) {
      for (const job of jobs) this.#end(job, error);
      return;
    }
    let isAgain = false;
    for (const job of jobs) {
      job.failedReach = Math.max(job.failedReach, job.reach);
      if (++job.memoryFailures > 1) isAgain = true;
    }
    if (!isAgain) return;
    // Dropping idle caches was not enough: the latest job makes room for the others.
    const running = this.#allJobs().filter((job) => !this.#parked.includes(job));
    const youngest = running.toSorted(byArrival).at(-1) as Job;
    if (running.length === 1) return this.#end(youngest, error);
    this.#remove(youngest);
    youngest.sequence.takeCache()?.dispose();
    this.#parked.push(youngest);
  }

  #end(job: Job, error: unknown): void {
    this.#remove(job);
    this.#fail(job, error);
  }

  #remove(job: Job): void {
    this.#ring.remove(job);
    this.#unprepared = this.#unprepared.filter((each) => each !== job);
    this.#parked = this.#parked.filter((each) => each !== job);
  }

  #unpark(): void {
    if (this.#parked.length === 0) return;
    for (const job of this.#parked) job.memoryFailures = 0;
    this.#unprepared = [...this.#unprepared, ...this.#parked];
    this.#parked = [];
  }

  #allJobs(): Job[] {
    return [...this.#ring.jobs, ...this.#unprepared, ...this.#parked];
  }

  /** @returns whether the failed operation may succeed now. */
  async #repair(error: unknown, failures: number): Promise<boolean> {
    if (isDeviceLost(error)) {
      for (const sequence of this.#sequences) sequence.takeCache()?.dispose();
      for (const { sequence } of this.#allJobs()) sequence.takeCache()?.dispose();
      this.#unprepared = [...this.#ring.jobs, ...this.#unprepared];
      this.#ring.clear();
      await this.#device.abandon();
      return true;
    }
    if (!WaggleError.is(error, "OUT_OF_MEMORY") || failures > 1) return false;
    for (const sequence of this.#sequences) {
      if (!sequence.isBusy) sequence.takeCache()?.dispose();
    }
    return true;
  }

  /** Drops caches of idle sequences, least recently used first, until the rest fits. */
  #makeRoom(): void {
    while (this.#device.memory().caches > this.#cacheBytes) {
      let oldest: Sequence | null = null;
      for (const sequence of this.#sequences) {
        if (sequence.isBusy || sequence.cache === null) continue;
        if (oldest === null || sequence.lastUse < oldest.lastUse) oldest = sequence;
      }
      if (oldest === null) return;
      oldest.takeCache()?.dispose();
    }
  }
}

function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown }).then === "function";
}
