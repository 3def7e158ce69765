import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import {
  hashAdapter,
  hashPrompt,
  openHashPolicy,
  sampled,
  undisturbed,
} from "./hash-policy.fixture.ts";

const codeOf = async (fn: () => unknown): Promise<string> => {
  try {
    await fn();
  } catch (error) {
    return WaggleError.is(error) ? error.code : String(error);
  }
  return "nothing thrown";
};

const open = async (length: number, backend: Parameters<typeof openHashPolicy>[0] = {}) => {
  const { policy, backends } = await openHashPolicy(backend, { contextLength: 9000 });
  const session = await policy.createContext();
  session.append(hashPrompt(length));
  const read = () => backends.flatMap(({ runs }) => runs.flat()).reduce((a, b) => a + b, 0);
  return { policy, session, backends, read };
};

describe("fork", () => {
  test.each([0, 1, 9, 20, 25, 30])("at %i continues like an independent session", async (at) => {
    const { policy, session, read } = await open(20);
    await session.generate(sampled(1, 10));
    const before = read();
    const fork = await session.fork({ at });
    expect(fork.tokenIds).toEqual(session.tokenIds.slice(0, at));
    if (at === 0) fork.append([3]);
    const sample = await fork.generate(sampled(2, 5));
    expect(sample).toEqual(await undisturbed(fork.tokenIds.slice(0, -5), sampled(2, 5)));
    // Only sampled tokens are read; the prefix is shared.
    expect(read() - before).toBe(5);
    const next = await session.generate(sampled(3, 5));
    expect(next).toEqual(await undisturbed(session.tokenIds.slice(0, -5), sampled(3, 5)));
    await policy.dispose();
  });

  test.each([false, true])(
    "of a running generation, at its last token, affects neither (answers later: %s)",
    async (answersLater) => {
      const { policy, session } = await open(10, { answersLater });
      const forks: Promise<unknown>[] = [];
      const whole = await session.generate({
        ...sampled(1, 50),
        onToken: () => {
          if (session.tokenIds.length % 13 !== 0) return;
          const prefix = [...session.tokenIds];
          forks.push(
            (async () => {
              const fork = await session.fork();
              expect(fork.tokenIds).toEqual(prefix);
              const options = sampled(prefix.length, 8);
              expect(await fork.generate(options)).toEqual(await undisturbed(prefix, options));
            })(),
          );
        },
      });
      await Promise.all(forks);
      expect(forks).toHaveLength(4);
      expect(whole).toEqual(await undisturbed(hashPrompt(10), sampled(1, 50)));
      await policy.dispose();
    },
  );

  test("beyond its tokens is refused", async () => {
    const { policy, session } = await open(5);
    for (const at of [-1, 6, 1.5]) {
      expect(await codeOf(() => session.fork({ at }))).toBe("INVALID_ARGUMENT");
    }
    await policy.dispose();
  });
});

describe("group", () => {
  test("reads the prefix once, and its members sample together", async () => {
    const { policy, session, backends, read } = await open(40, { maxRows: 8 });
    const group = await session.group(6);
    expect(read()).toBe(39);
    const samples = await Promise.all(
      group.map((member, seed) => member.generate(sampled(seed, 10))),
    );
    expect(read()).toBe(39 + 60);
    expect(backends[0]?.runs.slice(-10)).toEqual(
      Array.from({ length: 10 }, () => Array(6).fill(1)),
    );
    for (const [seed, sample] of samples.entries()) {
      expect(sample).toEqual(await undisturbed(hashPrompt(40), sampled(seed, 10)));
    }
    expect(new Set(samples.map((sample) => sample.tokenIds.join())).size).toBe(6);
    await policy.dispose();
    expect(backends[0]?.memory()).toMatchObject({ adapters: 0, caches: 0, weights: 0 });
  });

  test("during generation continues from the current tokens", async () => {
    const { policy, session } = await open(10);
    const groups: Promise<readonly { tokenIds: readonly number[] }[]>[] = [];
    await session.generate({
      ...sampled(1, 20),
      onToken: () => {
        if (session.tokenIds.length === 15) groups.push(session.group(2));
      },
    });
    const members = (await Promise.all(groups)).flat();
    expect(members.map((member) => member.tokenIds)).toEqual([
      session.tokenIds.slice(0, 15),
      session.tokenIds.slice(0, 15),
    ]);
    await policy.dispose();
  });
});

