/**
 * A release with invented visitors: requests arrive one by one, some from visitors who have been there
 * before, and a rule decides about the candidate. Outcomes are drawn, so no model is involved.
 *
 * Visitors come back after each request with the same chance, so requests per visitor are geometric. A
 * visitor's successes are beta-binomial, drawn from Pólya's urn: each success makes the next more likely.
 */
import {
  EMPTY_ARM,
  type ReleaseCounts,
  type ReleaseDecision,
  type StageSums,
  type VisitorSums,
  withValue,
} from "@waggle/evaluation";
import { type RandomSource, seededRandom } from "@waggle/protocol";

/** Visitors and their requests. */
export type Population = {
  /** Success rate of the stable version. */
  readonly base: number;
  /** Success rate of the candidate minus that of the stable version. */
  readonly effect: number;
  readonly requestsPerVisitor: number;
  /** Correlation of two outcomes of one visitor, in [0, 1). */
  readonly correlation: number;
  /** Share of requests whose outcome becomes known, because a visitor answers. */
  readonly responseRate: number;
  /** Requests of the site between a request and its answer, on average. */
  readonly answerDelay: number;
  /** How much the success rate of both versions rises from the first request to the last. */
  readonly drift: number;
};

/** Name of the only metric. */
export const SOLVED = "solved";

/**
 * @param exposure - requests that the candidate has served.
 * @returns the decision; another than to go on or to set a share ends the release.
 */
export type Rule = (counts: ReleaseCounts, exposure: number) => ReleaseDecision;

/** How a release ended. */
export type SimulatedRelease = {
  readonly decision: ReleaseDecision;
  /** Requests of both arms until the end. */
  readonly requests: number;
  readonly exposure: number;
};

/** Options of `simulateRelease`. */
export type ReleaseOptions = {
  readonly seed: number;
  readonly requests: number;
  readonly firstShare: number;
  readonly rule: Rule;
  /** Counts every request as a visitor of its own: the mistake that a control makes. */
  readonly countsRequests?: boolean;
  /** Called for the first outcome of each visitor, with the requests that the candidate has served. */
  readonly onFirstOutcome?: (arm: Arm, isSuccess: boolean, exposure: number) => void;
};

/** Who serves a request. */
export type Arm = keyof StageSums;

type Visitor = {
  /** Decides the arm at every share. */
  readonly position: number;
  /** Pólya's urn. */
  drawn: number;
  successes: number;
  counted: VisitorSums;
  /** Where the visitor counts, after the first request. */
  first: { readonly stage: number; readonly arm: Arm } | null;
};

/** Returning visitors who are about to come back. A visitor's requests are that far apart. */
const RETURNING = 150;
/** Requests between two decisions. */
const EVERY = 10;
const EFFECT_FREE = 1e-12;

type Answer = { readonly visitor: Visitor; readonly arm: Arm; readonly value: number };

/** Runs a release until the rule ends it or the requests do. */
export function simulateRelease(population: Population, options: ReleaseOptions): SimulatedRelease {
  const { requests, rule } = options;
  const { responseRate, answerDelay } = population;
  const random = seededRandom(options.seed);
  const visitors = new Visitors(population, random);
  const stages = [newStage(options.firstShare)];
  const answers = new LateAnswers();
  let exposure = 0;
  let decision: ReleaseDecision = { action: "go on", reason: "no request yet" };

  for (let request = 1; request <= requests; request += 1) {
    const stage = stages.at(-1) as Stage;
    const visitor = visitors.next();
    const arm: Arm = visitor.position < stage.share ? "candidate" : "stable";
    if (arm === "candidate") {
      stage.exposure += 1;
      exposure += 1;
    }
    visitor.first ??= { stage: stages.length - 1, arm };
    const progress = request / requests - 0.5;
    const value = visitors.outcome(visitor, arm, progress) ? 1 : 0;
    if (visitor.drawn === 1) options.onFirstOutcome?.(arm, value === 1, exposure);
    if (responseRate === 1 || random() < responseRate) {
      const answer = { visitor, arm, value };
      if (answerDelay === 0) count(stages, answer, options);
      else answers.add(answer, request + Math.floor(2 * random() * answerDelay));
    }
    if (answerDelay > 0) for (const answer of answers.due(request)) count(stages, answer, options);
    if (request % EVERY !== 0) continue;

    decision = rule({ requests: request, stages }, exposure);
    if (decision.action === "set share") stages.push(newStage(decision.share));
    else if (decision.action !== "go on") return { decision, requests: request, exposure };
  }
  return { decision, requests, exposure };
}

