import type { PolicySignatures, PolicyVersion } from "@waggle/protocol";
import { createPublisherKeys, type PublisherKeys, signerOf } from "@waggle/protocol/signing";
import { expect, test } from "vitest";
import { createProgram } from "./program.ts";

const policyOf = (version: number, status: PolicyVersion["status"]): PolicyVersion => ({
  version,
  parent: version === 0 ? null : version - 1,
  baseModel: "0".repeat(64),
  adapter:
    version === 0 ? null : { sha256: String(version).repeat(64), sizeBytes: 1, rank: 1, alpha: 1 },
  status,
  evaluation: null,
  step: version,
  publishedAt: "2026-11-20T12:00:00.000Z",
});

/** An edge with four versions, of which one was rolled back. */
function createEdge() {
  const policies = [
    policyOf(3, "stable"),
    policyOf(2, "rolled-back"),
    policyOf(1, "retired"),
    policyOf(0, "retired"),
  ];
  const stored = new Map<number, PolicySignatures["signatures"][number]>();
  const run = async (privateKey: string, ...args: string[]) => {
    const lines: string[] = [];
    const program = createProgram({
      signal: new AbortController().signal,
      writeOut: (line) => lines.push(line),
      writeError: () => {},
      environment: { WAGGLE_TRAINER_CREDENTIAL: "secret", WAGGLE_PUBLISHER_KEY: privateKey },
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (request.url.endsWith("/v1/trainer/control")) {
          const switches = { frozen: null, killed: null };
          return Response.json({ site: "default", environment: "", ...switches });
        }
        if (request.url.endsWith("/v1/trainer/policies")) {
          const gate = { minTasks: 1, margin: 0, significance: 0 };
          return Response.json({ stable: 3, canary: 3, epoch: 4, gate, policies });
        }
        if (request.method === "GET") return Response.json({ signatures: [...stored.values()] });
        const { signatures } = (await request.json()) as PolicySignatures;
        for (const one of signatures) stored.set(one.version, one);
        return Response.json({});
      },
    });
    await program.parseAsync(["sign-policies", ...args], { from: "user" });
    return lines;
  };
  /** Versions whose signature is of this key, oldest signature first. */
  const signedBy = async ({ publicKey }: PublisherKeys): Promise<number[]> => {
    const found: number[] = [];
    const inOrder = [...stored.values()].toSorted(
      (a, b) => a.signature.signedAt - b.signature.signedAt,
    );
    for (const { version, signature } of inOrder) {
      const policy = policies.find((one) => one.version === version)!;
      const signer = await signerOf([publicKey], { ...policy, site: "default" }, signature);
      if (signer !== null) found.push(version);
    }
    return found;
  };
  return { run, signedBy, stored };
}

test("sign-policies signs nothing that no known key has signed, unless it is told to", async () => {
  const { run, signedBy } = createEdge();
  const keys = await createPublisherKeys();
  await expect(run(keys.privateKey)).rejects.toMatchObject({ code: "SIGNATURE_INVALID" });
  expect(await signedBy(keys)).toEqual([]);
  expect(await run(keys.privateKey, "--unsigned")).toEqual([
    "signed: version 0, version 1, version 3",
  ]);
  expect(await signedBy(keys)).toEqual([0, 1, 3]);
  expect(await run(keys.privateKey)).toEqual(["no version was signed"]);
});

test("a new key signs what the previous one had signed", async () => {
  const { run, signedBy } = createEdge();
  const [first, second, other] = [
    await createPublisherKeys(),
    await createPublisherKeys(),
    await createPublisherKeys(),
  ];
  await run(first.privateKey, "--unsigned");
  await expect(run(second.privateKey, "--previous-key", other.publicKey)).rejects.toThrow(
    "not signed by a known key",
  );
  expect(await signedBy(second)).toEqual([]);
  await run(second.privateKey, "--previous-key", first.publicKey);
  expect(await signedBy(second)).toEqual([0, 1, 3]);
});

test("--again signs a version anew, so that it is the newest", async () => {
  const { run, signedBy, stored } = createEdge();
  const keys = await createPublisherKeys();
  await run(keys.privateKey, "--unsigned");
  await new Promise((resolve) => setTimeout(resolve, 5));
  await run(keys.privateKey, "--again", "1");
  expect(await signedBy(keys)).toEqual([0, 3, 1]);
  expect(stored.get(1)?.signature.rollBackTo).toEqual([3, 0]);
  await expect(run(keys.privateKey, "--again", "9")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("sign-policies signs for the site that the credential opens, and for no other", async () => {
  const { run, stored } = createEdge();
  const { privateKey } = await createPublisherKeys();
  await expect(run(privateKey, "--unsigned", "--site", "desk")).rejects.toThrow(
    "pass --site default",
  );
  expect(stored.size).toBe(0);
});

test("sign-policies needs a private key", async () => {
  const { run } = createEdge();
  await expect(run("")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("publisher-key prints a pair that fits", async () => {
  const lines: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => lines.push(line),
    writeError: () => {},
    environment: {},
  });
  await program.parseAsync(["publisher-key", "--json"], { from: "user" });
  const keys = JSON.parse(lines[0] ?? "") as PublisherKeys;
  const { run, signedBy } = createEdge();
  await run(keys.privateKey, "--unsigned");
  expect(await signedBy(keys)).toEqual([0, 1, 3]);
});
