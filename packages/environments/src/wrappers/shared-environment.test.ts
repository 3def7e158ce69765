import { expect, test } from "vitest";
import { FORM } from "../form.ts";
import { call, scripted, signal, turn } from "./scripted-environment.fixture.ts";
import { SharedEnvironment } from "./shared-environment.ts";

test("all roles act before any of them sees a result, in the order of the roles", async () => {
  const inner = scripted();
  const shared = new SharedEnvironment(inner, ["a", "b"]);
  const [a, b] = [shared.view("a").environment, shared.view("b").environment];
  expect(await a.observe()).toBe(await b.observe());
  expect(a.task).toEqual(inner.environment.task);
  const second = b.step({ text: "", toolCalls: [call("look", {}, "b0")] }, signal);
  await Promise.resolve();
  expect(inner.seen).toEqual([]);
  const first = a.step({ text: "", toolCalls: [call("look", {}, "a0")] }, signal);
  expect(await first).toMatchObject({ toolResults: [{ callId: "a0", ok: true }] });
  expect(await second).toMatchObject({ toolResults: [{ callId: "b0", ok: true }] });
  expect(inner.seen.map(({ toolCalls }) => toolCalls[0]?.id)).toEqual(["a0", "b0"]);
  expect(shared.callers).toEqual(["a", "b"]);
});

test("text ends a role's own part, and does not reach the environment", async () => {
  const inner = scripted();
  const shared = new SharedEnvironment(inner, ["a", "b"]);
  const done = shared.view("a").environment.step(turn("done"), signal);
  const acting = shared.view("b").environment.step(turn("", "look"), signal);
  expect(await done).toEqual({ toolResults: [], terminated: true });
  expect(await acting).toMatchObject({ terminated: false });
  expect(inner.seen).toHaveLength(1);
  expect(shared.callers).toEqual(["b"]);
});

test("nobody waits for a role that has left", async () => {
  const shared = new SharedEnvironment(scripted(), ["a", "b"]);
  const waiting = shared.view("a").environment.step(turn("", "look"), signal);
  shared.leave("b");
  expect(await waiting).toMatchObject({ toolResults: [{ ok: true }] });
  expect(await shared.view("a").environment.step(turn("", "look"), signal)).toMatchObject({
    terminated: false,
  });
});

test("once the task has ended, later calls fail and do not reach the environment", async () => {
  const inner = scripted();
  const shared = new SharedEnvironment(inner, ["a", "b"]);
  const ending = shared.view("a").environment.step(turn("", "end"), signal);
  const late = shared.view("b").environment.step(turn("", "look", "look"), signal);
  expect(await ending).toMatchObject({ terminated: true });
  expect(await late).toEqual({
    toolResults: ["c0", "c1"].map((callId) => ({
      callId,
      ok: false,
      error: { code: "TOOL_FAILED", message: "the task has ended" },
    })),
    terminated: true,
  });
  expect(inner.seen).toHaveLength(1);
  expect(shared.callers).toEqual(["a"]);
});

test("a fault of the environment reaches the role that acted, and the others go on", async () => {
  const inner = scripted();
  const shared = new SharedEnvironment(
    {
      ...inner,
      environment: {
        ...inner.environment,
        step: (action, aborted) =>
          action.text === "bad"
            ? Promise.reject(new Error("it broke"))
            : inner.environment.step(action, aborted),
      },
    },
    ["a", "b"],
  );
  const faulty = shared.view("a").environment.step(turn("bad", "look"), signal);
  const fine = shared.view("b").environment.step(turn("", "look"), signal);
  await expect(faulty).rejects.toThrow("it broke");
  expect(await fine).toMatchObject({ toolResults: [{ ok: true }] });
});

test("roles that share an environment act in rounds and see a round's results when all have acted", async () => {
  const shared = new SharedEnvironment(FORM.create(FORM.reference(3, "train", 0)), ["one", "two"]);
  const [one, two] = [shared.view("one"), shared.view("two")];
  await one.environment.observe();
  await two.environment.observe();
  let heard = 0;
  const first = one.environment
    .step({ text: "", toolCalls: [call("set", { field: "day", value: "monday" }, "one")] }, signal)
    .then((observation) => {
      heard += 1;
      return observation;
    });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(heard).toBe(0);
  const second = await two.environment.step(
    { text: "", toolCalls: [call("send", {}, "two")] },
    signal,
  );
  expect(second.terminated).toBe(true);
  expect((await first).toolResults[0]?.ok).toBe(true);
  // The form is already sent, so a late call fails. A role that left is not waited for.
  shared.leave("two");
  const late = await one.environment.step(
    { text: "", toolCalls: [call("set", { field: "day", value: "friday" }, "late")] },
    signal,
  );
  expect(late).toMatchObject({ terminated: true, toolResults: [{ ok: false }] });
  expect(shared.callers).toEqual(["one", "two"]);
});
