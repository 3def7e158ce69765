/**
 * A line of limited speed between a browser and a server of this machine: a TCP proxy whose connections share one rate.
 * DevTools' own limit does not reach workers, which load the WASM file.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The open line. */
export type SlowLine = {
  readonly origin: string;
  /** Bytes that the browser received. */
  readonly received: () => number;
  readonly close: () => void;
};

/** Bits per second down, and milliseconds that each answer takes to begin. */
export type Line = { readonly bitsPerSecond: number; readonly roundTripMs: number };

/** By how much a late timer may be made up for, as by a socket's buffer. Less than a round trip, so that pauses are not. */
const SLACK_MS = 30;

/** Small against the rate, so that connections share it evenly. */
const CHUNK_BYTES = 16_384;

export async function slowLine(to: string, line: Line): Promise<SlowLine> {
  const { hostname, port } = new URL(to);
  let received = 0;
  let isFreeAt = 0;
  /** Resolves when the line has carried the bytes. */
  const carry = async (bytes: number): Promise<void> => {
    const now = performance.now();
    const from = now - isFreeAt < SLACK_MS ? isFreeAt : now;
    isFreeAt = from + (bytes * 8000) / line.bitsPerSecond;
    await sleep(Math.max(0, isFreeAt - performance.now()));
    received += bytes;
  };
  const sockets = new Set<Socket>();
  const server = createServer((browser) => {
    const origin = connect(Number(port), hostname);
    for (const socket of [browser, origin]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    browser.on("data", (sent) => {
      setTimeout(() => origin.writable && origin.write(sent), line.roundTripMs);
    });
    browser.on("end", () => origin.end());
    void (async () => {
      for await (const part of origin as AsyncIterable<Buffer>) {
        for (let at = 0; at < part.length; at += CHUNK_BYTES) {
          const chunk = part.subarray(at, at + CHUNK_BYTES);
          await carry(chunk.length);
          if (!browser.write(chunk)) await once(browser, "drain");
        }
      }
      browser.end();
    })().catch(() => browser.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
