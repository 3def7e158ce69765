/**
 * A rollout in progress: the turn loop. An instance runs once. Afterwards, `pending` tells a conversation
 * how to continue.
 */
import { canonicalJson, WaggleError, spanSeed } from "@waggle/protocol";
import type {
  Environment,
  FirstObservation,
  GrammarSpec,
  Observation,
  PolicyContext,
  Sample,
  Sampling,
  StopReason,
  ToolCall,
  ToolDefinition,
  ToolResult,
  Trajectory,
} from "@waggle/protocol";
import type { ChatNext, ParsedAssistant, RenderedSegment } from "@waggle/text";
import type { AgentEvent } from "./agent-event.ts";
import { createDeadline, untilAborted } from "./deadline.ts";
import type { Deadline } from "./deadline.ts";
import { turnConfidence } from "./decision-confidence.ts";
import type { RollOutOptions } from "./roll-out-options.ts";
import { RepeatedTurns } from "./repeated-turns.ts";
import { messageOf, plainResult } from "./tool-value.ts";
import { ToolCallConstraint } from "./tool-call-constraint.ts";
import { TrajectoryRecord } from "./trajectory-record.ts";

/** Resolved options of a rollout. */
export type RunningRolloutOptions = Omit<RollOutOptions, "environment"> & {
  readonly environment: Environment;
  readonly sampling: Omit<Sampling, "seed">;
};

/** The state in which a rollout starts. */
export type RolloutStart = {
  readonly context: PolicyContext;
  /** Segments that the context already contains. They are recorded as given. */
  readonly segments: readonly RenderedSegment[];
  /** Messages to render after those segments, together with the new user message. */
  readonly pending?: ChatNext;
  /** Called before every turn except the first. May move the context to another version. */
  readonly beforeTurn?: () => void;
};

/** Either why the rollout stops or what the policy reads next. */
type TurnOutcome = { readonly stop: StopReason } | { readonly next: ChatNext };

/** Runs the turn loop over one environment and context. */
export class Rollout {
  readonly #options: RunningRolloutOptions;
  readonly #start: RolloutStart;
  readonly #record: TrajectoryRecord;
  readonly #contextLimit: number;
  #calls = 0;
  #parseErrors = 0;
  readonly #repeated = new RepeatedTurns();
  #pending: ChatNext = { sampledEnded: false };
  #tools: readonly ToolDefinition[] = [];
  #constraint: ToolCallConstraint | null = null;
  #hasSampledSecret = false;

