/** Entry of the Worker: HTTP, the Queue's push consumer, the Durable Objects. */
import { app } from "./app.ts";
import { unwrap } from "./answer.ts";
import { coordinatorOf } from "./coordinator.ts";
import type { Bindings, UploadPointer } from "./settings.ts";

export { Coordinator } from "./coordinator.ts";
export { RateLimiter } from "./rate-limiter.ts";

export default {
  fetch: app.fetch,
  /** A pointer is only a nudge: all stored rows are placed, so that a lost or repeated one is harmless. */
  async queue(batch, env) {
    unwrap(await coordinatorOf(env).place(Date.now()));
    batch.ackAll();
  },
} satisfies ExportedHandler<Bindings, UploadPointer>;
