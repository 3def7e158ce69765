/**
 * A live conversation: one growing context and one trajectory per request. Tokens sampled for earlier
 * requests appear as given tokens in later trajectories, so each sampled token is recorded as such once.
 */
import { canonicalJson, FULL_SUPPORT, WaggleError, spanSeed } from "@waggle/protocol";
import type {
  Consent,
  Environment,
  PolicyContext,
  PolicyVersionId,
  Trajectory,
} from "@waggle/protocol";
import type { ChatNext, ChatStart, RenderedSegment } from "@waggle/text";
import type { AgentEvent } from "./agent-event.ts";
import type { RollOutOptions } from "./roll-out-options.ts";
import { Rollout } from "./running-rollout.ts";

/** Options of a conversation: those of a rollout, with the environment and consent per request. */
export type ConversationOptions = Omit<
  RollOutOptions,
  "environment" | "assignmentId" | "trajectoryId" | "signal" | "consent"
> & {
  /** Creates the environment of one request. Its system text and tools only matter for a new context. */
  readonly createEnvironment: (userMessage: string, policyVersion: PolicyVersionId) => Environment;
  /**
   * Whether a context started under version `from` can continue under version `to`. If not, the next
   * request starts with an empty context. Default: always.
   */
  readonly startsAlike?: (from: PolicyVersionId, to: PolicyVersionId) => boolean;
  /** Called for every request, because a visitor may withdraw consent. */
  readonly consent: () => Consent;
  /**
   * Renders an earlier conversation that the first request continues, such as one from before the page was loaded
   * again. Its tokens are recorded as given. `null` for none. Not called after `reset`.
   */
  readonly restore?: (start: RestoreStart) => Promise<ReadConversation | null>;
};

/** What a conversation has read, and the messages that it has not read yet. */
export type ReadConversation = {
  readonly segments: readonly RenderedSegment[];
  readonly pending: ChatNext;
};

/** What `restore` renders from. */
export type RestoreStart = {
  /** The present system text and tools. */
  readonly first: Omit<ChatStart, "userMessage">;
  /** The consent of this request, which must cover everything that is restored. */
  readonly consent: Consent;
  /** Whether the request and an answer fit behind it. */
  readonly hasRoom: (read: ReadConversation) => boolean;
};

/** Options of one request. */
export type SendOptions = {
  /** Id of the request's trajectory, a new UUID. Default: a random one. */
  readonly trajectoryId?: string;
  /** Sampling seed that the edge gave for this request; the trajectory names it. Default: from the conversation's own. */
  readonly edgeSeed?: number | null;
  readonly signal?: AbortSignal;
  /** Called after the conversation's own `onEvent`. */
  readonly onEvent?: (event: AgentEvent) => void;
};

/** A conversation in progress. It processes one request at a time. */
export interface Conversation {
  /**
   * Sends one request and runs until the policy answers. Uses the policy's current version. Starts with
   * an empty context if the old one has no room for the request and an answer, or if it contains text
   * from before the present consent.
   *
   * @throws WaggleError `INVALID_ARGUMENT` while a request is running, `DISPOSED` after dispose.
   */
  send(userText: string, options?: SendOptions): Promise<Trajectory>;
  /** Moves a running request to the policy's current version from its next turn. */
  adoptCurrentVersion(): void;
  /** Drops the context: the next request starts with an empty one. */
  reset(): void;
  dispose(): void;
}

type Past = ReadConversation & { readonly context: PolicyContext };

