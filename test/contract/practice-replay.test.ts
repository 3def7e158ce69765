/** What the agent of a page reports about practice tasks holds in the trainer's replay. */
import "fake-indexeddb/auto";
import { defineEnvironment } from "@waggle/agent/define";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { openPage, say, until } from "../../packages/embed/src/agent.fixture.ts";
import { createReplay } from "../../trainer/src/check/replay.ts";

const MAILS = ["ann@example.org", "bo@example.org", "cy@example.org", "di@example.org"] as const;

/** Its requests, its results and its answers contain what looks like personal data. */
const contacts = defineEnvironment({
  name: "test",
  prompt: "You know who can be called. Ask ann@example.org about the rest.",
  splits: "own",
  tasks: ({ pick }) => {
    const mail = pick(MAILS);
    return {
      request: `Which number has ${mail}? Her card is 4111 1111 1111 1111.`,
      state: { numbers: Object.fromEntries(MAILS.map((one, i) => [one, `+49 170 123456${i}`])) },
      data: { answer: `+49 170 123456${MAILS.indexOf(mail)}` },
    };
  },
  tools: {
    number: {
      description: "Phone number of an e-mail address.",
      parameters: {
        type: "object",
        properties: { mail: { type: "string" } },
        required: ["mail"],
        additionalProperties: false,
      },
      run: ({ mail }, { numbers }) => numbers[mail] ?? null,
    },
  },
  verify: ({ text, data }) => text === data.answer,
});

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const { vocabularySize } = tokenizer;

/** The uploads of a page after one practice task and one request of its visitor. */
async function uploads() {
  const { request } = contacts.task(contacts.reference(1, "train", 0));
  const mail = MAILS.find((one) => request.includes(one)) ?? "";
  const answer = `+49 170 123456${(MAILS as readonly string[]).indexOf(mail)}`;
  const { agent, edge } = openPage({
    turns: [say("", { name: "number", arguments: { mail } }), say(answer), say("I do.")],
    redactionRules: [{ type: "NAME", pattern: /number/ }],
  });
  agent.consent.grant();
  await agent.simulate({ environment: (given) => contacts.create(given).environment, tasks: 1 });
  await agent.send(`Do you know the number of ${mail}?`).finished;
  await until(agent, () => edge.trajectories.length === 2);
  await agent.dispose();
  const ofTask = edge.trajectories.find(({ task }) => task !== null);
  const ofVisitor = edge.trajectories.find(({ task }) => task === null);
  if (ofTask === undefined || ofVisitor === undefined) throw new Error("an upload is missing");
  return { mail, ofTask, ofVisitor };
}

test("a practice task with e-mail addresses and numbers is replayed and judged by its own words", async () => {
  const { ofTask } = await uploads();
  const environments = [contacts];
  const replay = createReplay({ format, contextLength: 4096, vocabularySize, environments });
  expect(await replay(ofTask)).toMatchObject({ holds: true, verification: { success: true } });
});

test("a visitor's own request is redacted on the same page", async () => {
  const { mail, ofVisitor } = await uploads();
  const words = tokenizer.decode(ofVisitor.segments.flatMap(({ tokenIds }) => [...tokenIds]));
  expect(words).toContain("Do you know the [NAME_1] of [EMAIL_1]?");
  expect(words).not.toContain(mail);
});
