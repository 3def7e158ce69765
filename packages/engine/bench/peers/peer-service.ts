/**
 * Server side of a measured process: answers each JSON line on stdin with one on stdout until stdin
 * ends. `{gradients: path}` writes the gradients of the first step as float32, in the order of the
 * decoder's parameters. `{steps: n}` takes n training steps.
 */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { peakMemoryBytes } from "../../../../test/fixtures/peak-memory.ts";

export type PeerRequest = { readonly gradients: string } | { readonly steps: number };
export type PeerReply = {
  /** Milliseconds of each step. */
  readonly milliseconds?: readonly number[];
  readonly megabytes?: number;
};

export type MeasuredPeer = {
  /** Library, version and device. */
  readonly label: string;
  /** In the order of the decoder's parameters. Changes no parameter. */
  readonly gradients: () => Promise<readonly Float32Array[]>;
  /** Runs forward, backward and AdamW, and waits for the result. */
  readonly step: () => Promise<void>;
};

export async function servePeer({ label, gradients, step }: MeasuredPeer): Promise<void> {
  const print = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
  print({ label });
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line) as PeerRequest;
    if ("gradients" in request) {
      const parts = (await gradients()).map(
        ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
      );
      writeFileSync(request.gradients, Buffer.concat(parts));
      print({});
      continue;
    }
    const milliseconds: number[] = [];
    for (let count = 0; count < request.steps; count++) {
      const start = performance.now();
      await step();
      milliseconds.push(performance.now() - start);
    }
    const megabytes = peakMemoryBytes() / 1024 ** 2;
    print({ milliseconds, megabytes } satisfies PeerReply);
  }
  process.exit(0);
}
