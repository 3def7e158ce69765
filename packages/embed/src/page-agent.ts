/** Implements `Agent`: requests and uploads. `ResidentPolicy` loads the policy; `@waggle/agent` runs the loop. */
import { createLazyRedactor, forgetVisitor } from "@waggle/collector";
import type { EnqueueResult, LazyRedactor } from "@waggle/collector";
import { WaggleError, type Tool, type Trajectory } from "@waggle/protocol";
import type { Agent, AgentRun, AgentStatus, ConversationItem } from "./agent.ts";
import type { AgentOptions, AgentParts } from "./agent-options.ts";
import { DEFAULT_AGENT_TEXTS, type AgentTexts } from "./agent-texts.ts";
import { createAgentRun, type RunOptions } from "./agent-run.ts";
import { createAnswerRecord } from "./answer-record.ts";
import { requireSitePolicy } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import { Confirmations, type Confirmation } from "./confirmations.ts";
import { Collecting, consentOrNone } from "./collecting.ts";
import { FeedbackSender } from "./feedback/feedback-sender.ts";
import { KeptConversation } from "./kept-conversation.ts";
import { labelOf, requireValidTools, toRemoteTools, toTool } from "./page-tool.ts";
import { hostOpener } from "./open-host.ts";
import { watchNetwork, watchPolicy } from "./policy-watch.ts";
import { randomSeed } from "./random-seed.ts";
import { openConversation, type RequestConversation } from "./request-conversation.ts";
import { describeError, ResidentPolicy } from "./resident-policy.ts";
import { ShownConversation } from "./shown-conversation.ts";
import { NO_SIMULATION } from "./no-simulation.ts";
import { acceptSigned } from "./publisher/accept-signed.ts";
import { createToolServers, type ToolServers } from "./tool-servers.ts";
import type { Visitor } from "./visitor.ts";

/** The agent behind `createAgent`. */
export class PageAgent implements Agent {
  readonly consent: Agent["consent"];
  readonly texts: AgentTexts;
  readonly #options: AgentOptions;
  readonly #visitor: Visitor;
  readonly #servers: ToolServers;
  readonly #policy: ResidentPolicy;
  readonly #pageTools: readonly Tool[];
  readonly #confirmations: Confirmations;
  readonly #shown: ShownConversation;
  readonly #seed: () => number;
  readonly #collecting: Collecting;
  readonly #feedback: FeedbackSender;
  readonly #listeners = new Set<() => void>();
  readonly #endings: (() => void)[] = [];
  #simulation: Agent["simulation"] = NO_SIMULATION;
  #model: AgentModel;
  #redactor: LazyRedactor;
  #conversation: RequestConversation | null = null;
  #running: AbortController | null = null;
  #lastRequest: string | null = null;
  #isDisposed = false;
  /** Set by "Forget me". Until the visitor acts again, no request goes to the edge, since it would create a new visitor. */
  #isForgotten = false;
  /** Resolves when no request is running. */
  #idle: Promise<unknown> = Promise.resolve();

