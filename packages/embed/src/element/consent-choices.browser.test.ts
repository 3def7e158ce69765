/** The boxes of a site that offers choices, and what the panel says about stored data. */
import { createMemoryStorage } from "@waggle/collector";
import type { Consent, ConsentReceipt } from "@waggle/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { createConsentCard } from "./consent-card.ts";
import { createFakeAgent } from "./fake-agent.fixture.ts";
import { DEFAULT_TEXTS } from "./panel-texts.ts";
import { createPrivacyView } from "./privacy-view.ts";

afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

const buttonOf = (element: HTMLElement, name: string): HTMLButtonElement => {
  const all = [...element.querySelectorAll("button")];
  return all.find(({ textContent }) => textContent === name) as HTMLButtonElement;
};
const boxesOf = (element: HTMLElement): HTMLInputElement[] => [
  ...element.querySelectorAll<HTMLInputElement>("input[type=checkbox]"),
];

test("no box is ticked at first, and nobody can agree before the boxes are there", async () => {
  const agent = createFakeAgent({ hasChoices: true });
  const card = createConsentCard(agent, DEFAULT_TEXTS, () => undefined);
  document.body.append(card);
  const agree = buttonOf(card, "Agree");
  expect(agree.disabled).toBe(true);
  await expect.poll(() => boxesOf(card).length).toBe(2);
  expect(boxesOf(card).map(({ checked }) => checked)).toEqual([false, false]);
  agree.click();
  expect(agent.consent.get()).toMatchObject({ scopes: ["collect"], choices: true });
});

test("a ticked box is agreed to", async () => {
  const agent = createFakeAgent({ hasChoices: true });
  const card = createConsentCard(agent, DEFAULT_TEXTS, () => undefined);
  document.body.append(card);
  await expect.poll(() => boxesOf(card).length).toBe(2);
  boxesOf(card)[1]?.click();
  buttonOf(card, "Agree").click();
  expect(agent.consent.get()?.scopes).toEqual(["collect", "feedback"]);
});

test("without choices the card has no boxes and one consent for all", () => {
  const agent = createFakeAgent();
  const card = createConsentCard(agent, DEFAULT_TEXTS, () => undefined);
  buttonOf(card, "Agree").click();
  expect(boxesOf(card)).toEqual([]);
  expect(agent.consent.get()?.scopes).toEqual(["collect", "train"]);
});

test("the privacy view shows the choice and changes it; reading again keeps what was just ticked", async () => {
  const agent = createFakeAgent({ hasChoices: true });
  agent.consent.grant(["collect", "train"]);
  const view = createPrivacyView(agent, DEFAULT_TEXTS, false);
  const { element } = view;
  document.body.append(element);
  await view.refresh();
  const [train, feedback] = boxesOf(element);
  expect([train?.checked, feedback?.checked]).toEqual([true, false]);
  train?.click();
  feedback?.click();
  await view.refresh();
  expect([train?.checked, feedback?.checked]).toEqual([false, true]);
  buttonOf(element, "Save my choice").click();
  expect(agent.consent.get()?.scopes).toEqual(["collect", "feedback"]);
});

test("the consent names what the visitor read, in the card and in the privacy view", async () => {
  const plain = createFakeAgent();
  buttonOf(
    createConsentCard(plain, DEFAULT_TEXTS, () => undefined),
    "Agree",
  ).click();
  const shown = ({ consent }: typeof plain) => consent.shownText(consent.get() as Consent);
  const { consentTitle, consentBody, consentTrain, consentFeedback } = DEFAULT_TEXTS;
  expect(shown(plain)).toMatchObject({ text: `${consentTitle}\n${consentBody}`, language: "en" });
  const choosing = createFakeAgent({ hasChoices: true });
  const view = createPrivacyView(choosing, DEFAULT_TEXTS, false);
  const { element } = view;
  await view.refresh();
  expect(element.textContent).toContain(consentTitle + consentBody);
  buttonOf(element, "Agree").click();
  const read = [consentTitle, consentBody, consentTrain, consentFeedback].join("\n");
  expect(shown(choosing)).toMatchObject({ text: read });
});

