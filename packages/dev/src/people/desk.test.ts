/** Visitors who come to a desk one after another, with pages that answer nothing right. */
import { environmentNamed } from "@waggle/environments";
import { expect, test } from "vitest";
import { Desk, type DeskOptions } from "./desk.ts";
import type { VisitorPage } from "./visitor-page.ts";

const spec = environmentNamed("bandit");

/** A desk whose pages send one upload for each message. @param faulty - the numbers of messages that get no answer */
function deskOf(faulty: (nth: number) => boolean, until: number) {
  const log: string[] = [];
  let [nth, messages, sent] = [0, 0, 0];
  const arrive = (how: string): void => {
    nth += 1;
    sent = 0;
    log.push(`${how} ${nth}`);
  };
  const open = async () => {
    arrive("open");
    return {
      startOver: async () => undefined,
      ask: async () => {
        if ((messages += 1) >= until) desk.stop();
        if (faulty(messages)) throw new Error(`lost ${messages}`);
        sent += 1;
        return "nothing";
      },
      press: async () => undefined,
      trajectoryId: async () => `trajectory-${messages}`,
      sent: async () => void log.push(`sent ${nth}`),
      reopen: async () => arrive("reopen"),
      status: async () => ({
        outbox: { sent },
        versions: [{ version: nth - 1, at: nth }],
        errors: [],
      }),
    } as unknown as VisitorPage;
  };
  const options: DeskOptions = {
    people: { signal: "thumb", answering: 1, wrong: 0, seed: 3 },
    backend: {
      begin: async () => undefined,
      calls: async () => [],
      tell: async () => undefined,
    },
    spec,
    open,
  };
  const desk = new Desk(options);
  return { desk, log };
}

test("after ten wishes a new visitor comes, whose predecessor has sent everything, and counts go on", async () => {
  const { desk, log } = deskOf(() => false, 24);
  expect(await desk.status()).toBeNull();
  await desk.run();
  expect(log).toEqual(["open 1", "sent 1", "reopen 2", "sent 2", "reopen 3", "sent 3"]);
  const status = await desk.status();
  expect(status).toMatchObject({
    outbox: { sent: 24 },
    people: { requests: 24, good: 0, failed: 0 },
    simulating: false,
    errors: [],
  });
  expect(status?.versions.map(({ version }) => version)).toEqual([0, 1, 2]);
  expect(desk.reactions).toHaveLength(status?.people.answered ?? -1);
});

test("a failure costs one person, and three in a row end the desk with the error", async () => {
  const going = deskOf((nth) => nth % 3 !== 0, 9);
  await going.desk.run();
  expect((await going.desk.status())?.people).toMatchObject({ requests: 9, failed: 6 });
  const ended = deskOf(() => true, 100);
  await ended.desk.run();
  expect(await ended.desk.status()).toMatchObject({
    people: { requests: 3, answered: 0, failed: 3 },
    errors: ["Error: lost 3"],
    simulating: false,
  });
});
