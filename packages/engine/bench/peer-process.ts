/** Client side of a measured process: starts it, sends one request at a time, ends it. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PeerReply, PeerRequest } from "./peers/peer-service.ts";

export type PeerProcess = {
  readonly label: string;
  readonly gradients: () => Promise<Float32Array>;
  /** Milliseconds of each of `count` steps. */
  readonly steps: (count: number) => Promise<readonly number[]>;
  /** Peak resident memory after the last steps, in MB. */
  readonly megabytes: () => number;
  readonly close: () => Promise<void>;
};

/** Starts a TypeScript file of `peers/` with arguments. */
export function startPeer(file: string, ...args: readonly string[]): Promise<PeerProcess> {
  const path = join(import.meta.dirname, "peers", file);
  return start(process.execPath, ["--conditions=source", path, ...args]);
}

/** Starts a Python file of `peers/` with an interpreter. */
export function startPythonPeer(
  interpreter: string,
  file: string,
  ...args: readonly string[]
): Promise<PeerProcess> {
  return start(interpreter, [join(import.meta.dirname, "peers", file), ...args]);
}

async function start(command: string, args: readonly string[]): Promise<PeerProcess> {
  const folder = mkdtempSync(join(tmpdir(), "waggle-bench-"));
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${args.join(" ")} ended without a reply`);
    return value as string;
  };
  const ask = async (request: PeerRequest): Promise<PeerReply> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return JSON.parse(await next()) as PeerReply;
  };
  const { label } = JSON.parse(await next()) as { label: string };
  let megabytes = 0;
  return {
    label,
    gradients: async () => {
      const path = join(folder, "gradients");
      await ask({ gradients: path });
      return new Float32Array(new Uint8Array(readFileSync(path)).buffer);
    },
    steps: async (count) => {
      const reply = await ask({ steps: count });
      megabytes = reply.megabytes ?? 0;
      return reply.milliseconds ?? [];
    },
    megabytes: () => megabytes,
    close: async () => {
      child.stdin.end();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
