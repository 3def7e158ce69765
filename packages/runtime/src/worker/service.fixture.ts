/**
 * A service worker with a hashing backend, to test hosting without a slow software GPU. Tests only.
 */
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { HashBackend } from "../session/hash-backend.fixture.ts";
import { TINY_CONFIG } from "../tiny-decoder.fixture.ts";
import { servePages } from "./service-host.ts";
import type { ServiceScope } from "./service-host.ts";

/** Milliseconds of a run, so that the browser can end the worker during an answer. */
const RUN_MS = 10;

async function openBackend(): Promise<DecoderBackend> {
  const backend = new HashBackend({ vocabularySize: TINY_CONFIG.vocabularySize });
  const open = backend.open.bind(backend);
  backend.open = async (...args) => {
    const session = await open(...args);
    const run = session.run.bind(session);
    session.run = async (rows) => {
      await new Promise((resolve) => setTimeout(resolve, RUN_MS));
      return run(rows);
    };
    return session;
  };
  return backend;
}

servePages(globalThis as unknown as ServiceScope, { kind: "webgpu", openBackend });
