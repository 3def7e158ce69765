/** A call that changes something is confirmed if the model is unsure of it. */
import "fake-indexeddb/auto";
import { createToolEnvironment } from "@waggle/agent";
import type { PageTool } from "@waggle/agent/tools";
import type { Tool } from "@waggle/protocol";
import { expect, test } from "vitest";
import { openPage, say, until } from "./agent.fixture.ts";
import type { PageOptions } from "./agent.fixture.ts";
import { Confirmations } from "./confirmations.ts";
import { calibrationOf } from "./model/model-calibration.ts";
import { toRemoteTools } from "./page-tool.ts";

const UNSURE = [[0, 0.4]] as const;
const SURE = [[0, 0.6]] as const;
const never = new AbortController().signal;

const add = (cart: unknown[], more: Partial<PageTool> = {}): PageTool => ({
  name: "add",
  description: "Put a product into the cart.",
  parameters: { type: "object", properties: { id: { type: "string" } } },
  label: ({ id }) => `Putting ${String(id)} into the cart`,
  changes: true,
  run: ({ id }) => cart.push(id),
  ...more,
});

const turns = (): number[][] => [say("", { name: "add", arguments: { id: "mug" } }), say("Done.")];

/** What the visitor is asked during one request, and the cart after it. The visitor gives the same answer each time. */
async function played(
  options: PageOptions & { readonly tool?: Partial<PageTool>; readonly answer?: boolean },
): Promise<{ readonly asked: readonly string[]; readonly cart: readonly unknown[] }> {
  const { tool, answer = true, ...pageOptions } = options;
  const cart: unknown[] = [];
  const { agent } = openPage({ tools: [add(cart, tool)], turns: turns(), ...pageOptions });
  const asked: string[] = [];
  agent.onChange(() => {
    if (agent.confirmation === null) return;
    asked.push(agent.confirmation.question);
    agent.confirmation.answer(answer);
  });
  expect(await agent.send("a mug").finished).toMatchObject({ text: "Done." });
  await agent.dispose();
  return { asked, cart };
}

const QUESTION = "Is this what you want? Putting mug into the cart";

test("an unsure call waits for the visitor, and a refused one does not run", async () => {
  expect(await played({ calibration: UNSURE })).toEqual({ asked: [QUESTION], cart: ["mug"] });
  expect(await played({ calibration: UNSURE, answer: false })).toEqual({
    asked: [QUESTION],
    cart: [],
  });
});

test("a sure call, a model without a calibration and a tool that only reads ask nothing", async () => {
  const unasked = { asked: [], cart: ["mug"] };
  expect(await played({ calibration: SURE, answer: false })).toEqual(unasked);
  expect(await played({ answer: false })).toEqual(unasked);
  const reads = { changes: false };
  expect(await played({ calibration: UNSURE, tool: reads, answer: false })).toEqual(unasked);
  const never = { confirm: false };
  expect(await played({ calibration: UNSURE, tool: never, answer: false })).toEqual(unasked);
});

test("confirmBelow moves the limit: 0 never asks, 1 always", async () => {
  const impossible = [[0, 0]] as const;
  expect((await played({ calibration: impossible, confirmBelow: 0 })).asked).toEqual([]);
  const certain = [[0, 1]] as const;
  expect((await played({ calibration: certain, confirmBelow: 1 })).asked).toEqual([QUESTION]);
  expect((await played({ calibration: SURE, confirmBelow: 0.7 })).asked).toEqual([QUESTION]);
  expect(() => openPage({ confirmBelow: 1.5 })).toThrow(
    "confirmBelow is 1.5; use a probability from 0 (never ask) to 1 (always ask)",
  );
});

test("confirm: true asks however sure the model is; a site may translate the question", async () => {
  const label = "Putting mug into the cart";
  expect((await played({ calibration: SURE, tool: { confirm: true } })).asked).toEqual([label]);
  const texts = { unsure: (one: string) => `Sicher? ${one}` };
  expect((await played({ calibration: UNSURE, texts })).asked).toEqual([`Sicher? ${label}`]);
  const reads = { changes: false, confirm: "unsure" } as const;
  expect((await played({ calibration: UNSURE, tool: reads })).asked).toEqual([QUESTION]);
});

test("simulated visitors are never asked, and their records are what the policy did", async () => {
  const cart: unknown[] = [];
  const { agent, edge } = openPage({
    tools: [add([])],
    turns: turns(),
    calibration: UNSURE,
    confirmBelow: 1,
  });
  const questions: unknown[] = [];
  agent.onChange(() => {
    if (agent.confirmation !== null) questions.push(agent.confirmation);
  });
  agent.consent.grant();
  const { description, parameters } = add([]);
  const tool: Tool = {
    definition: { name: "add", description, parameters: { ...parameters }, source: "page" },
    changes: true,
    run: async ({ id }) => cart.push(id),
  };
  await agent.simulate({
    environment: (task) => ({
      ...createToolEnvironment({ system: "", tools: [tool], userMessage: "a mug" }),
      task,
    }),
    tasks: 1,
  });
  await until(agent, () => agent.simulation.uploaded === 1);
  expect(questions).toEqual([]);
  expect(cart).toEqual(["mug"]);
  expect(edge.trajectories[0]?.turns[0]?.toolResults).toMatchObject([{ ok: true }]);
  await agent.dispose();
});

test("a server's tool that changes something is asked about by its title", async () => {
  const asked: string[] = [];
  const confirmations: Confirmations = new Confirmations(() => {
    if (confirmations.pending === null) return;
    asked.push(confirmations.pending.question);
    confirmations.pending.answer(false);
  });
  const remote: Tool = {
    definition: { name: "order", description: "", parameters: { type: "object" }, source: "edge" },
    title: "Order now",
    run: () => Promise.resolve(1),
  };
  const [reads, tool] = toRemoteTools([remote, { ...remote, changes: true }], confirmations);
  expect(reads).toBe(remote);
  expect(await tool?.allows?.({}, never, 0.6)).toBe(true);
  expect(await tool?.allows?.({}, never, null)).toBe(true);
  expect(await tool?.allows?.({}, never, 0.4)).toBe(false);
  expect(asked).toEqual(["Is this what you want? Order now"]);
});

test("a model's own calibration counts; a missing one is none, and a broken one is an error", () => {
  const model = (text: string | null) =>
    new Map(text === null ? [] : [["calibration.json", new TextEncoder().encode(text)]]);
  const stored = { map: [[0, 0.1]], calls: [[0, 0.9]] };
  expect(calibrationOf(model(JSON.stringify(stored)))).toEqual(stored.calls);
  expect(calibrationOf(model(null))).toBeNull();
  expect(() => calibrationOf(model("{}"))).toThrow(
    'calibration.json of the model has no list "map" of pairs of numbers',
  );
});
