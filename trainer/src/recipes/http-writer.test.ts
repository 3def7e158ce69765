/** The HTTP writer against a recorded server, and its errors when the server fails. */
import { recipeNamed } from "@waggle/learning";
import { semanticAdvantage } from "../../../packages/learning/src/advantages/semantic-comparison.ts";
import {
  editExperiences,
  experienceLibrary,
  experienceText,
} from "../../../packages/learning/src/states/experience-library.ts";
import { expect, test } from "vitest";
import { createHttpWriter, judgeBy } from "./http-writer.ts";
import { recordedServer } from "./recorded-fetch.fixture.ts";
import { writerPorts } from "../options/writer-options.ts";

const RECORDED = new URL("recorded-writer.fixture.json", import.meta.url);
const { signal } = new AbortController();
const writerOver = (fetch: typeof globalThis.fetch) =>
  createHttpWriter({
    baseUrl: "http://writer.example/v1",
    model: "recorded",
    fetch,
    retries: 1,
    sleep: async () => undefined,
  });

const GROUP = {
  request: "Which town is the baker of Ada's brother from?",
  transcripts: [
    'find({"name":"Ada"})\n= {"brother":"Tom"}\nfind({"name":"Tom"})\n= {"baker":"Lea"}\nLea is from Ulm',
    'find({"name":"Ada"})\n= {"brother":"Tom"}\nTom is from Rom',
  ],
  rewards: [1, 0],
};

test("a recorded writer compares a group, and its edits form a library", async () => {
  const server = recordedServer(RECORDED);
  const writer = writerOver(server.fetch);
  const { edits, reason } = await semanticAdvantage(writer, GROUP, [], signal);
  expect(reason).toBeNull();
  const { library, refused } = editExperiences(experienceLibrary(), edits);
  expect(refused).toEqual([]);
  expect(experienceText(library)).toBe(
    "- Follow every relation with a call of its own before you answer.",
  );
  expect(server.served()).toBe(1);
});

test("a recorded judge answers with a number, and the rubric is part of its prompt", async () => {
  const judge = judgeBy(writerOver(recordedServer(RECORDED).fetch));
  const [good = ""] = GROUP.transcripts;
  const input = { request: GROUP.request, transcript: good };
  await expect(judge.reward(input, signal)).resolves.toBe(0.9);
  await expect(judge.reward({ ...input, rubric: "- Count calls." }, signal)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});

test("a request that was not recorded is refused", async () => {
  const { fetch } = recordedServer(RECORDED);
  await expect(writerOver(fetch).write("Something else", signal)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("not recorded"),
  });
});

test("a busy server is retried, and a timeout is a retryable failure", async () => {
  const { fetch } = recordedServer(RECORDED);
  let calls = 0;
  const busyOnce: typeof fetch = async (...args) => {
    calls += 1;
    return calls === 1 ? new Response("busy", { status: 503 }) : fetch(...args);
  };
  const { reason } = await semanticAdvantage(writerOver(busyOnce), GROUP, [], signal);
  expect([reason, calls]).toEqual([null, 2]);
  const down: typeof fetch = async () => {
    throw new TypeError("fetch failed");
  };
  await expect(writerOver(down).write("Hello", signal)).rejects.toMatchObject({
    code: "NETWORK",
    retryable: true,
  });
});

test("a judge that answers without a number gives no reward", async () => {
  const judge = judgeBy({ write: async () => "I like it." });
  await expect(judge.reward({ request: "", transcript: "" }, signal)).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
  });
});

test.each(["training-free-grpo", "adas", "inspo", "evolver"])(
  "without a writer, %s is refused with the option that names one",
  (name) => {
    expect(() => writerPorts(recipeNamed(name)(), {})).toThrow(
      expect.objectContaining({
        code: "CAPABILITY_MISSING",
        message: expect.stringContaining("--writer <url"),
      }),
    );
    const writer = "http://127.0.0.1:1/v1";
    expect(writerPorts(recipeNamed(name)(), { writer })).toHaveProperty("writer");
  },
);

test.each(["agent-fly", "fama", "slea-rl"])("%s needs no writer", (name) => {
  expect(writerPorts(recipeNamed(name)(), {})).toEqual({});
});