/** Creates a conversation with an empty context. */
export function createConversation(options: ConversationOptions): Conversation {
  let past: Past | null = null;
  /** The consent that covers `past`. */
  let agreed: Consent | null = null;
  let requests = 0;
  let isBusy = false;
  let isDisposed = false;
  let isResetting = false;
  let isAdopting = false;
  let { restore } = options;

  const { startsAlike = () => true } = options;
  const forget = (): void => {
    past?.context.dispose();
    past = null;
  };

  /** Puts the earlier conversation into a new context. */
  const restored = async (
    context: PolicyContext,
    userText: string,
    consent: Consent,
  ): Promise<ReadConversation | null> => {
    const render = restore;
    restore = undefined;
    if (render === undefined) return null;
    const environment = options.createEnvironment(userText, context.policyVersion);
    const { system, tools } = await environment.observe();
    await options.redactor?.prepare?.(system);
    const read = await render({
      first: { system: options.redactor?.redact(system) ?? system, tools },
      consent,
      hasRoom: (one) => hasRoom(one, userText, options),
    });
    for (const { tokenIds } of read?.segments ?? []) context.append(tokenIds);
    return read;
  };

  const send = async (userText: string, sendOptions: SendOptions): Promise<Trajectory> => {
    const { edgeSeed = null } = sendOptions;
    await options.redactor?.prepare?.(userText);
    const consent = options.consent();
    if (past !== null && !hasRoom(past, userText, options)) forget();
    // The trajectory will contain the earlier text, so this consent must cover that text too.
    if (consent.scopes.length > 0 && canonicalJson(consent) !== canonicalJson(agreed)) forget();
    agreed = consent;
    const { currentVersion } = options.policy;
    if (past !== null && !startsAlike(past.context.policyVersion, currentVersion)) forget();
    const context = past?.context ?? (await options.policy.createContext());
    let earlier: ReadConversation | null = past;
    // Set again below if the request ends in a state that can be continued.
    past = null;
    let completed = false;
    try {
      if (context.policyVersion !== options.policy.currentVersion) context.adoptCurrentVersion();
      earlier ??= await restored(context, userText, consent);
      const rollout = new Rollout(
        {
          sampling: FULL_SUPPORT,
          ...options,
          environment: options.createEnvironment(userText, context.policyVersion),
          consent,
          seed: edgeSeed ?? spanSeed(options.seed, requests++),
          isEdgeSeed: edgeSeed !== null,
          onEvent: (event) => {
            options.onEvent?.(event);
            sendOptions.onEvent?.(event);
          },
          ...(sendOptions.signal ? { signal: sendOptions.signal } : {}),
          ...(sendOptions.trajectoryId ? { trajectoryId: sendOptions.trajectoryId } : {}),
        },
        {
          context,
          segments: earlier?.segments ?? [],
          ...(earlier ? { pending: earlier.pending } : {}),
          beforeTurn: () => {
            if (isAdopting && startsAlike(context.policyVersion, options.policy.currentVersion)) {
              context.adoptCurrentVersion();
            }
            isAdopting = false;
          },
        },
      );
      const trajectory = await rollout.run();
      const isRecorded = sizeOf(trajectory.segments) === context.tokenIds.length;
      // What follows a recorded conversation is recorded with it, and this one must not be.
      const isPrivate = rollout.hasSampledSecret && consent.scopes.length > 0;
      if (isRecorded && !isPrivate && !isResetting && !isDisposed) {
        const segments = trajectory.segments.map((segment) => ({
          role: segment.kind === "given" ? segment.role : "assistant",
          tokenIds: segment.tokenIds,
        }));
        past = { context, segments, pending: rollout.pending };
        completed = true;
      }
      return trajectory;
    } finally {
      if (!completed) context.dispose();
    }
  };

  return {
    send: async (userText, sendOptions = {}) => {
      if (isDisposed) {
        throw new WaggleError("DISPOSED", "this conversation was disposed; create another one");
      }
      if (isBusy) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "a request is already running in this conversation; await or abort it first",
        );
      }
      isBusy = true;
      isAdopting = false;
      try {
        return await send(userText, sendOptions);
      } finally {
        isBusy = false;
        isResetting = false;
      }
    },
    adoptCurrentVersion: () => {
      isAdopting = true;
    },
    reset: () => {
      restore = undefined;
      isResetting = isBusy;
      forget();
    },
    dispose: () => {
      isDisposed = true;
      forget();
    },
  };
}

/** Whether the request fits together with an answer of up to a quarter of the context. */
function hasRoom(read: ReadConversation, userText: string, options: ConversationOptions): boolean {
  const { policy, limits, chatFormat, redactor } = options;
  const limit = Math.min(policy.contextLength, limits.maxContextTokens ?? Infinity);
  const userMessage = redactor?.redact(userText) ?? userText;
  const request = sizeOf(chatFormat.next({ ...read.pending, userMessage }));
  const answer = Math.min(limits.maxTokensPerTurn, Math.floor(limit / 4));
  return sizeOf(read.segments) + request + answer <= limit;
}

function sizeOf(segments: readonly { readonly tokenIds: readonly number[] }[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokenIds.length, 0);
}
