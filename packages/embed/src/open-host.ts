/** Which host an agent's options ask for. */
import type { AgentOptions } from "./agent-options.ts";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import { createOwnModelOpener } from "./own-model-host.ts";
import { createPolicyHostOpener } from "./policy-host.ts";

export function hostOpener(options: AgentOptions): OpenHost {
  const model = options.model ?? { kind: "site" };
  switch (model.kind) {
    case "site":
      return createPolicyHostOpener(options);
    case "address":
      return createOwnModelOpener(model, options);
    case "chat":
      return createChatOpener(model);
  }
}

function createChatOpener({ name, source }: Extract<AgentModel, { kind: "chat" }>): OpenHost {
  return async (_, onProgress) => {
    const chat = await source.open({
      // A source knows shares, not bytes.
      onProgress: (share) =>
        onProgress({ loadedBytes: share, totalBytes: 1, detail: `loading ${name}` }),
    });
    return { kind: "chat", name, chat, dispose: () => chat.dispose() };
  };
}
