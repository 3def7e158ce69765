/**
 * Who is in the next run: jobs take turns, and those that fit into one run share it. So nobody waits
 * longer than one run of each other job, and a step allocates nothing here.
 */
import type { DecoderRow, DecoderSession } from "../backend/decoder-backend.ts";
import { byArrival } from "./job.ts";
import type { Job } from "./job.ts";

export class JobRing {
  /** Jobs that can run; the first was served longest ago. */
  readonly jobs: Job[] = [];
  /** The jobs of the next run, in the order of arrival, so that rows stay where they are. */
  readonly chosen: Job[] = [];
  /** Their rows. */
  readonly rows: DecoderRow[] = [];
  readonly #ended: Job[] = [];

  /** @param job - with a cache and an open adapter. */
  add(job: Job): void {
    this.jobs.push(job);
  }

  remove(job: Job): void {
    const index = this.jobs.indexOf(job);
    if (index !== -1) this.jobs.splice(index, 1);
  }

  clear(): void {
    this.jobs.length = 0;
  }

  /**
   * Puts the next run together: the job that waited longest, and with it those that fit. All that
   * read one token do; of those that read more, the ones that begin, up to the tokens of one run.
   *
   * @returns jobs that have ended, which are in the ring no more. Valid until the next call.
   */
  choose(): readonly Job[] {
    const { jobs, chosen } = this;
    const ended = this.#ended;
    chosen.length = 0;
    ended.length = 0;
    let longest = 0;
    let kept = 0;
    for (let i = 0; i < jobs.length; i++) {
      const job = jobs[i] as Job;
      const unread = job.unread();
      if (unread === 0) {
        ended.push(job);
        continue;
      }
      jobs[kept++] = job;
      const session = job.resident.session as DecoderSession;
      const count = Math.min(unread, job.most(session));
      if (chosen.length > 0 && !this.#fits(job, session, count, longest)) continue;
      if (!fill(job, count)) {
        kept--;
        ended.push(job);
        continue;
      }
      longest = Math.max(longest, count);
      job.isChosen = true;
      chosen.push(job);
    }
    jobs.length = kept;
    this.#rotate();
    return ended;
  }

  /** @param longest - tokens of the longest row that was chosen. */
  #fits(job: Job, session: DecoderSession, count: number, longest: number) {
    const { chosen } = this;
    const head = chosen[0] as Job;
    if (job.resident !== head.resident || chosen.length >= session.maxRows) return false;
    if (count === 1 || longest === 1) return count === longest;
    if (job.sequence.cache?.length !== 0 || head.sequence.cache?.length !== 0) return false;
    return Math.max(longest, count) * (chosen.length + 1) <= job.most(session);
  }

  /** Sends the chosen to the end of the ring, and puts their rows in order. */
  #rotate(): void {
    const { jobs, chosen, rows } = this;
    if (chosen.length < jobs.length) {
      let kept = 0;
      for (let i = 0; i < jobs.length; i++) {
        const job = jobs[i] as Job;
        if (!job.isChosen) jobs[kept++] = job;
      }
      for (let i = 0; i < chosen.length; i++) jobs[kept++] = chosen[i] as Job;
    }
    if (chosen.length > 1) chosen.sort(byArrival);
    rows.length = 0;
    for (let i = 0; i < chosen.length; i++) {
      const job = chosen[i] as Job;
      job.isChosen = false;
      rows.push(job.row);
    }
  }
}

/** @returns false where a grammar has no next token: that is the job's end and nobody else's. */
function fill(job: Job, count: number): boolean {
  try {
    job.fill(count);
    return true;
  } catch (error) {
    job.fault = error;
    return false;
  }
}
