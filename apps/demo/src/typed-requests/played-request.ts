/** Plays one typed request with a policy, as a page would: one conversation, the tools of the shop, its system text. */
import {
  createConversation,
  createToolEnvironment,
  decisionConfidence,
  finalTextOf,
} from "@waggle/agent";
import type { RollOutLimits } from "@waggle/agent";
import type { ToolArguments } from "@waggle/environments";
import { isUnsure } from "@waggle/evaluation";
import type { ClientDescription, Consent, Policy, Sampling, Tool } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { createShop } from "../environment/shop.ts";
import type { CartLine, Shop } from "../environment/shop.ts";
import { SHOP_SYSTEM } from "../environment/shop-task.ts";
import {
  CHANGING_TOOLS,
  edgeToolDefinitions,
  runEdgeTool,
  runPageTool,
  SHOP_TOOLS,
} from "../environment/shop-tools.ts";
import { createAskedPerson } from "./asked-person.ts";
import type { AskedPerson } from "./asked-person.ts";
import { expectedCarts } from "./typed-request.ts";
import type { TypedRequest } from "./typed-request.ts";

/** The policy and how it plays. */
export type RequestPlayer = {
  readonly policy: Policy & { readonly client: ClientDescription };
  readonly format: ChatFormat;
  readonly sampling: Omit<Sampling, "seed">;
  readonly limits: RollOutLimits;
  readonly seed: number;
};

/** When the person is asked before a call that changes the cart, as in a page. */
export type Asking = {
  /** The probability that a turn's calls are right, from its confidence. */
  readonly probabilityOf: (confidence: number) => number;
  /** `confirmBelow` of a page. */
  readonly threshold: number;
};

/** A call that changes the cart, with what the person says or would have said. */
export type ChangingCall = {
  /** That the call is right. */
  readonly probability: number;
  readonly wasAsked: boolean;
  /** What `AskedPerson` answers. */
  readonly isWanted: boolean;
};

/** What happened. */
export type PlayedRequest = {
  /** After the last turn. */
  readonly cart: readonly CartLine[];
  /** Whether the cart changed at any time, also if it was changed back. */
  readonly hasChangedCart: boolean;
  /** The final text of each turn of the visitor; `null` if the policy did not come to an answer. */
  readonly answers: readonly (string | null)[];
  /** Every text outside of calls, of every turn of the policy. */
  readonly texts: readonly string[];
  /** Whether the markup of a turn could not be read. */
  readonly isUnreadable: boolean;
  /** The lowest `decisionConfidence` of the visitor's turns. */
  readonly confidence: number;
  /** Calls that change the cart, also refused ones. Empty without `Asking`. */
  readonly changingCalls: readonly ChangingCall[];
};

/** Nothing is kept. */
const NO_CONSENT: Consent = { version: "none", scopes: [], grantedAt: "2026-01-01T00:00:00.000Z" };

const EDGE_TOOLS: ReadonlySet<string> = new Set(edgeToolDefinitions.map(({ name }) => name));

/**
 * Sends all turns of the request. Calls are constrained to the tools if the policy supports it.
 * @param asking - absent = the person is never asked.
 */
export async function playRequest(
  { policy, format, sampling, limits, seed }: RequestPlayer,
  request: TypedRequest,
  signal: AbortSignal,
  asking?: Asking,
): Promise<PlayedRequest> {
  const shop = createShop(request.cart.map(({ product: id, quantity }) => ({ id, quantity })));
  const { cart: start } = shop.state;
  const seen = { hasChangedCart: false, isUnreadable: false };
  shop.subscribe(({ cart }) => {
    seen.hasChangedCart ||= cart !== start;
  });
  const texts: string[] = [];
  const changingCalls: ChangingCall[] = [];
  const person = createAskedPerson(expectedCarts(request), shop);
  const tools = toolsOf(shop).map((tool) =>
    asking === undefined ? tool : askedTool(tool, asking, person, changingCalls),
  );
  const conversation = createConversation({
    policy,
    chatFormat: format,
    client: policy.client,
    sampling,
    limits,
    seed,
    consent: () => NO_CONSENT,
    constrainToolCalls: true,
    createEnvironment: (userMessage) =>
      createToolEnvironment({
        system: SHOP_SYSTEM,
        tools,
        userMessage,
        ...(asking && { probabilityOf: asking.probabilityOf }),
        // As a page limits them.
        maxResultCharacters: Math.min(16_384, 2 * policy.contextLength),
      }),
    onEvent: (event) => {
      if (event.type === "turn-start") person.startTurn();
      if (event.type !== "turn-end") return;
      texts.push(event.text);
      seen.isUnreadable ||= event.parseError !== null;
    },
  });
  const answers: (string | null)[] = [];
  let confidence = 1;
  try {
    for (const turn of request.turns) {
      const trajectory = await conversation.send(turn, { signal });
      signal.throwIfAborted();
      answers.push(finalTextOf(trajectory, format));
      confidence = Math.min(confidence, decisionConfidence(trajectory));
    }
  } finally {
    conversation.dispose();
  }
  return { ...seen, cart: shop.state.cart, answers, texts, confidence, changingCalls };
}

/** The tool, with the question that a page would ask. */
function askedTool(
  tool: Tool,
  { threshold }: Asking,
  person: AskedPerson,
  calls: ChangingCall[],
): Tool {
  const { name } = tool.definition;
  if (!CHANGING_TOOLS.has(name)) return tool;
  return {
    ...tool,
    allows: (args, _, known) => {
      const probability = known ?? 0;
      const wasAsked = isUnsure(probability, threshold);
      const isWanted = person.wants(name, args, wasAsked);
      calls.push({ probability, wasAsked, isWanted });
      return Promise.resolve(!wasAsked || isWanted);
    },
  };
}

function toolsOf(shop: Shop): Tool[] {
  return SHOP_TOOLS.map((definition) => ({
    definition,
    run: async (args: unknown) =>
      EDGE_TOOLS.has(definition.name)
        ? runEdgeTool(definition.name, args as ToolArguments)
        : runPageTool(shop, definition.name, args as ToolArguments),
  }));
}