  constructor(options: AgentOptions, parts: AgentParts, visitor: Visitor) {
    const { storage, consent, session } = visitor;
    this.#options = options;
    this.#visitor = visitor;
    const { tools = [], edgeTools = [], mcpServers = [], language } = options;
    requireValidTools(tools, edgeTools, mcpServers);
    this.#servers = createToolServers(options, visitor, parts.schedule);
    this.#model = options.model ?? { kind: "site" };
    this.texts = { ...DEFAULT_AGENT_TEXTS, ...options.texts };
    this.#confirmations = new Confirmations(this.#changed, options.confirmBelow, this.texts);
    this.#pageTools = tools.map((tool) => toTool(tool, this.#confirmations, language));
    const kept = new KeptConversation(visitor.tabStorage, options.siteKey);
    this.#shown = new ShownConversation(kept, this.#changed);
    this.#seed = parts.seed ?? randomSeed;
    this.#redactor = this.#createRedactor();
    this.consent = consent;
    this.#collecting = new Collecting(parts.outboxName ?? `waggle-outbox-${options.siteKey}`, {
      session,
      consent,
      storage,
      options,
      assign: async (signal, version) => {
        this.#requireNotSilenced();
        return session.assignment(signal, version);
      },
      use: (run) => this.#policy.use(run),
      start: () => ({ consent: consentOrNone(this.consent), seed: this.#seed() }),
      enqueue: (trajectory, text) => this.#enqueue(trajectory, [{ kind: "task", text }]),
      onChange: ({ simulation }) => {
        this.#simulation = simulation.progress;
        this.#changed();
      },
    });
    this.#feedback = new FeedbackSender(this.#shown, consent, this.#collecting, {
      redactor: () => this.#redactor,
      options,
    });
    // Finishes a deletion that the edge did not confirm in an earlier visit. Offline, the next visit tries again.
    session.finishDeletion().catch(() => undefined);
    this.#collecting.openIfDue();
    this.#listen();
    this.#policy = new ResidentPolicy({
      session,
      storage,
      listTools: (meanwhile) => this.#servers.list(meanwhile),
      schedule: parts.schedule,
      accept: acceptSigned(options.publisher, storage),
      openHost: parts.openHost ?? hostOpener(options),
      onChange: ({ silenced }) => {
        if (silenced) this.stop();
        this.#changed();
      },
    });
  }

  get model(): AgentModel {
    return this.#model;
  }
  get status(): AgentStatus {
    return this.#policy.status;
  }
  get conversation(): readonly ConversationItem[] {
    return this.#shown.items;
  }
  get confirmation(): Confirmation | null {
    return this.#confirmations.pending;
  }
  get trajectoryId(): string | null {
    return this.#feedback.newest?.id ?? null;
  }
  get policyVersion(): number | null {
    const host = this.#policy.host;
    return host?.kind === "policy" && host.followsSite ? host.policy.currentVersion : null;
  }
  get backend(): string | null {
    const host = this.#policy.host;
    return host?.kind === "chat" ? host.name : (host?.client.device ?? null);
  }
  get simulation(): Agent["simulation"] {
    return this.#simulation;
  }
  get ready(): Promise<void> {
    return this.#policy.ready;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(text: string, { signal }: RunOptions = {}, id: string = crypto.randomUUID()): AgentRun {
    this.stop();
    this.#isForgotten = false;
    this.#lastRequest = text;
    const previous = this.#idle;
    const controller = new AbortController();
    this.#running = controller;
    const ended =
      signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]);
    const run = createAgentRun((emit) => this.#answer(text, id, ended, previous, emit));
    this.#idle = run.finished.catch(() => undefined);
    return run;
  }

  stop(): void {
    this.#running?.abort();
    this.#running = null;
  }

  retry(options?: RunOptions): AgentRun | null {
    if (this.#lastRequest === null) return null;
    const { trajectoryId = null } = this.#shown.lastAnswer() ?? {};
    const id = crypto.randomUUID();
    if (trajectoryId !== null) void this.#feedback.feedback("retry", trajectoryId, undefined, id);
    // The second answer must not read the first.
    this.#conversation?.reset();
    return this.send(this.#lastRequest, options, id);
  }

  clear(): void {
    this.stop();
    this.#conversation?.dispose();
    this.#conversation = null;
    this.#redactor = this.#createRedactor();
    this.#lastRequest = null;
    this.#feedback.end();
    this.#shown.clear();
  }

  feedback(...given: Parameters<Agent["feedback"]>): ReturnType<Agent["feedback"]> {
    return this.#feedback.feedback(...given);
  }

  outcome(...given: Parameters<Agent["outcome"]>): ReturnType<Agent["outcome"]> {
    return this.#feedback.outcome(...given);
  }

  async sent(limit?: number): ReturnType<Agent["sent"]> {
    return (await this.#collecting.open()).outbox.list(limit);
  }

  async sentDetail(digest: string): ReturnType<Agent["sentDetail"]> {
    return (await this.#collecting.open()).outbox.read(digest);
  }

  async outbox(): ReturnType<Agent["outbox"]> {
    return (await this.#collecting.open()).outbox.summary();
  }

  async receipts(): ReturnType<Agent["receipts"]> {
    return (await this.#collecting.open()).receipts.list();
  }

  async stored(after?: string): ReturnType<Agent["stored"]> {
    const { readStored } = await import("./visitor-data/stored-data.ts");
    return readStored(this.#visitor.session, after ?? null);
  }

  async forgetMe(): ReturnType<Agent["forgetMe"]> {
    const { outbox, uploader, simulation, receipts } = await this.#collecting.open();
    simulation.stop();
    this.clear();
    this.#isForgotten = true;
    this.#servers.clear();
    this.#policy.forget();
    try {
      return await forgetVisitor({ ...this.#visitor, outbox, uploader, receipts });
    } finally {
      uploader.start();
      this.#changed();
    }
  }

  async simulate(options: Parameters<Agent["simulate"]>[0]): ReturnType<Agent["simulate"]> {
    if (!this.consent.get()?.scopes.includes("train")) {
      throw new WaggleError(
        "CONSENT_MISSING",
        "a simulation sends what it records for training and needs consent to it; ask the visitor for consent first",
      );
    }
    await this.#policy.ready;
    requireSitePolicy(this.#policy.requireHost());
    return (await this.#collecting.open()).simulation.run(options);
  }

  callEdgeTool(...call: Parameters<Agent["callEdgeTool"]>): Promise<unknown> {
    return this.#servers.callEdge(...call);
  }

  async checkPolicy(): Promise<void> {
    if (!(await this.#policy.check())) await this.reload();
  }

  async reload(): Promise<void> {
    this.stop();
    this.#conversation?.dispose();
    this.#conversation = null;
    await this.#policy.reopen(this.#idle);
  }

  async setModel(model: AgentModel): Promise<void> {
    this.clear();
    this.#model = model;
    this.#policy.openHost = hostOpener({ ...this.#options, model });
    await this.reload();
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.stop();
    for (const end of this.#endings.splice(0)) end();
    this.#collecting.close();
    this.#listeners.clear();
    await this.#idle;
    this.#conversation?.dispose();
    await Promise.all([this.#servers.close(), this.#policy.dispose()]);
  }

  async #answer(
    request: string,
    id: string,
    signal: AbortSignal,
    previous: Promise<unknown>,
    emit: Parameters<Parameters<typeof createAgentRun>[0]>[0],
  ): ReturnType<Parameters<typeof createAgentRun>[0]> {
    this.#requireNotSilenced();
    const { tools = [], language } = this.#options;
    const redactor = this.#redactor;
    const record = createAnswerRecord({
      id: crypto.randomUUID(),
      request,
      redactor,
      texts: this.texts,
      tools: () => this.#tools(),
      label: (name, args) => labelOf(tools, this.#policy.remoteTools, name, args, language),
    });
    this.#shown.add({ kind: "request", id: crypto.randomUUID(), text: request }, record.item);
    try {
      const { ready } = this.#policy; // read first: a reopened policy waits for this request
      await previous;
      await ready;
      this.#requireNotSilenced();
      const consent = this.consent.get();
      if (consent !== null) record.update({ consentedAt: consent.grantedAt });
      const host = this.#policy.requireHost();
      this.#conversation ??= openConversation(host, {
        options: this.#options,
        redactor,
        tools: () => this.#tools(),
        consent: () => consentOrNone(this.consent),
        seed: this.#seed(),
        earlier: this.#shown.takeUnread(),
        unreadable: this.texts.unreadable,
      });
      const isOfSite = host.kind === "policy" && host.followsSite;
      const { stopReason, trajectory } = await this.#conversation.send(request, {
        trajectoryId: this.#feedback.begin(id, isOfSite, consent, request),
        edgeSeed: isOfSite && consent !== null ? this.#visitor.session.takeSeed() : null,
        signal,
        onEvent: (event) => {
          const told = record.take(event);
          this.#shown.replace(record.item);
          for (const one of told) emit(one);
        },
      });
      for (const told of record.end(stopReason)) emit(told);
      record.update({
        running: false,
        stopReason,
        trajectoryId: isOfSite ? (trajectory?.id ?? null) : null,
        policyVersion: isOfSite ? (trajectory?.policyVersion ?? null) : null,
      });
      // Enqueue only if the consent from the start of the request is still in force.
      if (isOfSite && trajectory !== null && consent !== null) {
        await redactor.prepare(record.transcript);
        await this.#enqueue(trajectory, this.#createRedactor().redactJson(record.transcript));
      }
      return { text: record.text, stopReason };
    } catch (error) {
      const { code, message } = describeError(error, this.#visitor.session.edgeUrl);
      const { silenced, failed } = this.texts;
      const failure = code === "SILENCED" ? silenced : failed(code, message);
      record.update({ running: false, failure, failureDetails: `${code}: ${message}` });
      if (WaggleError.is(error, "DEVICE_LOST")) this.reload().catch(() => undefined);
      throw error;
    } finally {
      this.#shown.replace(record.item);
      this.#feedback.end();
      this.#shown.keep();
      this.#collecting.preload();
      redactor.load().catch(() => undefined); // a later request may be offline
    }
  }

  /** @param transcript - what the visitor sees of the trajectory: a list of `TranscriptPart`. */
  async #enqueue(trajectory: Trajectory, transcript: unknown): Promise<EnqueueResult | null> {
    if (this.consent.get() === null || trajectory.consent.scopes.length === 0) return null;
    // An answer does not fail because its record cannot be kept.
    const collected = await this.#collecting.open().catch(() => null);
    return collected?.outbox.enqueue(trajectory, { text: JSON.stringify(transcript) }) ?? null;
  }

  /** @throws WaggleError `SILENCED` (retryable) while the site has switched its assistant off. */
  #requireNotSilenced(): void {
    if (!this.status.silenced) return;
    throw new WaggleError("SILENCED", this.texts.silenced, { retryable: true });
  }

  #tools(): readonly Tool[] {
    const { remoteTools } = this.#policy;
    const { language } = this.#options;
    return [...this.#pageTools, ...toRemoteTools(remoteTools, this.#confirmations, language)];
  }

  readonly #createRedactor = (): LazyRedactor =>
    createLazyRedactor({ rules: this.#options.redactionRules ?? [] });

  #listen(): void {
    this.#endings.push(
      this.consent.onChange(() => {
        if (this.consent.get() !== null) this.#isForgotten = false;
        this.#collecting.followConsent();
        this.#changed();
      }),
      watchPolicy({
        intervalMs: this.#options.policyIntervalMs ?? 60_000,
        isBusy: () => this.#simulation.running,
        // The next check is soon enough; the loaded policy works until then.
        check: async () => {
          if (!this.#isForgotten) await this.checkPolicy().catch(() => undefined);
        },
      }),
      watchNetwork((online) => {
        const isWaiting = this.#policy.setOnline(online);
        if (isWaiting && !this.#isForgotten) this.reload().catch(() => undefined);
      }),
    );
  }

  readonly #changed = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
