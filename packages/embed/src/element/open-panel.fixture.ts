/** A panel with a fake agent in the page, and what its tests read of it. */
import type { ConversationItem } from "../agent.ts";
import { createFakeAgent } from "./fake-agent.fixture.ts";
import type { FakeAgent } from "./fake-agent.fixture.ts";
import "./index.ts";
// The panel loads it when it is opened, which takes a while.
import "./privacy-view.ts";

type Panel = {
  readonly agent: FakeAgent;
  readonly root: ShadowRoot;
  /** Finds a control by its accessible name. */
  readonly control: (name: string) => HTMLElement | null;
  readonly input: HTMLTextAreaElement;
  readonly settled: () => Promise<void>;
};

/** Opens a panel of 600 px with these attributes. */
export async function open(attributes: readonly string[] = []): Promise<Panel> {
  const agent = createFakeAgent({ call: () => [{ id: "p1" }] });
  const element = document.createElement("waggle-agent");
  element.style.height = "600px";
  for (const name of attributes) element.setAttribute(name, "");
  element.agent = agent;
  document.body.append(element);
  const root = element.shadowRoot as ShadowRoot;
  // Changes are rendered once per frame.
  const settled = async (): Promise<void> => {
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  };
  await settled();
  return {
    agent,
    root,
    settled,
    input: root.querySelector("textarea") as HTMLTextAreaElement,
    control: (name) =>
      Array.from(root.querySelectorAll<HTMLElement>("button")).find(
        (button) =>
          (button.getAttribute("aria-label") ?? button.textContent?.trim()) === name &&
          button.checkVisibility(),
      ) ?? null,
  };
}

/** A finished answer. */
export const answer = (change: Partial<Extract<ConversationItem, { kind: "answer" }>>) =>
  ({
    kind: "answer",
    id: "a1",
    parts: [],
    running: false,
    stopReason: "completed",
    failure: null,
    trajectoryId: "00000000-0000-4000-8000-000000000001",
    policyVersion: 7,
    feedback: null,
    ...change,
  }) satisfies ConversationItem;

/** Text of the first element that matches. */
export const textOf = (root: ShadowRoot, selector: string): string =>
  root.querySelector(selector)?.textContent ?? "";