describe("score, snapshot, restore", () => {
  test("score equals the record", async () => {
    const { policy, session, backends } = await open(30, { maxRunTokens: 20, maxRunScores: 7 });
    const sample = await session.generate(sampled(1, 20));
    const before = backends[0]?.runs.length ?? 0;
    const scores = await session.score({ sampling: FULL_SUPPORT });
    // Tokens that are only read use long runs, scored ones shorter runs, because logits take memory.
    expect(backends[0]?.runs[0]).toEqual([20]);
    expect(backends[0]?.runs.slice(before)).toEqual([...Array(7).fill([7])]);
    expect(scores.behaviorLogProbs.slice(30)).toEqual(sample.behaviorLogProbs);
    expect(scores.entropies.slice(30)).toEqual(sample.entropies);
    expect(scores.behaviorLogProbs[0]).toBe(0);
    await policy.dispose();
  });

  test("a restored session continues with the same tokens, under its adapter", async () => {
    const { policy, session } = await open(12);
    await policy.loadAdapter("mine", hashAdapter(4));
    session.activate("mine", { scale: 0.5 });
    await session.generate(sampled(1, 5));
    const snapshot = JSON.parse(JSON.stringify(session.snapshot()));
    const expected = await session.generate(sampled(2, 9));
    const restored = await policy.restore(snapshot);
    expect(await restored.generate(sampled(2, 9))).toEqual(expected);
    expect(await codeOf(() => policy.restore({ ...snapshot, policyVersion: 7 }))).toBe(
      "POLICY_VERSION_UNKNOWN",
    );
    expect(await codeOf(() => policy.restore({ ...snapshot, baseModel: "0" }))).toBe(
      "MODEL_UNSUPPORTED",
    );
    expect(await codeOf(() => policy.restore({ ...snapshot, adapterId: "other" }))).toBe(
      "INVALID_ARGUMENT",
    );
    await policy.dispose();
  });
});

describe("adapters", () => {
  test("sessions under several adapters sample concurrently, each as if alone", async () => {
    const { policy, backends } = await openHashPolicy();
    await policy.setAdapter(1, hashAdapter(1));
    await policy.loadAdapter("a", hashAdapter(2));
    await policy.loadAdapter("b", hashAdapter(3));
    const names = [null, "a", "b", "a", null];
    await Promise.all(
      names.map(async (name, seed) => {
        const session = await policy.createContext();
        session.append(hashPrompt(9, seed));
        session.activate(name);
        const sample = await session.generate(sampled(seed, 12));
        const adapter = hashAdapter(name === null ? 1 : name === "a" ? 2 : 3);
        const alone = await undisturbed(hashPrompt(9, seed), sampled(seed, 12), adapter);
        expect(sample.behaviorLogProbs).toEqual(alone.behaviorLogProbs);
        expect(sample.fingerprint).toContain(name === null ? "version 1" : `adapter ${name} x1`);
        session.dispose();
      }),
    );
    await policy.unloadAdapter("a");
    await policy.unloadAdapter("b");
    expect(backends[0]?.sessions).toBe(1);
    await policy.dispose();
  });

  test("activating an adapter or scale in mid-conversation reads everything again", async () => {
    const { policy, session, read } = await open(10);
    await session.generate(sampled(1, 5));
    await policy.loadAdapter("a", hashAdapter(2));
    const before = read();
    session.activate("a");
    const full = await session.generate(sampled(2, 5));
    expect(read() - before).toBe(19);
    const alone = await undisturbed(session.tokenIds.slice(0, 15), sampled(2, 5), hashAdapter(2));
    expect(full.rawLogProbs).toEqual(alone.rawLogProbs);
    const half = await session.fork({ at: 15 });
    half.activate("a", { scale: 0.5 });
    expect((await half.generate(sampled(2, 5))).rawLogProbs).not.toEqual(alone.rawLogProbs);
    session.activate(null);
    const base = await session.generate(sampled(3, 5));
    expect(base).toEqual(await undisturbed(session.tokenIds.slice(0, -5), sampled(3, 5)));
    await policy.dispose();
  });

  test("an unloaded adapter stays while a session uses it, and is freed afterwards", async () => {
    const { policy, session, backends } = await open(10);
    await policy.loadAdapter("a", hashAdapter(2));
    expect(await codeOf(() => policy.loadAdapter("a", hashAdapter(3)))).toBe("INVALID_ARGUMENT");
    session.activate("a");
    await policy.unloadAdapter("a");
    await session.generate(sampled(2, 5));
    const fork = await session.fork();
    session.dispose();
    expect(backends[0]?.sessions).toBe(2);
    fork.dispose();
    await policy.scheduler.operate(() => undefined);
    await policy.scheduler.operate(() => undefined);
    expect(backends[0]?.sessions).toBe(1);
    expect(await codeOf(() => policy.unloadAdapter("a"))).toBe("INVALID_ARGUMENT");
    await policy.dispose();
  });

  test("an incompatible adapter is refused and changes nothing", async () => {
    const { policy, session } = await open(10);
    expect(await codeOf(() => policy.setAdapter(1, hashAdapter(13)))).toBe("ADAPTER_INCOMPATIBLE");
    expect(await codeOf(() => policy.loadAdapter("x", hashAdapter(13)))).toBe(
      "ADAPTER_INCOMPATIBLE",
    );
    expect([policy.currentVersion, policy.liveVersions()]).toEqual([0, [0]]);
    expect(await codeOf(() => session.activate("x"))).toBe("INVALID_ARGUMENT");
    await policy.dispose();
  });
});

