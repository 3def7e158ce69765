import { expect, test } from "vitest";
import type { SimulateOptions } from "../agent.ts";
import { h } from "../dom.ts";
import { createFakeAgent, type FakeAgent } from "../element/fake-agent.fixture.ts";
import { NO_SIMULATION } from "../no-simulation.ts";
import { connectPractice } from "./practice-switch.ts";

/** A switch of a fake agent whose simulations the test ends. */
function practice(agent: FakeAgent) {
  const button = h("button", { role: "switch" });
  const [note, figures] = [h("p"), h("dl")];
  const asked: SimulateOptions[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const set = (simulation: typeof NO_SIMULATION): void => {
    Object.assign(agent, { simulation });
    agent.setStatus({});
  };
  agent.simulate = (options) => {
    asked.push(options);
    set({ ...NO_SIMULATION, running: true, assigned: 3 });
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        set({ ...NO_SIMULATION, assigned: 3 });
        if (error === undefined) resolve(agent.simulation);
        else reject(error);
      };
      ends.push(end);
      options.signal?.addEventListener("abort", () => end());
    });
  };
  const errors: unknown[] = [];
  const start = connectPractice(agent, {
    button,
    note,
    figures,
    environment: () => Promise.reject(new Error("unused")),
    otherModel: "Another model.",
    working: "practicing",
    onError: (error) => errors.push(error),
  });
  return { button, note, figures, asked, ends, errors, start };
}

test("the switch needs consent and a loaded model, and says so", () => {
  const agent = createFakeAgent();
  const { button, note } = practice(agent);
  expect([button.disabled, note.textContent]).toEqual([
    true,
    expect.stringMatching(/needs your consent first/),
  ]);
  agent.consent.grant();
  expect([button.disabled, note.textContent]).toEqual([false, ""]);
  agent.setStatus({ phase: "loading" });
  expect([button.disabled, note.textContent]).toEqual([true, "The model is loading."]);
  agent.setStatus({ phase: "error" });
  expect([button.disabled, note.textContent]).toEqual([true, "The model could not be loaded."]);
  Object.assign(agent, { model: { kind: "chat" } });
  agent.setStatus({ phase: "ready" });
  expect([button.disabled, note.textContent]).toEqual([true, "Another model."]);
});

test("a click starts tasks without end, and a second click stops them", () => {
  const agent = createFakeAgent();
  agent.consent.grant();
  const { button, figures, asked } = practice(agent);
  expect(figures.textContent).toBe("");
  button.click();
  expect(asked.map(({ tasks }) => tasks)).toEqual([Infinity]);
  expect(button.getAttribute("aria-checked")).toBe("true");
  expect(figures.textContent).toContain("nowpracticingtasks assigned3");
  button.click();
  expect(button.getAttribute("aria-checked")).toBe("false");
  expect(figures.textContent).toContain("nowstopped");
});

test("what ended a practice is shown until the next one starts", async () => {
  const agent = createFakeAgent();
  agent.consent.grant();
  const { note, ends, errors, start } = practice(agent);
  start(8);
  ends[0]?.(new Error("no such task"));
  await expect.poll(() => note.textContent).toBe("The practice ended: no such task");
  expect(errors).toHaveLength(1);
  start(8);
  expect(note.textContent).toBe("");
});
