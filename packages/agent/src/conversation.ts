/**
 * A live conversation: one growing context, one trajectory per request. What earlier requests sampled
 * is in a later trajectory as given tokens, so every sampled token is in exactly one of them.
 */
import { canonicalJson, FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import type {
  Consent,
  Environment,
  PolicyContext,
  PolicyVersionId,
  Segment,
  Trajectory,
} from "@waggle/protocol";
import type { ChatNext } from "@waggle/text";
import type { AgentEvent } from "./agent-event.ts";
import type { RollOutOptions } from "./roll-out-options.ts";
import { Rollout } from "./running-rollout.ts";
import { spanSeed } from "./span-seed.ts";

export type ConversationOptions = Omit<
  RollOutOptions,
  "environment" | "assignmentId" | "signal" | "consent"
> & {
  /** One environment per request. Its system text and tools count where the context begins. */
  readonly createEnvironment: (userMessage: string, policyVersion: PolicyVersionId) => Environment;
  /**
   * Whether a context that began under one version may go on under another; default yes. Where not, the
   * next request begins an empty one.
   */
  readonly startsAlike?: (from: PolicyVersionId, to: PolicyVersionId) => boolean;
  /** Asked at every request: a visitor may change their mind. */
  readonly consent: () => Consent;
};

export type SendOptions = {
  readonly signal?: AbortSignal;
  /** Called after the conversation's own. */
  readonly onEvent?: (event: AgentEvent) => void;
};

export interface Conversation {
  /**
   * One request, worked on until the policy answers. Takes the policy's current version, and an empty
   * context where the old one has no room for the request and an answer, or where its consent does not
   * cover what was said before.
   *
   * @throws WaggleError `INVALID_ARGUMENT` while a request is in progress, `DISPOSED` after dispose.
   */
  send(userText: string, options?: SendOptions): Promise<Trajectory>;
  /** Lets a request in progress go on with the policy's current version from its next turn. */
  adoptCurrentVersion(): void;
  /** Forgets what was said: the next request starts with an empty context. */
  reset(): void;
  dispose(): void;
}

/** What the context holds and what the policy has not read yet. */
type Past = {
  readonly context: PolicyContext;
  readonly segments: readonly Segment[];
  readonly pending: ChatNext;
};

/** A conversation that has not begun. */
export function createConversation(options: ConversationOptions): Conversation {
  let past: Past | null = null;
  /** The consent under which `past` was said. */
  let agreed: Consent | null = null;
  let requests = 0;
  let isBusy = false;
  let isDisposed = false;
  let isResetting = false;
  let isAdopting = false;

  const { startsAlike = () => true } = options;
  const forget = (): void => {
    past?.context.dispose();
    past = null;
  };

  const send = async (userText: string, sendOptions: SendOptions): Promise<Trajectory> => {
    const consent = options.consent();
    if (past !== null && !hasRoom(past, userText, options)) forget();
    // A trajectory holds what was said before it, which nobody may have agreed to send.
    if (consent.scopes.length > 0 && canonicalJson(consent) !== canonicalJson(agreed)) forget();
    agreed = consent;
    const { currentVersion } = options.policy;
    if (past !== null && !startsAlike(past.context.policyVersion, currentVersion)) forget();
    const context = past?.context ?? (await options.policy.createContext());
    const held: Past | null = past;
    // Until it is known how the request ended, there is nothing to go on from.
    past = null;
    let completed = false;
    try {
      if (context.policyVersion !== options.policy.currentVersion) context.adoptCurrentVersion();
      const rollout = new Rollout(
        {
          sampling: FULL_SUPPORT,
          ...options,
          environment: options.createEnvironment(userText, context.policyVersion),
          consent,
          seed: spanSeed(options.seed, requests++),
          onEvent: (event) => {
            options.onEvent?.(event);
            sendOptions.onEvent?.(event);
          },
          ...(sendOptions.signal ? { signal: sendOptions.signal } : {}),
        },
        {
          context,
          segments: held?.segments ?? [],
          ...(held ? { pending: held.pending } : {}),
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
      if (isRecorded && !isResetting && !isDisposed) {
        past = { context, segments: trajectory.segments, pending: rollout.pending };
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
        throw new WaggleError(
          "DISPOSED",
          "a conversation must be live, got one that was disposed; create another",
        );
      }
      if (isBusy) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "a conversation must have one request at a time, got a second; abort or await the first",
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
      isResetting = isBusy;
      forget();
    },
    dispose: () => {
      isDisposed = true;
      forget();
    },
  };
}

/** Room for the request and an answer of at least a quarter of the context. */
function hasRoom(past: Past, userText: string, options: ConversationOptions): boolean {
  const { policy, limits, chatFormat, redactor } = options;
  const limit = Math.min(policy.contextLength, limits.maxContextTokens ?? Infinity);
  const userMessage = redactor?.redact(userText) ?? userText;
  const request = sizeOf(chatFormat.next({ ...past.pending, userMessage }));
  const answer = Math.min(limits.maxTokensPerTurn, Math.floor(limit / 4));
  return past.context.tokenIds.length + request + answer <= limit;
}

function sizeOf(segments: readonly { readonly tokenIds: readonly number[] }[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokenIds.length, 0);
}
