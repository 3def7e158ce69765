/** Chooses how to load the model that an agent's options name. */
import { assetsWorker } from "@waggle/runtime";
import type { AgentOptions } from "./agent-options.ts";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import { createPolicyHostOpener } from "./policy-host.ts";

/**
 * Returns the opener for the model in `options`.
 * @throws WaggleError `INVALID_ARGUMENT` for an `assetsUrl` that is not a URL.
 */
export function hostOpener(given: AgentOptions): OpenHost {
  const {
    assetsUrl,
    createWorker = assetsUrl === undefined ? undefined : assetsWorker(assetsUrl),
  } = given;
  const options = createWorker === undefined ? given : { ...given, createWorker };
  const model = options.model ?? { kind: "site" };
  switch (model.kind) {
    case "site":
      return createPolicyHostOpener(options);
    case "address":
      return async (...call) => {
        // Most pages run the site's model only.
        const { createOwnModelOpener } = await import("./own-model-host.ts");
        return createOwnModelOpener(model, options)(...call);
      };
    case "chat":
      return createChatOpener(model);
  }
}

function createChatOpener({ name, source }: Extract<AgentModel, { kind: "chat" }>): OpenHost {
  return async (_, onProgress) => {
    // Most pages run the site's model only.
    const { createChatConversation } = await import("./chat-conversation.ts");
    const chat = await source.open({
      // A chat source reports a share, not bytes.
      onProgress: (share) =>
        onProgress({ loadedBytes: share, totalBytes: 1, detail: `loading ${name}` }),
    });
    return {
      kind: "chat",
      name,
      createConversation: (conversation) => createChatConversation({ ...conversation, chat }),
      dispose: () => chat.dispose(),
    };
  };
}
