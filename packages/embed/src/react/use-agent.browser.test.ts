/** The hooks and the element, rendered by React as an application does. */
import { act, createElement, StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Agent } from "../agent.ts";
import { createFakeAgent } from "../element/fake-agent.fixture.ts";
import { WaggleAgentElement } from "../element/index.ts";
import { useAgent, useAgentState } from "./index.ts";

const OPTIONS = { edgeUrl: "https://edge.invalid", siteKey: "site" };

beforeEach(() => vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true));
afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

function mount() {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  return {
    render: (shown: ReactNode) => act(() => root.render(createElement(StrictMode, null, shown))),
    unmount: () => act(() => root.unmount()),
  };
}

const panel = () => document.querySelector("waggle-agent");

test("a component has one agent, which the element shows, until the component is gone", async () => {
  const { render, unmount } = mount();
  const seen = new Set<Agent | null>();
  const Assistant = () => {
    const agent = useAgent(OPTIONS);
    seen.add(agent);
    return createElement("waggle-agent", { agent, suggestions: ["Find a mug."], developer: true });
  };
  expect(renderToString(createElement(Assistant))).toBe(
    '<waggle-agent developer=""></waggle-agent>',
  );
  render(createElement(Assistant));
  const agent = panel()?.agent ?? null;
  expect([...seen]).toEqual([null, agent]);
  if (agent === null) throw new Error("the element has no agent");
  expect(panel()?.shadowRoot?.textContent).toContain("Find a mug.");
  const disposed = vi.spyOn(agent, "dispose");
  render(createElement(Assistant));
  expect(panel()?.agent).toBe(agent);
  unmount();
  await expect.poll(() => disposed.mock.calls.length).toBe(1);
});

test("useAgentState renders again after each change, and has nothing without an agent", () => {
  const { render, unmount } = mount();
  const agent = createFakeAgent();
  const Last = ({ of }: { of: Agent | null }) => {
    const item = useAgentState(of)?.conversation.at(-1);
    return createElement("p", null, item?.kind === "request" ? item.text : "nothing");
  };
  const text = () => document.querySelector("p")?.textContent;
  render(createElement(Last, { of: null }));
  expect(text()).toBe("nothing");
  render(createElement(Last, { of: agent }));
  act(() => agent.setConversation([{ kind: "request", id: "r1", text: "a mug" }]));
  expect(text()).toBe("a mug");
  unmount();
  agent.setConversation([]);
});

test("an element without an agent is empty", () => {
  const { render, unmount } = mount();
  const agent = createFakeAgent();
  render(createElement("waggle-agent", { agent }));
  expect(panel()).toBeInstanceOf(WaggleAgentElement);
  expect(panel()?.shadowRoot?.childElementCount).toBe(1);
  render(createElement("waggle-agent", {}));
  expect(panel()?.shadowRoot?.childElementCount).toBe(0);
  unmount();
});
