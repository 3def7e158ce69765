import { createMemoryStorage } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest } from "@waggle/protocol";
import { ScriptedPolicy } from "@waggle/testing";
import { expect, test } from "vitest";
import type { PolicyHost } from "./agent-host.ts";
import { PolicyFollower } from "./policy-follower.ts";

const HASH = "0".repeat(64);

function manifestOf(version: number, base = HASH): PolicyManifest {
  return {
    channel: "stable",
    policy: {
      version,
      parent: version === 0 ? null : 0,
      baseModel: base,
      adapter: version === 0 ? null : { sha256: HASH, sizeBytes: 1, rank: 4, alpha: 8 },
      status: "stable",
      evaluation: null,
      step: version,
      publishedAt: "2026-11-20T00:00:00.000Z",
    },
    baseModel: { sha256: base, files: [{ path: "config.json", sha256: HASH, sizeBytes: 1 }] },
  };
}

/** A host on which the versions in `broken` fail to load, and a log of the requested versions. */
function openHost(broken: Set<number>) {
  const policy = new ScriptedPolicy({ turns: [] });
  policy.currentVersion = 0;
  const tried: number[] = [];
  const host = {
    policy,
    adopt: ({ policy: { version, adapter } }: PolicyManifest) => {
      tried.push(version);
      if (broken.has(version)) {
        return Promise.reject(new WaggleError("DIGEST_MISMATCH", `version ${version} is damaged`));
      }
      expect(adapter === null).toBe(version === 0);
      policy.currentVersion = version;
      return Promise.resolve();
    },
  } as unknown as PolicyHost;
  return { host, tried, version: () => policy.currentVersion };
}

test("a fresh page loads the last version that loaded here, otherwise the base", async () => {
  const storage = createMemoryStorage();
  const first = openHost(new Set([2]));
  await new PolicyFollower({ storage }).follow(first.host, manifestOf(1));
  expect(first.version()).toBe(1);

  const second = openHost(new Set([2]));
  const follower = new PolicyFollower({ storage });
  await follower.follow(second.host, manifestOf(2));
  expect(second.version()).toBe(1);
  expect(follower.failure).toEqual({
    version: 2,
    code: "DIGEST_MISMATCH",
    message: "version 2 is damaged",
  });

  const third = openHost(new Set([1, 2]));
  await new PolicyFollower({ storage }).follow(third.host, manifestOf(2));
  expect(third).toMatchObject({ tried: [2, 1, 0] });
  expect(third.version()).toBe(0);
});

test("an open page keeps running its older version", async () => {
  const page = openHost(new Set([2]));
  const follower = new PolicyFollower({ storage: createMemoryStorage() });
  await follower.follow(page.host, manifestOf(1));
  await follower.follow(page.host, manifestOf(2));
  expect(page).toMatchObject({ tried: [1, 2] });
  expect(page.version()).toBe(1);
});

test("the base runs if the operator returns to a version that does not load", async () => {
  const storage = createMemoryStorage();
  const page = openHost(new Set([1]));
  const follower = new PolicyFollower({ storage });
  await follower.follow(page.host, manifestOf(3));
  await follower.follow(page.host, manifestOf(1));
  expect(page.version()).toBe(0);
});

test("after a return to the base no older version is loaded", async () => {
  const storage = createMemoryStorage();
  const page = openHost(new Set([2]));
  const follower = new PolicyFollower({ storage });
  for (const version of [1, 0, 2]) await follower.follow(page.host, manifestOf(version));
  expect(page.version()).toBe(0);
});

test("a failed version is reported once and retried after 1, 2, 4, … up to 60 minutes", async () => {
  const page = openHost(new Set([1]));
  let now = 0;
  const follower = new PolicyFollower({ storage: createMemoryStorage(), clock: () => now });
  const said = new Set<unknown>();
  const triedAt: number[] = [];
  for (; now < 5 * 3_600_000; now += 10_000) {
    const before = page.tried.length;
    await follower.follow(page.host, manifestOf(1));
    if (page.tried.slice(before).includes(1)) triedAt.push(now / 60_000);
    said.add(follower.failure);
  }
  expect(said.size).toBe(1);
  expect(triedAt).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
});

test("a retry that succeeds clears the failure, and another version is tried at once", async () => {
  const broken = new Set([1]);
  const page = openHost(broken);
  let now = 0;
  const follower = new PolicyFollower({ storage: createMemoryStorage(), clock: () => now });
  await follower.follow(page.host, manifestOf(1));
  await follower.follow(page.host, manifestOf(2));
  expect({ version: page.version(), failure: follower.failure }).toEqual({
    version: 2,
    failure: null,
  });
  broken.add(3);
  await follower.follow(page.host, manifestOf(3));
  broken.clear();
  now = 60_000;
  await follower.follow(page.host, manifestOf(3));
  expect({ version: page.version(), failure: follower.failure }).toEqual({
    version: 3,
    failure: null,
  });
});

test.each(["{", "[]", '{"channel":"stable"}'])("a stored %s is ignored", async (stored) => {
  const storage = createMemoryStorage();
  storage.setItem("waggle.lastGoodPolicy", stored);
  const page = openHost(new Set([2]));
  await new PolicyFollower({ storage }).follow(page.host, manifestOf(2));
  expect(page.version()).toBe(0);
});

test("a version of another base model is not loaded", async () => {
  const storage = createMemoryStorage();
  await new PolicyFollower({ storage }).follow(openHost(new Set()).host, manifestOf(1));
  const page = openHost(new Set([2]));
  await new PolicyFollower({ storage }).follow(page.host, manifestOf(2, "1".repeat(64)));
  expect(page).toMatchObject({ tried: [2, 0] });
});
