/** Free ports of this machine. */
import { createServer } from "node:net";

/** A free port of this machine: `preferred` if it is free. */
export async function freePort(preferred = 0): Promise<number> {
  const tryPort = (port: number) =>
    new Promise<number | null>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(null));
      server.listen(port, "127.0.0.1", () => {
        const address = server.address();
        server.close(() => resolve(typeof address === "string" ? null : (address?.port ?? null)));
      });
    });
  const found = (await tryPort(preferred)) ?? (await tryPort(0));
  if (found === null) throw new Error("no port is free on this machine; close some programs");
  return found;
}

/** The requested port; otherwise `preferred` or a free one. @throws Error if the requested port is in use. */
export async function portFor(wanted: number | undefined, preferred: number): Promise<number> {
  const port = await freePort(wanted ?? preferred);
  if (wanted === undefined || port === wanted) return port;
  throw new Error(
    `port ${wanted} is in use; stop the program that uses it, or choose another port`,
  );
}
