/**
 * Reads one document of the Agent Trajectory Interchange Format as its specification describes it: members
 * that it does not name are refused, and so is what contradicts itself. Made for tests of writers of the
 * format; it shares no code with ours, and pictures and sub-agents are beyond it.
 *
 * Source: Harbor, `rfcs/0001-trajectory-format.md`, ATIF-v1.7 (April 2026).
 */
import { isObject, WaggleError } from "@waggle/protocol";

/** One step, with what was called and answered in it. */
export type AtifSaid = {
  readonly source: "system" | "user" | "agent";
  readonly message: string;
  readonly modelName: string | null;
  readonly isCopied: boolean;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: object;
  }[];
  readonly results: readonly { readonly callId: string | null; readonly content: string }[];
};

/** Inferences of which each one's prompt begins with all that was before it; all arrays `[T]`. */
export type AtifTokens = {
  readonly tokenIds: readonly number[];
  readonly isSampled: readonly boolean[];
  /** In nats; 0 where nothing was sampled. */
  readonly logProbs: readonly number[];
};

/** What an ATIF document says, in a form that tests can compare. */
export type AtifReading = {
  readonly trajectoryId: string;
  readonly said: readonly AtifSaid[];
  readonly tokens: readonly AtifTokens[];
  /** OpenAI's function tools. */
  readonly tools: readonly unknown[];
  readonly extra: Members;
};

type Members = { readonly [name: string]: unknown };

const MEMBERS = {
  trajectory:
    "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories",
  agent: "name version model_name tool_definitions extra",
  step: "step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics is_copied_context llm_call_count extra",
  call: "tool_call_id function_name arguments extra",
  observation: "results",
  result: "source_call_id content subagent_trajectory_ref extra",
  metrics:
    "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
  totals:
    "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
} as const;

/** @throws WaggleError `SCHEMA_INVALID` naming the place. */
export function readAtifDocument(document: unknown): AtifReading {
  const root = membersOf(document, "trajectory", "the document");
  must(root["schema_version"] === "ATIF-v1.7", "schema_version", root["schema_version"]);
  const agent = membersOf(root["agent"], "agent", "agent");
  textOf(agent["name"], "agent.name");
  textOf(agent["version"], "agent.version");
  const steps = listOf(root["steps"], "steps").map((step, i) => {
    const members = membersOf(step, "step", `steps[${i}]`);
    must(members["step_id"] === i + 1, `steps[${i}].step_id`, members["step_id"]);
    return members;
  });
  const said = steps.map(saidIn);
  const inferences = steps.flatMap((step, i) => inferenceIn(step, `steps[${i}]`));
  const totals = membersOf(root["final_metrics"] ?? {}, "totals", "final_metrics");
  const expected = {
    total_prompt_tokens: sum(inferences.map(({ prompt }) => prompt.length)),
    total_completion_tokens: sum(inferences.map(({ completion }) => completion.length)),
    total_steps: steps.length,
  };
  for (const [name, value] of Object.entries(expected)) {
    must((totals[name] ?? value) === value, `final_metrics.${name}`, totals[name]);
  }
  return {
    trajectoryId: textOf(root["trajectory_id"], "trajectory_id"),
    said,
    tokens: joined(inferences),
    tools: listOf(agent["tool_definitions"] ?? [], "agent.tool_definitions"),
    extra: membersOf(root["extra"] ?? {}, null, "extra"),
  };
}

