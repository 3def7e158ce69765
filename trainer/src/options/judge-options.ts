/** Options of a judge: a model on an OpenAI-compatible server. Its URL and key come from the environment. */
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { createJudgeServer, type JudgeServer } from "../judge/judge-server.ts";
import { wholeIn } from "./option-values.ts";

/** Parsed values of the judge options. */
export type JudgeFlags = {
  readonly judgeMessages: boolean;
  readonly judgeModel?: string;
  readonly judgeVotes: number;
  readonly requestTrials?: number;
  readonly readOnlyTools?: string;
  readonly compareRequests?: number;
};

/** A judge and what it is asked. */
export type JudgeUse = {
  readonly server: JudgeServer;
  /** Whether it says what visitors' next messages mean. */
  readonly readsMessages: boolean;
  /** New trials at each request of a visitor; 0 = none. */
  readonly requestTrials: number;
  /** Names of tools that change nothing. */
  readonly readOnlyTools: ReadonlySet<string>;
  /** Requests at which it compares a candidate's answers with the stable version's; 0 = none. */
  readonly comparedRequests: number;
};

const URL_VARIABLE = "WAGGLE_JUDGE_URL";
const KEY_VARIABLE = "WAGGLE_JUDGE_KEY";

/** Time limit of one reply in milliseconds. */
const REPLY_MS = 60_000;

/** Adds the options of a judge. */
export function withJudge(command: Command): Command {
  return command
    .option(
      "--judge-messages",
      `ask a judge what visitors' next messages say; its base URL (with /v1) is read from ${URL_VARIABLE}, its key from ${KEY_VARIABLE}`,
      false,
    )
    .addOption(
      new Option(
        "--request-trials <n>",
        "try each visitor's request that many times again, let the judge rank the trials, and learn from them (default: requests are not tried again)",
      ).argParser(wholeIn(2, 32)),
    )
    .option(
      "--read-only-tools <names>",
      "with --request-trials or --compare-requests: tools that change nothing, separated by commas; the record answers them in any order",
    )
    .addOption(
      new Option(
        "--compare-requests <n>",
        "for a site without an environment: let the judge compare each candidate's answers to that many requests of visitors with the stable version's; worse ones are not published (default: answers are not compared)",
      ).argParser(wholeIn(1, 1000)),
    )
    .option("--judge-model <name>", "model on the judge's server")
    .addOption(
      new Option(
        "--judge-votes <n>",
        "replies to each question, of which more than half must agree",
      )
        .argParser(wholeIn(1, 25))
        .default(3),
    );
}

/**
 * The judge that the options ask for; `null` if they ask for none.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a judge without a URL, or with nothing to do for the recipe.
 */
export function judgeOf(
  {
    judgeMessages,
    judgeModel,
    judgeVotes,
    requestTrials = 0,
    readOnlyTools,
    compareRequests = 0,
  }: JudgeFlags,
  { name, feedback }: EdgeRecipe,
  environment: { readonly [name: string]: string | undefined },
): JudgeUse | null {
  if (readOnlyTools !== undefined && requestTrials === 0 && compareRequests === 0) {
    throw invalid(
      "--read-only-tools is about new answers to requests; add --request-trials or --compare-requests",
    );
  }
  if (!judgeMessages && requestTrials === 0 && compareRequests === 0) {
    if (judgeModel === undefined) return null;
    throw invalid(
      "--judge-model names a judge with nothing to do; add --judge-messages, --request-trials or --compare-requests",
    );
  }
  if (judgeMessages && feedback?.message === undefined) {
    throw invalid(
      `recipe ${name} does not learn from messages; leave out --judge-messages, or use messages-reinforce`,
    );
  }
  if (requestTrials > 0 && feedback !== null) {
    throw invalid(
      `recipe ${name} learns from single requests with feedback; leave out --request-trials, or use a recipe that learns from groups`,
    );
  }
  const url = environment[URL_VARIABLE];
  if (!/^https?:$/.test(URL.parse(url ?? "")?.protocol ?? "") || url === undefined) {
    throw invalid(
      `a judge needs a server; set ${URL_VARIABLE} to the base URL (with /v1) of an OpenAI-compatible one`,
    );
  }
  const apiKey = environment[KEY_VARIABLE];
  return {
    server: createJudgeServer({
      baseUrl: url,
      votes: judgeVotes,
      timeoutMs: REPLY_MS,
      ...(judgeModel === undefined ? {} : { model: judgeModel }),
      ...(apiKey === undefined ? {} : { apiKey }),
    }),
    readsMessages: judgeMessages,
    requestTrials,
    readOnlyTools: new Set(readOnlyTools?.split(",").map((tool) => tool.trim())),
    comparedRequests: compareRequests,
  };
}

function invalid(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