describe("aborts and disposal", () => {
  test("every call that takes time can be aborted, with the signal's reason", async () => {
    let onRun: (() => void) | null = null;
    const { policy, session } = await open(900, {
      maxRunTokens: 2,
      answersLater: true,
      failure: () => {
        onRun?.();
        return null;
      },
    });
    const reason = new Error("enough");
    /** An abort at the tenth run from now. */
    const soon = () => {
      const abort = new AbortController();
      let runs = 0;
      onRun = () => void (++runs === 10 && abort.abort(reason));
      return abort.signal;
    };
    const signal = AbortSignal.abort(reason);
    await expect(session.score({ sampling: FULL_SUPPORT, signal: soon() })).rejects.toBe(reason);
    await expect(session.group(2, { signal: soon() })).rejects.toBe(reason);
    await expect(session.fork({ signal })).rejects.toBe(reason);
    await expect(policy.restore(session.snapshot(), { signal })).rejects.toBe(reason);
    const many = policy.scoreMany([{ tokenIds: hashPrompt(900), sampling: FULL_SUPPORT }], {
      signal: soon(),
    });
    await expect(many).rejects.toBe(reason);
    const sample = await session.generate({ ...sampled(1, 8000), signal: soon() });
    expect(sample.stopReason).toBe("aborted");
    expect((await session.generate(sampled(1, 3))).stopReason).toBe("max-tokens");
    await policy.dispose();
  });

  test.each([false, true])(
    "disposing while generating, forking and scoring frees everything (answers later: %s)",
    async (answersLater) => {
      const { policy, session, backends } = await open(30, { answersLater, maxRunTokens: 4 });
      const other = await session.fork();
      const first = codeOf(() =>
        session.generate({
          ...sampled(1, 8000),
          onToken: () => {
            if (session.tokenIds.length === 50) session.dispose();
          },
        }),
      );
      const running = [
        codeOf(() => other.generate(sampled(1, 8000))),
        codeOf(() => session.fork()),
        codeOf(() => policy.score({ tokenIds: hashPrompt(900), sampling: FULL_SUPPORT })),
        codeOf(() => other.score({ sampling: FULL_SUPPORT })),
      ];
      expect(await first).toBe("DISPOSED");
      await policy.dispose();
      const codes = await Promise.all(running);
      expect(codes[0]).toBe("DISPOSED");
      for (const code of codes) expect(["DISPOSED", "nothing thrown"]).toContain(code);
      expect(backends[0]?.memory()).toEqual({ weights: 0, adapters: 0, caches: 0, scratch: 0 });
      expect(await codeOf(() => session.append([1]))).toBe("DISPOSED");
    },
  );

  test("a listener that throws only ends its own generation", async () => {
    const { policy, session } = await open(5);
    const other = await session.fork();
    const whole = other.generate(sampled(2, 20));
    const failed = session.generate({
      ...sampled(1, 20),
      onToken: () => {
        if (session.tokenIds.length === 9) throw new Error("mine");
      },
    });
    await expect(failed).rejects.toThrow("mine");
    expect(await whole).toEqual(await undisturbed(hashPrompt(5), sampled(2, 20)));
    const next = await session.generate(sampled(3, 4));
    expect(next).toEqual(await undisturbed(session.tokenIds.slice(0, 9), sampled(3, 4)));
    await policy.dispose();
  });
});
