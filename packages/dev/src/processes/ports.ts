/** Free ports of this machine. */
import { createServer } from "node:net";

/**
 * Ports that are tried where none is preferred. Systems give ports from 32,768 on to outgoing connections, so one of these
 * could be taken before a server listens on it.
 */
const FIRST = 20_000;
const COUNT = 12_000;

let given = 0;

/** A free port of this machine: `preferred` if it is free. A process does not get the same port twice in a row. */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < COUNT; tries += 1) {
    given += 1;
    // Processes begin at different ports.
    const port = FIRST + ((process.pid * 131 + given) % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free on this machine; close some programs");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** The requested port; otherwise `preferred` or a free one. @throws Error if the requested port is in use. */
export async function portFor(wanted: number | undefined, preferred: number): Promise<number> {
  const port = await freePort(wanted ?? preferred);
  if (wanted === undefined || port === wanted) return port;
  throw new Error(
    `port ${wanted} is in use; stop the program that uses it, or choose another port`,
  );
}
