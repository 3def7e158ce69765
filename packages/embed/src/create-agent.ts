/**
 * `createAgent`: the parts of Waggle wired for one page. It owns the life of the policy (load, swap, reload), of
 * requests and of what is sent; each part does its own work elsewhere.
 */
import { createConversation, createToolEnvironment, rollOut, spanSeed } from "@waggle/agent";
import type { Conversation, RollOutLimits } from "@waggle/agent";
import {
  createConsentStore,
  createEdgeSession,
  createOutbox,
  createRedactor,
  createUploader,
  forgetVisitor,
  usableStorage,
} from "@waggle/collector";
import type {
  EdgeSession,
  EnqueueResult,
  Fetch,
  KeyValueStorage,
  Outbox,
  RedactionRule,
  Uploader,
} from "@waggle/collector";
import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import type {
  Consent,
  Environment,
  Feedback,
  PolicyManifest,
  Redactor,
  Sampling,
  Tool,
  Trajectory,
} from "@waggle/protocol";
import type { BrowserDevice, WorkerHandle } from "@waggle/runtime";
import type { Agent, AgentRun, AgentStatus, ConversationItem } from "./agent.ts";
import { createAgentRun } from "./agent-run.ts";
import { createAnswerRecord } from "./answer-record.ts";
import { createEdgeTools } from "./edge-tools.ts";
import type { EdgeTools } from "./edge-tools.ts";
import { toTool } from "./page-tool.ts";
import type { PageTool } from "./page-tool.ts";
import { createPolicyHostOpener } from "./policy-host.ts";
import type { OpenPolicyHost, PolicyHost } from "./policy-host.ts";
import { watchPolicy } from "./policy-watch.ts";
import { createSimulation } from "./simulation.ts";

export type { PageTool } from "./page-tool.ts";

export type AgentOptions = {
  /** Origin of the edge Worker. */
  readonly edgeUrl: string;
  /** Public key of this site at the edge. */
  readonly siteKey: string;
  /** What the assistant may do in the page. Default none. */
  readonly tools?: readonly PageTool[];
  /** What the policy is told first. Default empty. */
  readonly system?: string;
  readonly consent?: {
    /** Version of the text that asks; change it when the text means something else. Default `1`. */
    readonly version: string;
  };
  /** Personal data of this site, replaced before the model sees it, besides the built-in kinds. */
  readonly redactionRules?: readonly RedactionRule[];
  /** Default `auto`: WebGPU where there is a hardware adapter, else WASM. */
  readonly device?: "auto" | BrowserDevice;
  /** Default temperature 1 and full support, which the trainer can learn from best. */
  readonly sampling?: Omit<Sampling, "seed">;
  /** Of one request. Default 8 turns of 160 tokens, two minutes. */
  readonly limits?: Partial<RollOutLimits>;
  /** How often a page that is seen asks for a newer policy. Default 60 s; 0 = when seen again. */
  readonly policyIntervalMs?: number;
  /** Makes the worker of the policy where a bundler cannot follow the default. */
  readonly createWorker?: (device: BrowserDevice) => WorkerHandle;
};

/** What a test replaces. Not part of the public interface. */
export type AgentParts = {
  readonly storage?: KeyValueStorage;
  readonly fetch?: Fetch;
  readonly openHost?: OpenPolicyHost;
  readonly edgeTools?: EdgeTools;
  readonly outboxName?: string;
  readonly seed?: () => number;
};

const DEFAULT_LIMITS: RollOutLimits = { maxTurns: 8, maxTokensPerTurn: 160, timeoutMs: 120_000 };

/**
 * The agent of a page. It loads by itself: watch `status`, or await `ready`.
 * @throws WaggleError `INVALID_ARGUMENT` for an edge URL, a consent version or a rule that cannot be.
 */
export function createAgent(options: AgentOptions): Agent {
  return createAgentWith(options, {});
}

/** `createAgent` with parts replaced. */
export function createAgentWith(options: AgentOptions, parts: AgentParts): Agent {
  const storage = parts.storage ?? usableStorage(() => globalThis.localStorage);
  const session = createEdgeSession({
    edgeUrl: options.edgeUrl,
    siteKey: options.siteKey,
    storage,
    ...(parts.fetch === undefined ? {} : { fetch: parts.fetch }),
  });
  return new PageAgent(options, parts, storage, session);
}

