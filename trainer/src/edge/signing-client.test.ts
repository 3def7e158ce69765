import { type BaseModelRequest, type PublishRequest, writeGuidance } from "@waggle/protocol";
import { createPublisherKeys, signerOf } from "@waggle/protocol/signing";
import { expect, test } from "vitest";
import { publishText } from "../commands/publish-text.ts";
import type { EdgeClient } from "./edge-client.ts";
import { FakeEdge } from "./fake-edge.fixture.ts";
import { createSigningClient } from "./signing-client.ts";

const BASE = "0".repeat(64);
const { privateKey, publicKey } = await createPublisherKeys();

/** A signing client of a fake edge, and what it sent. */
function setUp(site = "default") {
  const edge = new FakeEdge([], BASE);
  const client = edge.client();
  const published: PublishRequest[] = [];
  const bases: BaseModelRequest[] = [];
  const recorded: EdgeClient = {
    ...client,
    publish: async (request) => {
      published.push(request);
      return client.publish(request);
    },
    setBaseModel: async (request) => void bases.push(request),
  };
  const signing = createSigningClient(recorded, { privateKey, site, clock: () => 5000 });
  return { edge, signing, published, bases };
}

const say = (prompt: string, client: EdgeClient) =>
  publishText(writeGuidance({ formatVersion: 1, prompt, lessons: [], cases: null }), client, {
    withoutEvaluation: true,
  });

test("a version is signed with the number that it gets, and names the versions to return to", async () => {
  const { signing, published, edge } = setUp();
  for (const prompt of ["one", "two"]) {
    const { version } = await say(prompt, signing);
    await signing.promote(version);
  }
  edge.policies[1] = { ...edge.policies[1]!, status: "rolled-back" };
  const third = await say("three", signing);
  expect(third.version).toBe(3);
  const { signature, ...request } = published[2]!;
  expect(signature).toMatchObject({ signedAt: 5000, rollBackTo: [2, 0] });
  const policy = { ...request, site: "default", version: 3 };
  expect(await signerOf([publicKey], policy, signature!)).toBe(publicKey);
});

test("a candidate that failed is not signed", async () => {
  const { signing, published } = setUp();
  const { epoch } = await signing.policies();
  const request: PublishRequest = {
    publicationId: crypto.randomUUID(),
    epoch,
    parent: 0,
    baseModel: BASE,
    adapter: null,
    evaluation: { tasks: 1, successes: 0 },
    step: 1,
    status: "rolled-back",
  };
  await signing.publish(request);
  expect(published).toEqual([request]);
});

test("the base model is signed as version 0", async () => {
  const { signing, bases } = setUp();
  const files = [{ path: "config.json", sha256: BASE, sizeBytes: 1 }];
  await signing.setBaseModel({ baseModel: { sha256: BASE, files }, vocabularySize: 9 });
  const zero = { site: "default", version: 0, parent: null, baseModel: BASE, adapter: null };
  expect(await signerOf([publicKey], zero, bases[0]!.signature!)).toBe(publicKey);
});

test("nothing is signed for another site than the credential opens", async () => {
  const { signing, published, edge } = setUp("shop");
  edge.control = { ...edge.control, site: "desk" };
  await expect(say("one", signing)).rejects.toThrow("pass --site desk");
  expect(published).toEqual([]);
});
