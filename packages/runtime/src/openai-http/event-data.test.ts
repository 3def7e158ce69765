import fc from "fast-check";
import { expect, test } from "vitest";
import { EventDataStream } from "./event-data.ts";

async function eventsOf(pieces: readonly string[]): Promise<string[]> {
  const source = new ReadableStream<string>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const event of source.pipeThrough(new EventDataStream())) events.push(event);
  return events;
}

test("events are parsed with any line ends, wherever the text is split", async () => {
  const stream = (end: string) =>
    [
      ": hello",
      "event: x",
      "data: {a}",
      "",
      "data:one",
      "data:  two",
      "id",
      "",
      "",
      "data: cut",
    ].join(end);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.nat(60), { maxLength: 6 }),
      async (end, cuts) => {
        const text = stream(end);
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((to, i) => text.slice(at[i], to));
        expect(await eventsOf(pieces)).toEqual(["{a}", "one\n two"]);
      },
    ),
  );
});
