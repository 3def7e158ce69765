import { defineEnvironment } from "@waggle/agent/define";
import { expect, test } from "vitest";
import { checkRedaction } from "./redaction-check.ts";

const RULES = [{ type: "SUBSCRIBER", pattern: /\bHL-\d{5}\b/ }];

function finding(request: (number: number) => string, redaction = RULES) {
  const spec = defineEnvironment({
    name: "boxes",
    prompt: "You help subscribers.",
    tasks: ({ random }) => {
      const number = Math.floor(random() * 1000);
      return { request: request(number), state: {}, data: { number } };
    },
    tools: {},
    verify: ({ text }) => text === "done",
  });
  const site = { definition: { redaction } } as unknown as Parameters<typeof checkRedaction>[0];
  return checkRedaction(site, spec, 20);
}

test("requests in the form of the page pass: plain, with a built-in placeholder, with the site's own", () => {
  for (const text of ["skip week", "write to [EMAIL_1], week", "I am [SUBSCRIBER_1], skip week"]) {
    expect(finding((number) => `${text} ${number}`)).toMatchObject({
      status: "passed",
      words: "40 requests have the form that the model reads in the page",
    });
  }
});

test("a placeholder that no rule makes is refused with the types that there are", () => {
  const { status, words, task } = finding((number) => `I am [MEMBER_1], skip ${number}`);
  expect(status).toBe("failed");
  expect(words).toMatch(
    /^the request "I am \[MEMBER_1\], skip \d+" at seed 0, train, level 0 has /,
  );
  expect(words).toContain("[MEMBER_1], and no rule of redaction makes it; add a rule of the type");
  expect(words).toMatch(/, such as SUBSCRIBER$/);
  expect(task).toEqual({ environment: "boxes", seed: 0, split: "train" });
  // Without its rule, the site's own placeholder is unknown too.
  expect(finding((number) => `I am [SUBSCRIBER_1], skip ${number}`, []).status).toBe("failed");
});

test("text that the page replaces is refused with what the model would read", () => {
  const own = finding((number) => `HL-20417 skips week ${number}`);
  expect(own.words).toMatch(/ to "\[SUBSCRIBER_1\] skips week \d+" before the model reads it/);
  const builtIn = finding((number) => `send it to eve${number}@mail.org`);
  expect(builtIn.words).toContain(' to "send it to [EMAIL_1]"');
  expect(builtIn.status).toBe("failed");
});

test("a text in a late task is found", () => {
  const rare = (number: number) => (number % 10 === 3 ? "call +44 20 7946 0958" : `week ${number}`);
  expect(finding(rare).status).toBe("failed");
});
