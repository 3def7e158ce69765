/** Creates the Worker of an installation: HTTP and the Queue's consumer. */
import type { Tool } from "@waggle/protocol";
import { createApp } from "./app.ts";
import { unwrap } from "./answer.ts";
import { coordinatorOf } from "./coordinator.ts";
import type { Bindings, UploadPointer } from "./settings.ts";

/** What is bundled with a Worker. */
type EdgeParts = {
  /** Tools of the site: the result of `defineEdgeTools`. Default: none. */
  readonly tools?: readonly Tool[];
};

/** The default export of a Worker. Its module must also export `Coordinator` and `RateLimiter` of `@waggle/edge`. */
export function createEdge({ tools = [] }: EdgeParts = {}) {
  const app = createApp(tools);
  return {
    fetch: app.fetch,
    /** Places all stored rows. The message is only a trigger, so a lost or repeated one is harmless. */
    async queue(batch, env) {
      unwrap(await coordinatorOf(env).place(Date.now()));
      batch.ackAll();
    },
  } satisfies ExportedHandler<Bindings, UploadPointer>;
}
