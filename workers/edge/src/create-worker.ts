/** The Worker: HTTP, the Queue's consumer, and the Durable Objects. */
import { DEFAULT_SITE } from "@waggle/protocol";
import { unwrap } from "./answer.ts";
import { createApp } from "./app.ts";
import { coordinatorOf } from "./coordinator.ts";
import type { SiteCode } from "./tools/edge-tools.ts";
import type { Bindings, UploadPointer } from "./settings.ts";

/** Options of `createWorker`. */
export type WorkerOptions = {
  /** Code of sites. A site without code needs no entry. */
  readonly sites: readonly SiteCode[];
};

/** The default export of a Worker that serves these sites. */
export function createWorker({ sites }: WorkerOptions) {
  return {
    fetch: createApp(sites).fetch,
    /** Places all stored rows of the sites. A message is only a trigger, so a lost or repeated one is harmless. */
    async queue(batch, env) {
      const named = new Set(batch.messages.map(({ body }) => body.site ?? DEFAULT_SITE));
      for (const site of named) unwrap(await coordinatorOf(env, site).place(Date.now()));
      batch.ackAll();
    },
  } satisfies ExportedHandler<Bindings, UploadPointer>;
}
