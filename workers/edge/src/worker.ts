/** Entry point of the Worker: HTTP, the Queue's consumer, and the Durable Objects. */
import { app } from "./app.ts";
import { unwrap } from "./answer.ts";
import { coordinatorOf } from "./coordinator.ts";
import type { Bindings, UploadPointer } from "./settings.ts";

export { Coordinator } from "./coordinator.ts";
export { RateLimiter } from "./rate-limiter.ts";

export default {
  fetch: app.fetch,
  /** Places all stored rows. The message is only a trigger, so a lost or repeated one is harmless. */
  async queue(batch, env) {
    unwrap(await coordinatorOf(env).place(Date.now()));
    batch.ackAll();
  },
} satisfies ExportedHandler<Bindings, UploadPointer>;
