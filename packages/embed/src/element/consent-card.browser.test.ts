/** The question of a site with choices, in a page that cannot load them. */
import { expect, test, vi } from "vitest";
import { createConsentCard } from "./consent-card.ts";
import { createFakeAgent } from "./fake-agent.fixture.ts";
import { DEFAULT_TEXTS } from "./panel-texts.ts";

vi.mock("./consent-choices.ts", () => {
  throw new Error("offline");
});

test("a visitor can decline, and cannot agree, if the choices cannot be loaded", async () => {
  const agent = createFakeAgent({ hasChoices: true });
  const card = createConsentCard(agent, DEFAULT_TEXTS, () => undefined);
  await expect
    .poll(() => card.querySelector("[role=alert]")?.textContent)
    .toBe(DEFAULT_TEXTS.notShown);
  const [agree, decline] = card.querySelectorAll("button");
  expect(agree?.disabled).toBe(true);
  decline?.click();
  expect(agent.consent.decision()).toBe("declined");
});
