/** What visitors read and decide in the panel. */
import { afterEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { WAITING_FOR_POLICY } from "../first-policy.ts";
import { answer, open, textOf } from "./open-panel.fixture.ts";
import { DEFAULT_TEXTS } from "./panel-texts.ts";

afterEach(() => document.body.replaceChildren());

test("a visitor reads what a tool does, without names, arguments, versions or the back end", async () => {
  const { agent, root, input, settled } = await open();
  await userEvent.type(input, "wool hat{Enter}");
  await settled();
  agent.stop();
  await settled();
  await settled();
  expect(textOf(root, ".tool .name")).toBe("Searching");
  const shown = root.querySelector(".panel")?.textContent ?? "";
  for (const word of ["policy", "wasm", "query", '"id"']) expect(shown).not.toContain(word);
  expect(root.querySelector("pre, footer")).toBeNull();
});

test("thumbs say what became of them, with consent and without", async () => {
  const { agent, root, control, settled } = await open();
  agent.setConversation([answer({})]);
  await settled();
  control("Bad answer")?.click();
  const said = () => textOf(root, ".actions [role=status]");
  await expect.poll(said).toContain("you have not agreed");
  agent.consent.grant();
  control("Good answer")?.click();
  await expect.poll(said).toBe("Thanks. The site gets this with the answer.");
});

test("a conversation that the tab kept shows its thumb as pressed, with its sentence", async () => {
  const { agent, root, control, settled } = await open();
  agent.setConversation([answer({ feedback: "thumb-up", feedbackOutcome: "queued" })]);
  await settled();
  expect(control("Good answer")?.getAttribute("aria-pressed")).toBe("true");
  expect(control("Bad answer")?.getAttribute("aria-pressed")).toBe("false");
  expect(textOf(root, ".actions [role=status]")).toBe(
    "Thanks. The site gets this with the answer.",
  );
  expect(agent.asked).toEqual([]);
});

test("the undecided consent question leaves room for answers, and its text can be unfolded", async () => {
  const { agent, root, settled } = await open();
  const log = root.querySelector(".log") as HTMLElement;
  expect(log.offsetHeight).toBeGreaterThan(250);
  const details = root.querySelector(".consent details") as HTMLDetailsElement;
  const text = details.querySelector("p") as HTMLElement;
  expect(text.checkVisibility({ contentVisibilityAuto: true })).toBe(false);
  details.open = true;
  agent.setConversation([answer({ parts: [{ kind: "text", text: "Hello" }] })]);
  await settled();
  expect(details.open).toBe(true);
  expect(text.offsetHeight).toBeGreaterThan(0);
  expect(log.offsetHeight).toBeGreaterThan(80);
});

test.each([600, 352])(
  "a short consent text is shown in a panel of %d px, with room for answers",
  async (height) => {
    const { agent, root, control, settled } = await open();
    const host = root.host as HTMLElementTagNameMap["waggle-agent"];
    host.style.height = `${height}px`;
    const text = "The desk keeps what you ask for 30 days. ".repeat(7);
    host.texts = { consentBody: text };
    agent.setConversation([answer({ parts: [{ kind: "text", text: "Hello" }] })]);
    await settled();
    expect(root.querySelector(".consent details")).toBeNull();
    const shown = root.querySelector(".consent > p") as HTMLElement;
    expect(shown.textContent).toBe(text);
    expect(shown.checkVisibility()).toBe(true);
    expect(shown.offsetHeight).toBeGreaterThanOrEqual(20);
    const [log, form, accept] = [".log", "form", ".consent .primary"].map((selector) =>
      (root.querySelector(selector) as HTMLElement).getBoundingClientRect(),
    ) as [DOMRect, DOMRect, DOMRect];
    expect(log.height).toBeGreaterThan(height / 6);
    expect(accept.bottom).toBeLessThan(form.top);
    expect(form.bottom).toBeLessThanOrEqual(host.getBoundingClientRect().bottom);
    control("Agree")?.click();
    await settled();
    expect(shown.checkVisibility()).toBe(false);
  },
);

test("an answer that repeats itself says so, and whether the assistant has practiced", async () => {
  const { agent, root, settled } = await open();
  agent.setConversation([answer({ stopReason: "guard-stopped" })]);
  await settled();
  expect(textOf(root, ".note")).toBe(DEFAULT_TEXTS.repeated);
  agent.setConversation([answer({ stopReason: "guard-stopped", policyVersion: 0 })]);
  await settled();
  expect(textOf(root, ".note")).toBe(DEFAULT_TEXTS.repeatedUntrained);
});

test("a question of a tool is shown with the focus on declining", async () => {
  const { agent, root, control, settled } = await open();
  const given: boolean[] = [];
  agent.setConfirmation({
    id: "q1",
    toolName: "pay",
    question: "Pay <b>20</b> euros?",
    answer: (isAllowed) => {
      given.push(isAllowed);
      agent.setConfirmation(null);
    },
  });
  await settled();
  expect(textOf(root, ".question p")).toBe("Pay <b>20</b> euros?");
  expect(root.activeElement?.textContent).toBe("Don't allow");
  control("Allow")?.click();
  await settled();
  expect(given).toEqual([true]);
  expect(control("Allow")).toBeNull();
});

test("a launcher opens the panel, moves the focus into it, and Escape closes it", async () => {
  const { root, control, settled, input } = await open(["launcher"]);
  expect(input.checkVisibility()).toBe(false);
  control("Ask the assistant")?.click();
  await settled();
  expect(root.activeElement).toBe(input);
  expect(control("Ask the assistant")).toBeNull();
  await userEvent.keyboard("{Escape}");
  expect(input.checkVisibility()).toBe(false);
  expect(root.activeElement?.textContent).toBe("Ask the assistant");
  control("Ask the assistant")?.click();
  control("Close the assistant")?.click();
  expect(input.checkVisibility()).toBe(false);
});

test("the panel is styled without a style element", async () => {
  const { root } = await open();
  expect(root.querySelector("style")).toBeNull();
  expect(getComputedStyle(root.querySelector(".panel") as HTMLElement).display).toBe("flex");
});

test("a page that waits for the site's first policy says so", async () => {
  const { agent, root, settled } = await open();
  agent.setStatus({ phase: "loading", totalBytes: null, detail: WAITING_FOR_POLICY });
  await settled();
  expect(textOf(root, ".state")).toBe("being prepared by the site");
});

test("a request that is entered while the model loads is sent once it is ready", async () => {
  const { agent, root, settled, input } = await open();
  agent.setStatus({ phase: "loading", totalBytes: 10, loadedBytes: 3 });
  await settled();
  input.focus();
  await userEvent.keyboard("two red mugs{Enter}");
  await settled();
  expect(agent.asked).toEqual([]);
  expect(input.value).toBe("two red mugs");
  expect(textOf(root, ".notice")).toContain("sent as soon as the assistant is ready");
  agent.setStatus({ phase: "ready" });
  await settled();
  expect(agent.asked).toEqual(["two red mugs"]);
  expect(input.value).toBe("");
  expect((root.querySelector(".notice") as HTMLElement).hidden).toBe(true);
});

test("a waiting request that the visitor edits is not sent until Enter is pressed again", async () => {
  const { agent, settled, input } = await open();
  agent.setStatus({ phase: "loading", totalBytes: null });
  await settled();
  input.focus();
  await userEvent.keyboard("a mug{Enter}s");
  agent.setStatus({ phase: "ready" });
  await settled();
  expect(agent.asked).toEqual([]);
  expect(input.value).toBe("a mugs");
});
