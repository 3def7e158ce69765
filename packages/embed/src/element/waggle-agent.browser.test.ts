import { afterEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { READY } from "./fake-agent.fixture.ts";
import { answer, open, textOf } from "./open-panel.fixture.ts";

afterEach(() => document.body.replaceChildren());

test("Enter sends, a running call is shown, Stop ends it, and a developer sees the policy version", async () => {
  const { agent, root, input, control, settled } = await open(["developer"]);
  await userEvent.type(input, "wool hat{Enter}");
  await settled();
  expect(agent.asked).toEqual(["wool hat"]);
  expect(input.value).toBe("");
  expect(root.querySelector("details.tool")?.getAttribute("data-state")).toBe("running");
  expect(root.querySelector("article")?.getAttribute("aria-busy")).toBe("true");
  control("Stop")?.click();
  await settled();
  await settled();
  expect(root.querySelector("details.tool")?.getAttribute("data-state")).toBe("done");
  expect(root.querySelector("article")?.getAttribute("aria-busy")).toBe("false");
  expect(textOf(root, "article")).toContain("Done.");
  expect(textOf(root, "article .note")).toBe("Stopped.");
  expect(textOf(root, "article .version")).toBe("policy 7");
});

test("Shift+Enter adds a line, and nothing is sent while the input is empty or the model failed", async () => {
  const { agent, input, settled, control } = await open();
  await userEvent.type(input, "one{Shift>}{Enter}{/Shift}two");
  expect(input.value).toBe("one\ntwo");
  agent.setStatus({ phase: "error" });
  await settled();
  await userEvent.type(input, "{Enter}");
  expect(agent.asked).toEqual([]);
  expect((control("Send") as HTMLButtonElement).disabled).toBe(true);
  agent.setStatus({ phase: "ready" });
  await userEvent.clear(input);
  await userEvent.type(input, "{Enter}");
  expect(agent.asked).toEqual([]);
  expect((control("Send") as HTMLButtonElement).disabled).toBe(true);
});

test("text of the policy and of tools is never markup", async () => {
  const { agent, root, settled } = await open(["developer"]);
  const hostile = '<img src=x onerror="document.title=1"><b>bold</b>';
  agent.setConversation([
    { kind: "request", id: "r1", text: hostile },
    answer({
      parts: [
        { kind: "text", text: hostile },
        {
          kind: "tool",
          activity: {
            id: "c0",
            name: hostile,
            label: hostile,
            source: "edge",
            arguments: { q: hostile },
            result: { callId: "c0", ok: false, error: { code: "TOOL_FAILED", message: hostile } },
          },
        },
      ],
    }),
  ]);
  await settled();
  expect(root.querySelectorAll("img, b")).toHaveLength(0);
  expect(root.querySelector("details.tool")?.getAttribute("data-state")).toBe("failed");
  expect(textOf(root, "details.tool")).toContain("TOOL_FAILED: <img");
});

test("streamed text grows one paragraph in place", async () => {
  const { agent, root, settled } = await open();
  agent.setConversation([answer({ running: true, parts: [{ kind: "text", text: "Hel" }] })]);
  await settled();
  const paragraph = root.querySelector("article .text");
  agent.setConversation([answer({ running: true, parts: [{ kind: "text", text: "Hello" }] })]);
  await settled();
  expect(root.querySelector("article .text")).toBe(paragraph);
  expect(paragraph?.textContent).toBe("Hello");
});

test("thumbs are toggles that keep the focus, and Try again repeats the request", async () => {
  const { agent, root, control, input, settled } = await open();
  await userEvent.type(input, "hat{Enter}");
  await settled();
  agent.stop();
  await settled();
  await settled();
  control("Good answer")?.focus();
  await userEvent.keyboard("{Enter}");
  await settled();
  expect(control("Good answer")?.getAttribute("aria-pressed")).toBe("true");
  expect(root.activeElement?.getAttribute("aria-label")).toBe("Good answer");
  control("Try again")?.click();
  expect(agent.asked).toEqual(["hat", "feedback thumb-up", "hat"]);
});

test("the consent question stays until it is answered, and declining counts as an answer", async () => {
  const { agent, root, control, settled } = await open();
  const banner = root.querySelector(".consent") as HTMLElement;
  expect(banner.checkVisibility()).toBe(true);
  control("Decline")?.click();
  await settled();
  expect(banner.checkVisibility()).toBe(false);
  expect(agent.consent.decision()).toBe("declined");
});

test("What I sent lists states with reasons, withdraws consent, and forgets", async () => {
  const { agent, root, control, settled } = await open();
  agent.consent.grant();
  const entry = {
    trajectoryId: "t",
    enqueuedAt: 0,
    settledAt: null,
    sizeBytes: 4200,
    policyVersion: 7,
    turns: 3,
    stopReason: "completed",
  };
  const reason = { code: "PAYLOAD_TOO_LARGE", message: "5000001 decoded bytes" };
  agent.setSent([
    { ...entry, digest: "a", state: "sent", reason: null },
    { ...entry, digest: "b", state: "rejected", reason },
  ]);
  control("What I sent")?.click();
  await settled();
  const badges = Array.from(root.querySelectorAll(".badge"), (badge) => badge.textContent);
  expect(badges).toEqual(["Sent", "Not accepted"]);
  root.querySelectorAll<HTMLElement>(".entry summary")[1]?.click();
  await expect
    .poll(() => textOf(root, ".entry[data-state=rejected] .body"))
    .toMatch(/^Recorded on .*This site did not accept it, because it is too large\./);
  expect(textOf(root, ".entry[data-state=rejected]")).not.toMatch(/PAYLOAD|decoded/);

  control("Withdraw")?.click();
  await settled();
  expect(agent.consent.get()).toBeNull();

  control("Forget me")?.click();
  expect(agent.forgotten).toBe(false);
  control("Delete everything")?.click();
  await settled();
  expect(agent.forgotten).toBe(true);
  expect(textOf(root, ".privacy [role=status]")).toContain("Deleted 2 entries");
  expect(root.querySelectorAll(".entry")).toHaveLength(0);
  await userEvent.keyboard("{Escape}");
  expect(root.querySelector(".privacy")).toBeNull();
});

test("loading shows its progress, and an error shows its message with a retry button", async () => {
  const { agent, root, control, settled } = await open();
  agent.setStatus({ phase: "loading", loadedBytes: 1_000_000, totalBytes: 4_000_000 });
  await settled();
  expect((root.querySelector("progress") as HTMLProgressElement).value).toBe(0.25);
  expect(textOf(root, ".state")).toBe("1.0 MB of 4.0 MB");
  const error = { code: "NETWORK", message: "GET https://edge.example 503", retryable: true };
  agent.setStatus({ phase: "error", error });
  await settled();
  expect(textOf(root, "[role=alert] span")).toBe("The assistant's server cannot be reached.");
  control("Try again")?.click();
  expect(agent.asked).toEqual(["reload"]);
});

test("an error names technical details only for developers", async () => {
  const error = { code: "MODEL_CORRUPT", message: "bad offset 7", retryable: false };
  const failed = { failure: "The assistant cannot answer.", failureDetails: "INTERNAL: no worker" };
  const shown = async (attributes: readonly string[]): Promise<string[]> => {
    const { agent, root, settled } = await open(attributes);
    agent.setConversation([answer(failed)]);
    agent.setStatus({ phase: "error", error });
    await settled();
    return [textOf(root, "[role=alert] span"), textOf(root, "article .note")];
  };
  const said = "The assistant cannot answer.";
  expect(await shown([])).toEqual([said, said]);
  expect(await shown(["developer"])).toEqual([
    `${said} (MODEL_CORRUPT: bad offset 7)`,
    "INTERNAL: no worker",
  ]);
});

test("offline is shown without an alert and the agent still answers", async () => {
  const { agent, root, settled } = await open();
  agent.setStatus({ ...READY, online: false });
  await settled();
  expect(textOf(root, ".state")).toBe("ready, offline");
  expect(root.querySelector(".notice")?.classList.contains("calm")).toBe(true);
});

test("a site that has only its base model says so until it has learned something", async () => {
  const { agent, root, settled } = await open();
  const isSaid = () => root.querySelector(".untrained")?.checkVisibility() ?? false;
  expect([textOf(root, ".state"), isSaid()]).toEqual(["ready", false]);
  Object.assign(agent, { policyVersion: 0 });
  agent.setStatus(READY);
  await settled();
  expect([textOf(root, ".state"), isSaid()]).toEqual(["ready, not trained yet", true]);
  expect(textOf(root, ".untrained")).toMatch(/^This assistant has not practiced on this site yet/);
  Object.assign(agent, { policyVersion: 1 });
  agent.setStatus(READY);
  await settled();
  expect([textOf(root, ".state"), isSaid()]).toEqual(["ready", false]);
});

test("Tab visits the whole panel in reading order", async () => {
  const { root, input } = await open();
  const seen: string[] = [];
  input.blur();
  document.body.tabIndex = -1;
  document.body.focus();
  for (let step = 0; step < 6; step++) {
    await userEvent.tab();
    const active = root.activeElement;
    seen.push(active?.getAttribute("aria-label") ?? active?.textContent?.trim() ?? "");
  }
  expect(seen).toEqual([
    "What I sent",
    "Conversation",
    "What is kept?",
    "Agree",
    "Decline",
    "Request",
  ]);
});

test("an element that is removed and added again shows the same conversation", async () => {
  const { agent, root, settled } = await open();
  agent.setConversation([{ kind: "request", id: "r1", text: "hello" }]);
  await settled();
  const element = root.host;
  element.remove();
  document.body.append(element);
  await settled();
  expect(textOf(root, ".request")).toContain("hello");
});

test("a silenced assistant shows one sentence and accepts no request until it is switched on", async () => {
  const { agent, root, control, input, settled } = await open();
  agent.setStatus({ ...READY, silenced: true });
  await settled();
  const notice = root.querySelector(".notice") as HTMLElement;
  expect(notice.textContent).toContain("The assistant is switched off for now.");
  expect(notice.classList.contains("calm")).toBe(true);
  expect(input.disabled).toBe(true);
  expect(root.querySelector(".state")?.textContent).toBe("switched off");
  agent.setStatus(READY);
  await settled();
  expect(notice.hidden).toBe(true);
  await userEvent.fill(input, "lamp");
  await userEvent.click(control("Send") as HTMLElement);
  expect(agent.asked).toEqual(["lamp"]);
});

test("a policy that does not load shows a notice while the assistant works", async () => {
  const { agent, root, input, settled } = await open();
  const policyFailure = { version: 8, code: "DIGEST_MISMATCH", message: "not those bytes" };
  agent.setStatus({ ...READY, policyFailure });
  await settled();
  const notice = root.querySelector(".notice") as HTMLElement;
  expect(notice.textContent).toContain("An older one answers for now.");
  expect(notice.textContent).not.toContain("bytes");
  expect({ calm: notice.classList.contains("calm"), disabled: input.disabled }).toEqual({
    calm: true,
    disabled: false,
  });
});

test("setting equal suggestions and texts keeps what the visitor is writing", async () => {
  const { root, input } = await open();
  await userEvent.type(input, "a mu");
  Object.assign(root.host, { suggestions: [], texts: {} });
  expect(root.querySelector("textarea")).toBe(input);
  Object.assign(root.host, { suggestions: ["Find a mug."] });
  expect(root.textContent).toContain("Find a mug.");
});