  constructor(options: RunningRolloutOptions, start: RolloutStart) {
    const { policy, environment, limits } = options;
    requireLimits(limits);
    this.#options = options;
    this.#start = start;
    this.#contextLimit = Math.min(policy.contextLength, limits.maxContextTokens ?? Infinity);
    this.#record = new TrajectoryRecord(
      {
        ...(options.trajectoryId === undefined ? {} : { id: options.trajectoryId }),
        task: environment.task,
        assignmentId: options.assignmentId ?? null,
        ...(options.isEdgeSeed === true ? { samplingSeed: options.seed } : {}),
        consent: options.consent,
        client: options.client,
        baseModel: policy.baseModel,
      },
      options.now ?? (() => new Date()),
    );
  }

  /** Messages that the policy has not read yet. */
  get pending(): ChatNext {
    return this.#pending;
  }

  /** Whether the arguments of a call held a secret, so that sampled tokens and perhaps the text before them hold it. */
  get hasSampledSecret(): boolean {
    return this.#hasSampledSecret;
  }

  /**
   * @returns the trajectory. If the arguments of a call held a secret, its consent has no scopes, so it is neither kept
   *   nor uploaded.
   */
  async run(): Promise<Trajectory> {
    const { limits, signal, environment } = this.#options;
    const deadline = createDeadline(limits.timeoutMs, signal);
    try {
      const first = await environment.observe();
      const stopReason = await this.#turns(first, deadline);
      const recorded = this.#record.finish(stopReason, this.#start.context.policyVersion);
      const trajectory = this.#hasSampledSecret
        ? { ...recorded, consent: { ...recorded.consent, scopes: [] } }
        : recorded;
      this.#emit({ type: "trajectory-end", trajectory });
      return trajectory;
    } finally {
      deadline.release();
    }
  }

  async #turns(first: FirstObservation, deadline: Deadline): Promise<StopReason> {
    const pageTools = new Set(
      first.tools.filter((tool) => tool.source === "page").map((tool) => tool.name),
    );
    const { chatFormat, grammar, constrainToolCalls = false } = this.#options;
    this.#tools = first.tools;
    if (constrainToolCalls && grammar === undefined) {
      this.#constraint = new ToolCallConstraint(chatFormat, first.tools);
    }
    await this.#options.redactor?.prepare?.([first.system, first.userMessage]);
    let given = this.#begin(first);
    for (let turn = 0; ; turn++) {
      if (!this.#give(given, turn === 0)) return "context-overflow";
      if (turn > 0) this.#start.beforeTurn?.();
      const outcome = await this.#turn(turn, pageTools, deadline);
      if ("stop" in outcome) return outcome.stop;
      this.#pending = outcome.next;
      if (turn + 1 >= this.#options.limits.maxTurns) return "max-turns";
      given = chatFormat.next(outcome.next);
    }
  }

  /** Records the existing context and renders the request. */
  #begin(first: FirstObservation): RenderedSegment[] {
    const { chatFormat } = this.#options;
    const userMessage = this.#redact(first.userMessage);
    for (const { role, tokenIds } of this.#start.segments) this.#record.addGiven(role, tokenIds);
    if (this.#start.pending) return chatFormat.next({ ...this.#start.pending, userMessage });
    return chatFormat.start({
      system: this.#redact(first.system),
      tools: first.tools,
      userMessage,
    });
  }

  /** Appends given tokens. Returns false if they leave no room for a sampled token. */
  #give(given: readonly RenderedSegment[], isFirst: boolean): boolean {
    const { context } = this.#start;
    const size = given.reduce((sum, segment) => sum + segment.tokenIds.length, 0);
    const fits = context.tokenIds.length + size < this.#contextLimit;
    for (const { role, tokenIds } of given) {
      if (fits) context.append(tokenIds);
      // The first request is always recorded, even if it does not fit.
      if (fits || isFirst) this.#record.addGiven(role, tokenIds);
    }
    return fits;
  }

  async #turn(
    turn: number,
    pageTools: ReadonlySet<string>,
    deadline: Deadline,
  ): Promise<TurnOutcome> {
    this.#pending = { sampledEnded: false };
    if (deadline.reason) return { stop: deadline.reason };
    this.#emit({ type: "turn-start", turn });
    const sampling = { ...this.#options.sampling, seed: spanSeed(this.#options.seed, turn) };
    const { sample, grammar } = await this.#sample(turn, sampling, deadline.signal);
    const sampledEnded = sample.stopReason === "stop-token";
    this.#pending = { sampledEnded };

    const { chatFormat } = this.#options;
    const text = chatFormat.decodeAssistant(sample.tokenIds);
    const parsed = chatFormat.parseAssistant(text, { tools: this.#tools });
    // After an abort before the first token there is no segment to record.
    const segmentId =
      sample.tokenIds.length > 0
        ? this.#record.addSampled(sample, sampling, this.#start.context.policyVersion, grammar)
        : null;
    const end = (
      toolCalls: readonly ToolCall[],
      toolResults: readonly ToolResult[],
      outcome: TurnOutcome,
    ): TurnOutcome => {
      const { text, parseError } = parsed;
      if (segmentId !== null) {
        this.#record.addTurn({ segmentId, toolCalls, toolResults, parseError });
      }
      this.#emit({ type: "turn-end", turn, text, parseError, stopReason: sample.stopReason });
      return outcome;
    };

    if (sample.stopReason === "aborted") {
      return end([], [], { stop: deadline.reason ?? "aborted" });
    }
    if (sample.stopReason !== "stop-token") return end([], [], { stop: sample.stopReason });
    if (parsed.parseError !== null) {
      const result = this.#unreadable(parsed.parseError);
      this.#pending = { toolResults: [result], sampledEnded };
      this.#emit({ type: "tool-result", turn, call: null, result });
      return end(
        [],
        [result],
        this.#parseErrors >= (this.#options.limits.maxParseErrors ?? 2)
          ? { stop: "parse-error" }
          : { next: this.#pending },
      );
    }
    this.#parseErrors = 0;
    const confidence = turnConfidence(sample.rawLogProbs, parsed.toolCalls.length > 0);
    const answer = { ...parsed, confidence };
    const { toolCalls, toolResults, outcome } = await this.#act(turn, answer, pageTools, deadline);
    return end(toolCalls, toolResults, outcome);
  }

  /** @returns the sample and the grammar it was sampled under. */
  async #sample(
    turn: number,
    sampling: Sampling,
    signal: AbortSignal,
  ): Promise<{ sample: Sample; grammar: GrammarSpec | undefined }> {
    for (;;) {
      const grammar = this.#options.grammar ?? this.#constraint?.grammar;
      try {
        return { sample: await this.#generate(turn, sampling, grammar, signal), grammar };
      } catch (error) {
        // The policy compiles grammars before it samples, so retrying repeats nothing.
        if (!this.#constraint?.relax(error)) throw error;
      }
    }
  }

  async #generate(
    turn: number,
    sampling: Sampling,
    grammar: GrammarSpec | undefined,
    signal: AbortSignal,
  ): Promise<Sample> {
    const { chatFormat, limits } = this.#options;
    const { context } = this.#start;
    const room = this.#contextLimit - context.tokenIds.length;
    const decoder = chatFormat.createAssistantDecoder();
    const sample = await context.generate({
      sampling,
      stopTokenIds: chatFormat.stopTokenIds,
      maxTokens: Math.min(limits.maxTokensPerTurn, room),
      ...(grammar && { grammar }),
      signal,
      onToken: (tokenId) => {
        for (const delta of decoder.push(tokenId)) {
          this.#emit({ type: "token-delta", turn, ...delta });
        }
      },
    });
    for (const delta of decoder.end()) this.#emit({ type: "token-delta", turn, ...delta });
    const wasCutByContext =
      sample.stopReason === "max-tokens" && sample.tokenIds.length < limits.maxTokensPerTurn;
    return wasCutByContext ? { ...sample, stopReason: "context-overflow" } : sample;
  }

  /** Passes the action to the environment. */
  async #act(
    turn: number,
    parsed: ParsedAssistant & { readonly confidence: number },
    pageTools: ReadonlySet<string>,
    deadline: Deadline,
  ): Promise<{
    toolCalls: readonly ToolCall[];
    toolResults: readonly ToolResult[];
    outcome: TurnOutcome;
  }> {
    const { redactor, environment } = this.#options;
    const sampled = parsed.toolCalls.map((call) => ({ id: this.#nextCallId(), ...call }));
    const toolCalls = sampled.map((call) => {
      const tool = this.#tools.find(({ name }) => name === call.name);
      if (!redactor) return call;
      const redacted = redactor.redactArguments(call.arguments, tool?.parameters);
      if (canonicalJson(redacted) !== canonicalJson(call.arguments)) {
        this.#hasSampledSecret = true;
      }
      return { ...call, arguments: redacted as ToolCall["arguments"] };
    });
    for (const call of toolCalls) this.#emit({ type: "tool-call", turn, call });

    const restored = sampled.map((call) =>
      redactor && pageTools.has(call.name)
        ? { ...call, arguments: redactor.restore(call.arguments) as ToolCall["arguments"] }
        : call,
    );
    const { text, confidence } = parsed;
    const action = { text, toolCalls: restored, confidence };
    let observation: Observation | null;
    try {
      // The async function turns a synchronous throw into a rejection.
      const step = (async () => environment.step(action, deadline.signal))();
      observation = await untilAborted(step, deadline.signal);
    } catch (error) {
      await redactor?.prepare?.(messageOf(error));
      const toolResults = toolCalls.map((call) => this.#broken(call, error));
      return { toolCalls, toolResults, outcome: { stop: "tool-error" } };
    }
    if (observation === null) {
      return { toolCalls, toolResults: [], outcome: { stop: deadline.reason ?? "aborted" } };
    }

    const plain = observation.toolResults.map(plainResult);
    await redactor?.prepare?.([plain, observation.userMessage]);
    const toolResults = plain.map((result) => this.#redactResult(result));
    for (const result of toolResults) {
      const call = toolCalls.find(({ id }) => id === result.callId) ?? null;
      this.#emit({ type: "tool-result", turn, call, result });
    }
    const next: ChatNext = {
      sampledEnded: true,
      ...(toolResults.length > 0 ? { toolResults } : {}),
      ...(observation.userMessage === undefined
        ? {}
        : { userMessage: this.#redact(observation.userMessage) }),
    };
    this.#pending = next;
    if (observation.terminated) {
      return { toolCalls, toolResults, outcome: { stop: "completed" } };
    }
    if (deadline.reason) return { toolCalls, toolResults, outcome: { stop: deadline.reason } };
    requireAnswer(next);
    const { maxRepeatedTurns = Infinity } = this.#options.limits;
    if (maxRepeatedTurns < Infinity && this.#repeated.add(toolCalls, next) >= maxRepeatedTurns) {
      return { toolCalls, toolResults, outcome: { stop: "guard-stopped" } };
    }
    return { toolCalls, toolResults, outcome: { next } };
  }

  #unreadable(problem: string): ToolResult {
    this.#parseErrors++;
    return {
      callId: this.#nextCallId(),
      ok: false,
      error: { code: "INVALID_TOOL_CALL", message: problem },
    };
  }

  #broken(call: ToolCall, error: unknown): ToolResult {
    const code = WaggleError.is(error) ? error.code : "TOOL_FAILED";
    const message = messageOf(error);
    return this.#redactResult({ callId: call.id, ok: false, error: { code, message } });
  }

  #nextCallId(): string {
    return `c${this.#calls++}`;
  }

  #redactResult(result: ToolResult): ToolResult {
    if (!result.ok) {
      const { code, message } = result.error;
      return { ...result, error: { code, message: this.#redact(message).slice(0, 2000) } };
    }
    return { ...result, value: this.#redactJson(result.value) };
  }

  #redact(text: string): string {
    return this.#options.redactor?.redact(text) ?? text;
  }

  #redactJson(value: unknown): unknown {
    return this.#options.redactor ? this.#options.redactor.redactJson(value) : value;
  }

  #emit(event: AgentEvent): void {
    this.#options.onEvent?.(event);
  }
}

function requireLimits(limits: RunningRolloutOptions["limits"]): void {
  for (const name of ["maxTurns", "maxTokensPerTurn"] as const) {
    if (!Number.isInteger(limits[name]) || limits[name] < 1) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `limits.${name} must be an integer of at least 1, got ${limits[name]}`,
      );
    }
  }
}

function requireAnswer(next: ChatNext): void {
  if (next.toolResults !== undefined || next.userMessage !== undefined) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "the environment returned neither tool results nor a user message; to end the task, set terminated",
  );
}
