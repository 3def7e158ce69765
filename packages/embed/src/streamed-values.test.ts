import { createRedactor } from "@waggle/collector";
import { type TurnState, visibleText } from "@waggle/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { openPage, say } from "./agent.fixture.ts";

test("shown text only grows and ends as the restored text, wherever a placeholder is split", () => {
  const redactor = createRedactor();
  redactor.redact("ada@example.org, +49 170 1234567");
  const shownOf = (text: string, state: TurnState) =>
    String(redactor.restore(visibleText(text, state).text));
  const word = fc.constantFrom(
    "[EMAIL_1]",
    "[PHONE_1]",
    "[EMAIL_2]",
    "[",
    "]",
    "EMAIL_1",
    " ",
    "a",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const text = words.join("");
      let shown = "";
      for (let length = 0; length <= text.length; length += 1) {
        const next = shownOf(text.slice(0, length), "going");
        expect(next.startsWith(shown)).toBe(true);
        shown = next;
      }
      for (const state of ["ended", "cut"] as const) {
        expect(shownOf(text, state).startsWith(shown)).toBe(true);
      }
    }),
  );
});

fault(
  "text-delta events carry the visitor's values, as the final text does",
  { item: "3.4", before: "2 of 2 values were streamed as placeholders such as [EMAIL_1]" },
  async () => {
    const values = ["ada@example.org", "+49 170 1234567"];
    // The byte tokenizer of this page emits one piece per character.
    const { agent } = openPage({ turns: [say("I write to [EMAIL_1] or call [PHONE_1].")] });
    const run = agent.send(`I am ${values.join(", ")}`);
    let streamed = "";
    for await (const event of run) if (event.type === "text-delta") streamed += event.text;
    expect(streamed).toBe("I write to ada@example.org or call +49 170 1234567.");
    expect(streamed).toBe((await run.finished).text);
    await agent.dispose();
    return { after: `${values.filter((value) => streamed.includes(value)).length} of 2 values` };
  },
);

test("text that was held back is emitted before the turn ends", async () => {
  const { agent } = openPage({ turns: [say("Choose [A")] });
  const events = [];
  for await (const event of agent.send("Hi")) events.push(event);
  const text = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  expect(text).toBe("Choose [A");
  expect(events.findLastIndex(({ type }) => type === "text-delta")).toBeLessThan(
    events.findIndex(({ type }) => type === "turn-end"),
  );
  await agent.dispose();
});