test("the privacy view says when the site recorded the consent, and the saved file has the receipt", async () => {
  const agent = createFakeAgent();
  const consent = agent.consent.grant();
  const view = createPrivacyView(agent, DEFAULT_TEXTS, false);
  const said = () => view.element.querySelector(".receipt")?.textContent;
  await view.refresh();
  expect(said()).toBe(DEFAULT_TEXTS.noReceipt);
  const receipt: ConsentReceipt = {
    site: "default",
    visitorId: "00000000-0000-4000-8000-000000000001",
    consent,
    recordedAt: "2026-11-20T12:00:00.000Z",
    signature: "A".repeat(43),
  };
  agent.setReceipts([receipt]);
  await view.refresh();
  expect(said()).toBe(DEFAULT_TEXTS.receipt(new Date(receipt.recordedAt).toLocaleString()));
  const saved: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    saved.push(blob as Blob);
    return "blob:nothing";
  });
  buttonOf(view.element, DEFAULT_TEXTS.saveStored).click();
  await expect.poll(() => saved.length).toBe(1);
  const lines = (await saved[0]?.text())?.trimEnd().split("\n") ?? [];
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ kind: "kept-receipt", receipt });
});

test("the privacy view says that a withdrawal is pending until the site has confirmed it", async () => {
  const storage = createMemoryStorage();
  const agent = createFakeAgent({ storage });
  agent.consent.grant();
  const view = createPrivacyView(agent, DEFAULT_TEXTS, false);
  await view.refresh();
  storage.setItem("waggle.withdrawals", "[]");
  buttonOf(view.element, DEFAULT_TEXTS.withdraw).click();
  await expect.poll(() => view.element.textContent).toContain(DEFAULT_TEXTS.withdrawing);
  expect(view.element.textContent).toContain(DEFAULT_TEXTS.notAgreed);
  storage.removeItem("waggle.withdrawals");
  await view.refresh();
  expect(view.element.textContent).not.toContain(DEFAULT_TEXTS.withdrawing);
});

test("the button that saves choices asks for consent again after a withdrawal", async () => {
  const agent = createFakeAgent({ hasChoices: true });
  agent.consent.grant();
  const view = createPrivacyView(agent, DEFAULT_TEXTS, false);
  await view.refresh();
  expect(buttonOf(view.element, "Agree")).toBeUndefined();
  buttonOf(view.element, DEFAULT_TEXTS.withdraw).click();
  await expect.poll(() => buttonOf(view.element, "Agree")?.hidden).toBe(false);
});

test("the privacy view says what the site keeps, and saves all pages as one file", async () => {
  const agent = createFakeAgent();
  agent.consent.grant();
  const view = createPrivacyView(agent, DEFAULT_TEXTS, false);
  const { element } = view;
  document.body.append(element);
  await view.refresh();
  expect(agent.asked).toEqual([]);
  expect(element.querySelector<HTMLElement>(".stored")?.hidden).toBe(true);
  agent.setSent([
    {
      digest: "d",
      trajectoryId: "00000000-0000-4000-8000-000000000001",
      state: "sent",
      enqueuedAt: 0,
      settledAt: 1,
      sizeBytes: 10,
      policyVersion: 1,
      turns: 1,
      stopReason: "completed",
      reason: null,
    },
  ]);
  await view.refresh();
  await expect
    .poll(() => element.querySelector(".stored p")?.textContent)
    .toBe("Entries that this site keeps: 1. Feedback that it keeps: 1.");
  const saved: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    saved.push(blob as Blob);
    return "blob:nothing";
  });
  buttonOf(element, DEFAULT_TEXTS.saveStored).click();
  await expect.poll(() => saved.length).toBe(1);
  expect(await saved[0]?.text()).toBe("first\nsecond\n");
});