class PageAgent implements Agent {
  readonly consent: Agent["consent"];
  readonly #options: AgentOptions;
  readonly #session: EdgeSession;
  readonly #openHost: OpenPolicyHost;
  readonly #edgeTools: EdgeTools;
  readonly #pageTools: readonly Tool[];
  readonly #limits: RollOutLimits;
  readonly #seed: () => number;
  readonly #collecting: Promise<{ outbox: Outbox; uploader: Uploader }>;
  readonly #simulating: Promise<ReturnType<typeof createSimulation>>;
  readonly #listeners = new Set<() => void>();
  readonly #endings: (() => void)[] = [];
  #simulation: Agent["simulation"];
  #redactor: Redactor;
  #status: AgentStatus;
  #items: readonly ConversationItem[] = [];
  #host: PolicyHost | null = null;
  #tools: readonly Tool[] = [];
  #conversation: Conversation | null = null;
  #running: AbortController | null = null;
  #lastRequest: string | null = null;
  #opening: Promise<void>;
  #isDisposed = false;

  constructor(
    options: AgentOptions,
    parts: AgentParts,
    storage: KeyValueStorage,
    session: EdgeSession,
  ) {
    this.#options = options;
    this.#session = session;
    this.#openHost = parts.openHost ?? createPolicyHostOpener(options);
    this.#edgeTools = parts.edgeTools ?? createEdgeTools(session, storage);
    this.#pageTools = (options.tools ?? []).map(toTool);
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#seed = parts.seed ?? randomSeed;
    this.#redactor = this.#createRedactor();
    this.consent = createConsentStore({
      storage,
      currentVersion: options.consent?.version ?? "1",
    });
    this.#status = {
      phase: "loading",
      detail: "",
      loadedBytes: 0,
      totalBytes: null,
      online: globalThis.navigator?.onLine !== false,
      error: null,
    };
    const name = parts.outboxName ?? `waggle-outbox-${options.siteKey}`;
    this.#collecting = createOutbox({ name }).then((outbox) => {
      const uploader = createUploader({ outbox, session, consent: this.consent });
      this.#endings.push(
        outbox.onChange(() => this.#changed()),
        () => void uploader.stop().then(() => outbox.close()),
      );
      if (!this.#isDisposed) uploader.start();
      return { outbox, uploader };
    });
    this.#simulation = IDLE;
    this.#simulating = this.#collecting.then(({ outbox }) => {
      const simulation = createSimulation({
        outbox,
        assign: (signal) => this.#session.assignment(signal),
        rollOut: (environment, assignmentId, signal) =>
          this.#rollOutTask(environment, assignmentId, signal),
        enqueue: (trajectory, request) => this.#enqueue(trajectory, `Task: ${request}`),
        onChange: () => {
          this.#simulation = simulation.progress;
          this.#changed();
        },
      });
      this.#endings.push(() => simulation.dispose());
      return simulation;
    });
    this.#listen();
    this.#opening = this.#open();
    this.#opening.catch(() => undefined);
  }

  get status(): AgentStatus {
    return this.#status;
  }
  get conversation(): readonly ConversationItem[] {
    return this.#items;
  }
  get policyVersion(): number | null {
    return this.#host?.policy.currentVersion ?? null;
  }
  get backend(): string | null {
    return this.#host?.client.device ?? null;
  }
  get simulation(): Agent["simulation"] {
    return this.#simulation;
  }
  get ready(): Promise<void> {
    return this.#opening;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(text: string, { signal }: { readonly signal?: AbortSignal } = {}): AgentRun {
    this.stop();
    this.#lastRequest = text;
    const previous = this.#conversation === null ? Promise.resolve() : this.#idle;
    const controller = new AbortController();
    this.#running = controller;
    const ended =
      signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]);
    const run = createAgentRun((emit) => this.#answer(text, ended, previous, emit));
    this.#idle = run.finished.then(
      () => undefined,
      () => undefined,
    );
    return run;
  }

  stop(): void {
    this.#running?.abort();
    this.#running = null;
  }

  retry(): AgentRun | null {
    if (this.#lastRequest === null) return null;
    const last = this.#items.findLast((item) => item.kind === "answer");
    if (last?.kind === "answer" && last.trajectoryId !== null) {
      void this.feedback("retry", last.trajectoryId);
    }
    // The second answer must not read the first.
    this.#conversation?.reset();
    return this.send(this.#lastRequest);
  }

  clear(): void {
    this.stop();
    this.#conversation?.dispose();
    this.#conversation = null;
    this.#redactor = this.#createRedactor();
    this.#items = [];
    this.#lastRequest = null;
    this.#changed();
  }

  async feedback(kind: Feedback["kind"], trajectoryId?: string): Promise<void> {
    const answers = this.#items.filter((item) => item.kind === "answer");
    const answer =
      trajectoryId === undefined
        ? answers.at(-1)
        : answers.find((item) => item.trajectoryId === trajectoryId);
    const id = trajectoryId ?? answer?.trajectoryId ?? null;
    if (answer !== undefined) this.#replace({ ...answer, feedback: kind });
    // Without consent there is no trajectory at the site that it could be about.
    if (id === null || this.consent.get() === null) return;
    const { outbox } = await this.#collecting;
    await outbox.enqueueFeedback({
      id: crypto.randomUUID(),
      trajectoryId: id,
      kind,
      at: new Date().toISOString(),
    });
  }

  async sent(limit?: number): ReturnType<Agent["sent"]> {
    return (await this.#collecting).outbox.list(limit);
  }

  async sentDetail(digest: string): ReturnType<Agent["sentDetail"]> {
    return (await this.#collecting).outbox.read(digest);
  }

  async outbox(): ReturnType<Agent["outbox"]> {
    return (await this.#collecting).outbox.summary();
  }

  async forgetMe(): ReturnType<Agent["forgetMe"]> {
    const { outbox, uploader } = await this.#collecting;
    (await this.#simulating).stop();
    this.clear();
    try {
      const { consent } = this;
      return await forgetVisitor({ session: this.#session, outbox, consent, uploader });
    } finally {
      uploader.start();
      this.#changed();
    }
  }

  async simulate(options: Parameters<Agent["simulate"]>[0]): ReturnType<Agent["simulate"]> {
    if (this.consent.get() === null) {
      throw new WaggleError(
        "CONSENT_MISSING",
        "a simulation must have consent, got none; what it makes is for sending",
      );
    }
    await this.#opening;
    return (await this.#simulating).run(options);
  }

  callEdgeTool(
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#edgeTools.call(name, args, signal);
  }

  async checkPolicy(): Promise<void> {
    const host = this.#host;
    if (host === null) return;
    const manifest = await this.#session.policyManifest();
    if (manifest.baseModel.sha256 !== host.baseModel) return this.reload();
    if (manifest.policy.version === host.policy.currentVersion) return;
    await host.adopt(manifest);
    this.#changed();
  }

  reload(): Promise<void> {
    this.stop();
    this.#conversation?.dispose();
    this.#conversation = null;
    const old = this.#host;
    this.#host = null;
    const opening = (async () => {
      await this.#idle;
      await old?.dispose();
      await this.#open();
    })();
    this.#opening = opening;
    opening.catch(() => undefined);
    return opening;
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.stop();
    for (const end of this.#endings.splice(0)) end();
    this.#listeners.clear();
    await this.#idle;
    this.#conversation?.dispose();
    await this.#edgeTools.close();
    await this.#host?.dispose();
    this.#host = null;
  }

  /** Settles when no request is under way. */
  #idle: Promise<void> = Promise.resolve();

  async #open(): Promise<void> {
    this.#setStatus({
      phase: "loading",
      detail: "",
      error: null,
      loadedBytes: 0,
      totalBytes: null,
    });
    try {
      const manifest = await this.#manifest();
      const [host, edgeTools] = await Promise.all([
        this.#openHost(manifest, ({ loadedBytes, totalBytes, detail }) =>
          this.#setStatus({ loadedBytes, totalBytes, detail }),
        ),
        this.#edgeTools.list(),
      ]);
      if (this.#isDisposed) return await host.dispose();
      this.#host = host;
      this.#tools = [...this.#pageTools, ...edgeTools];
      this.#setStatus({ phase: "ready", detail: "" });
    } catch (error) {
      this.#setStatus({ phase: "error", error: describe(error) });
      throw error;
    }
  }

  /** The newest manifest, or that of the last visit where the edge cannot be reached. */
  async #manifest(): Promise<PolicyManifest> {
    try {
      return await this.#session.policyManifest();
    } catch (error) {
      const stored = this.#session.storedManifest();
      if (stored === null || !WaggleError.is(error) || !error.retryable) throw error;
      return stored;
    }
  }

  async #answer(
    request: string,
    signal: AbortSignal,
    previous: Promise<void>,
    emit: Parameters<Parameters<typeof createAgentRun>[0]>[0],
  ): ReturnType<Parameters<typeof createAgentRun>[0]> {
    const redactor = this.#redactor;
    const record = createAnswerRecord({
      id: crypto.randomUUID(),
      request,
      redactor,
      sourceOf: (name) =>
        this.#tools.find((tool) => tool.definition.name === name)?.definition.source ?? "page",
    });
    const asked: ConversationItem = { kind: "request", id: crypto.randomUUID(), text: request };
    this.#items = [...this.#items, asked, record.item];
    this.#changed();
    try {
      await previous;
      await this.#opening;
      const consent = this.consent.get();
      const conversation = this.#openConversation();
      const trajectory = await conversation.send(request, {
        signal,
        onEvent: (event) => {
          const told = record.take(event);
          this.#replace(record.item);
          if (told !== null) emit(told);
        },
      });
      const { stopReason } = trajectory;
      record.update({
        running: false,
        stopReason,
        trajectoryId: trajectory.id,
        policyVersion: trajectory.policyVersion,
      });
      // Collected under the consent that was in force when it began, and only if it still is.
      if (consent !== null) await this.#enqueue(trajectory, record.transcript);
      return { text: record.text, stopReason };
    } catch (error) {
      record.update({ running: false, failure: describe(error).message });
      throw error;
    } finally {
      this.#replace(record.item);
    }
  }

  #openConversation(): Conversation {
    const { policy, chatFormat, client } = this.#requireHost();
    this.#conversation ??= createConversation({
      policy,
      chatFormat,
      client,
      redactor: this.#redactor,
      limits: this.#limits,
      sampling: this.#options.sampling ?? FULL_SUPPORT,
      consent: () => this.consent.get() ?? this.#noConsent(),
      seed: this.#seed(),
      createEnvironment: (userMessage) =>
        createToolEnvironment({
          system: this.#options.system ?? "",
          tools: this.#tools,
          userMessage,
        }),
    });
    return this.#conversation;
  }

  async #rollOutTask(
    environment: Environment,
    assignmentId: string,
    signal: AbortSignal,
  ): Promise<Trajectory> {
    const { policy, chatFormat, client } = this.#requireHost();
    return rollOut({
      policy,
      environment,
      chatFormat,
      client,
      redactor: this.#createRedactor(),
      limits: this.#limits,
      sampling: this.#options.sampling ?? FULL_SUPPORT,
      consent: this.consent.get() ?? this.#noConsent(),
      assignmentId,
      signal,
      seed: spanSeed(this.#seed(), 0),
    });
  }

  async #enqueue(trajectory: Trajectory, text: string): Promise<EnqueueResult | null> {
    if (this.consent.get() === null || trajectory.consent.scopes.length === 0) return null;
    return (await this.#collecting).outbox.enqueue(trajectory, { text });
  }

  /** What a trajectory says that is never kept: nobody agreed to anything. */
  #noConsent(): Consent {
    const { currentVersion } = this.consent;
    return { version: currentVersion, scopes: [], grantedAt: new Date().toISOString() };
  }

  #createRedactor(): Redactor {
    return createRedactor({ rules: this.#options.redactionRules ?? [] });
  }

  #requireHost(): PolicyHost {
    if (this.#host !== null) return this.#host;
    throw new WaggleError(
      "DISPOSED",
      "an agent must be ready to answer, got one that is not; await ready",
    );
  }

  #listen(): void {
    this.#endings.push(
      this.consent.onChange(() => {
        if (this.consent.get() === null) {
          void this.#simulating.then((simulation) => simulation.stop());
          void this.#collecting.then(({ outbox }) => outbox.discardWaiting());
        }
        this.#changed();
      }),
      watchPolicy({
        intervalMs: this.#options.policyIntervalMs ?? 60_000,
        isBusy: () => this.#simulation.running,
        // The next look is soon enough; what is loaded works meanwhile.
        check: () => this.checkPolicy().catch(() => undefined),
      }),
    );
    const target: EventTarget | undefined = globalThis.window;
    const onNetwork = (): void => {
      const online = globalThis.navigator.onLine;
      this.#setStatus({ online });
      const { phase, error } = this.#status;
      if (online && phase === "error" && error?.retryable === true) void this.reload();
    };
    for (const type of ["online", "offline"]) {
      target?.addEventListener(type, onNetwork);
      this.#endings.push(() => target?.removeEventListener(type, onNetwork));
    }
  }

  #replace(next: ConversationItem): void {
    this.#items = this.#items.map((item) => (item.id === next.id ? next : item));
    this.#changed();
  }

  #setStatus(change: Partial<AgentStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const IDLE: Agent["simulation"] = {
  running: false,
  assigned: 0,
  completed: 0,
  uploaded: 0,
  rejected: 0,
  failed: 0,
};

function describe(error: unknown): NonNullable<AgentStatus["error"]> {
  if (WaggleError.is(error)) {
    const { code, retryable } = error;
    const message =
      code === "NETWORK"
        ? "The assistant's server cannot be reached."
        : error.message.slice(0, 300);
    return { code, message, retryable };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "INTERNAL", message: message.slice(0, 300), retryable: true };
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] as number;
}
