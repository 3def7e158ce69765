/**
 * Chooses the jobs of the next run: jobs take turns, and those that fit into one run share it. So a
 * job waits for at most one run of each other job. A step allocates nothing here.
 */
import type { DecoderRow, DecoderSession } from "../backend/decoder-backend.ts";
import { byArrival } from "./job.ts";
import type { Job } from "./job.ts";

export class JobRing {
  /** Jobs that can run; the first one has waited longest. */
  readonly jobs: Job[] = [];
  /** The jobs of the next run, in order of arrival, so that rows stay in place. */
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
   * Composes the next run: the job that has waited longest and those that fit with it. If it reads
   * one token, these are all that do; otherwise, those at their start, up to the tokens of one run.
   *
   * @returns jobs that have ended, now removed from the ring. Valid until the next call.
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

  /** @param longest - tokens of the longest chosen row. */
  #fits(job: Job, session: DecoderSession, count: number, longest: number) {
    const { chosen } = this;
    const head = chosen[0] as Job;
    if (job.resident !== head.resident || chosen.length >= session.maxRows) return false;
    if (count === 1 || longest === 1) return count === longest;
    if (job.sequence.cache?.length !== 0 || head.sequence.cache?.length !== 0) return false;
    return Math.max(longest, count) * (chosen.length + 1) <= job.most(session);
  }

  /** Moves the chosen jobs to the end of the ring and sorts their rows. */
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

/** @returns false if a grammar has no next token, which ends only this job. */
function fill(job: Job, count: number): boolean {
  try {
    job.fill(count);
    return true;
  } catch (error) {
    job.fault = error;
    return false;
  }
}