type Stage = { share: number; exposure: number; metrics: { [SOLVED]: StageSums } };

function newStage(share: number): Stage {
  return { share, exposure: 0, metrics: { [SOLVED]: { candidate: EMPTY_ARM, stable: EMPTY_ARM } } };
}

/** Counts an answer in the stage and the arm of the visitor's first request, if it is from that arm. */
function count(
  stages: readonly Stage[],
  { visitor, arm, value }: Answer,
  { countsRequests = false }: ReleaseOptions,
): void {
  const stage = stages[visitor.first?.stage ?? 0];
  if (stage === undefined || visitor.first?.arm !== arm) return;
  const before = countsRequests ? { values: 0, total: 0 } : visitor.counted;
  const sums = stage.metrics[SOLVED];
  const after = withValue(sums[arm], before, value);
  stage.metrics = { [SOLVED]: { ...sums, [arm]: after } };
  const { values, total } = visitor.counted;
  visitor.counted = { values: values + 1, total: total + value };
}

/** Answers by the request at which they arrive. */
class LateAnswers {
  readonly #byRequest = new Map<number, Answer[]>();

  add(answer: Answer, request: number): void {
    const others = this.#byRequest.get(request);
    if (others === undefined) this.#byRequest.set(request, [answer]);
    else others.push(answer);
  }

  due(request: number): readonly Answer[] {
    const answers = this.#byRequest.get(request) ?? [];
    this.#byRequest.delete(request);
    return answers;
  }
}

/** New and returning visitors. */
class Visitors {
  readonly #population: Population;
  readonly #random: RandomSource;
  readonly #returning: Visitor[] = [];

  constructor(population: Population, random: RandomSource) {
    this.#population = population;
    this.#random = random;
  }

  next(): Visitor {
    const stays = 1 - 1 / this.#population.requestsPerVisitor;
    const waiting = this.#returning.length;
    const returns = this.#random() < Math.min(0.95, (stays * waiting) / RETURNING);
    const visitor = returns ? this.#leave() : this.#arrive();
    if (this.#random() < stays) this.#returning.push(visitor);
    return visitor;
  }

  /** Draws an outcome of the stable version, and changes some for the candidate. */
  outcome(visitor: Visitor, arm: Arm, progress: number): boolean {
    const { base, effect, correlation, drift } = this.#population;
    const weight = correlation / (1 - correlation);
    const rate =
      (base + drift * progress + weight * visitor.successes) / (1 + weight * visitor.drawn);
    const isSuccess = this.#random() < rate;
    visitor.drawn += 1;
    visitor.successes += isSuccess ? 1 : 0;
    if (arm === "stable" || Math.abs(effect) < EFFECT_FREE) return isSuccess;
    const changes = this.#random() < (effect > 0 ? effect / (1 - base) : -effect / base);
    return changes ? effect > 0 : isSuccess;
  }

  #arrive(): Visitor {
    return {
      position: this.#random(),
      drawn: 0,
      successes: 0,
      counted: { values: 0, total: 0 },
      first: null,
    };
  }

  #leave(): Visitor {
    const index = Math.floor(this.#random() * this.#returning.length);
    const visitor = this.#returning[index] as Visitor;
    this.#returning[index] = this.#returning.at(-1) as Visitor;
    this.#returning.pop();
    return visitor;
  }
}