function saidIn(step: Members, index: number): AtifSaid {
  const at = `steps[${index}]`;
  const source = step["source"];
  if (source !== "system" && source !== "user" && source !== "agent") {
    throw refusal(`${at}.source`, source);
  }
  const ofAgent = ["model_name", "tool_calls", "observation", "metrics", "llm_call_count"];
  const misplaced = ofAgent.find((name) => source !== "agent" && step[name] !== undefined);
  must(misplaced === undefined, `${at}.${misplaced ?? ""}`, source);
  const calls = listOf(step["tool_calls"] ?? [], `${at}.tool_calls`).map((call) => {
    const members = membersOf(call, "call", `${at}.tool_calls`);
    return {
      id: textOf(members["tool_call_id"], `${at}.tool_call_id`),
      name: textOf(members["function_name"], `${at}.function_name`),
      arguments: membersOf(members["arguments"], null, `${at}.arguments`),
    };
  });
  const observation = membersOf(step["observation"] ?? { results: [] }, "observation", at);
  const results = listOf(observation["results"], `${at}.results`).map((result) => {
    const members = membersOf(result, "result", `${at}.results`);
    const callId = members["source_call_id"] ?? null;
    const isOfStep = callId === null || calls.some(({ id }) => id === callId);
    must(isOfStep, `${at}.source_call_id`, callId);
    return {
      callId: callId as string | null,
      content: textOf(members["content"], `${at}.content`),
    };
  });
  const isCopied = step["is_copied_context"] === true;
  const modelName = step["model_name"];
  return {
    source,
    calls,
    results,
    isCopied,
    message: textOf(step["message"], `${at}.message`),
    modelName: modelName === undefined ? null : textOf(modelName, `${at}.model_name`),
  };
}

type Inference = {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
  readonly logProbs: readonly number[];
};

/** None in a step without tokens. */
function inferenceIn(step: Members, at: string): Inference[] {
  if (step["metrics"] === undefined) return [];
  const metrics = membersOf(step["metrics"], "metrics", `${at}.metrics`);
  const prompt = numbersOf(metrics["prompt_token_ids"], `${at}.prompt_token_ids`);
  const completion = numbersOf(metrics["completion_token_ids"], `${at}.completion_token_ids`);
  const logProbs = numbersOf(metrics["logprobs"], `${at}.logprobs`);
  must(metrics["prompt_tokens"] === prompt.length, `${at}.prompt_tokens`, prompt.length);
  const count = completion.length;
  must(metrics["completion_tokens"] === count, `${at}.completion_tokens`, count);
  must(logProbs.length === count, `${at}.logprobs`, logProbs.length);
  return [{ prompt, completion, logProbs }];
}

/** A prompt that does not go on from what was before begins tokens of its own. */
function joined(inferences: readonly Inference[]): AtifTokens[] {
  const rows: { tokenIds: number[]; isSampled: boolean[]; logProbs: number[] }[] = [];
  for (const { prompt, completion, logProbs } of inferences) {
    const before = rows.at(-1);
    const goesOn = before?.tokenIds.every((id, t) => prompt[t] === id) === true;
    const row = goesOn && before ? before : { tokenIds: [], isSampled: [], logProbs: [] };
    if (row !== before) rows.push(row);
    const given = prompt.slice(row.tokenIds.length);
    row.tokenIds.push(...given, ...completion);
    row.isSampled.push(...given.map(() => false), ...completion.map(() => true));
    row.logProbs.push(...given.map(() => 0), ...logProbs);
  }
  return rows;
}

/** @param kind names the members that are known; `null`: any. */
function membersOf(value: unknown, kind: keyof typeof MEMBERS | null, at: string): Members {
  if (!isObject(value)) {
    throw refusal(at, value);
  }
  const known = kind === null ? null : MEMBERS[kind].split(" ");
  const unknown = Object.keys(value).find((name) => known?.includes(name) === false);
  must(unknown === undefined, at, `an unknown ${unknown ?? ""}`);
  return value as Members;
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal(at, value);
  return value as unknown[];
}

function textOf(value: unknown, at: string): string {
  if (typeof value !== "string") throw refusal(at, value);
  return value;
}

function numbersOf(value: unknown, at: string): readonly number[] {
  const list = listOf(value, at);
  must(
    list.every((entry) => typeof entry === "number"),
    at,
    "other than numbers",
  );
  return list as number[];
}

function must(holds: boolean, at: string, value: unknown): void {
  if (!holds) throw refusal(at, value);
}

function refusal(at: string, value: unknown): WaggleError {
  const got = (JSON.stringify(value) ?? "nothing").slice(0, 80);
  return new WaggleError("SCHEMA_INVALID", `${got} is invalid at ${at} in ATIF-v1.7`);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
