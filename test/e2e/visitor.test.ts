/**
 * The demo shop for a visitor: the built page in Chromium with the real edge Worker and the real nano policy. It tests
 * everything around the policy, not the quality of its answers, which are often wrong.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ToolActivity } from "@waggle/embed";
import { TrajectoryDetail, writeGuidance } from "@waggle/protocol";
import { createTokenizer, type TokenizerConfigJson, type TokenizerJson } from "@waggle/text";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { OperatorClient } from "../../packages/dev/src/loop/operator.ts";
import { buildPage, startPage } from "../../packages/dev/src/pages/pages.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { startTrainer } from "../../packages/dev/src/stack/trainer-process.ts";
import { NANO_MODEL, DEMO, DEMO_PAGE } from "../fixtures/demo.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { type Installation, openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { publishText } from "../../trainer/src/commands/publish-text.ts";
import { fault } from "../fixtures/fault.ts";
import {
  ask,
  boxOf,
  controlsOf,
  keptBy,
  lastAnswer,
  outboxOf,
  statusOf,
  storedTextOf,
  untilReady,
  untilSent,
} from "./shop-page.fixture.ts";

const EMAIL = "ada.lovelace@example.org";
/** A test number of the card networks that passes the Luhn check. */
const CARD = "4111 1111 1111 1111";

const folder = join(ROOT, ".waggle", "test-visitor");
const processes: ManagedProcess[] = [];
let installation: Installation;
let edgeUrl: string;
let siteUrl: string;
let operator: OperatorClient;
let browser: Browser;
/** A page that was opened before the trainer had published the base model. */
let early: Page;
let context: BrowserContext;

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  installation = openInstallation(folder);
  await Promise.all([migrate(installation, DEMO), buildPage(DEMO_PAGE)]);
  const edgePort = await freePort();
  edgeUrl = `http://localhost:${edgePort}`;
  processes.push(await startEdge(installation, { port: edgePort, site: DEMO }));
  siteUrl = (await openSite({ isolated: true })).url;
  browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  early = await browser.newPage();
  await early.goto(siteUrl);
  await early.locator("waggle-agent").getByText("being prepared by the site").waitFor();
  // Only for the base model: it ends before the pages need the processor.
  const trainer = startTrainer(installation, { edgeUrl, model: NANO_MODEL, site: DEMO });
  processes.push(trainer);
  await vi.waitUntil(async () => (await fetch(`${edgeUrl}/v1/policies/stable`)).ok, {
    timeout: 120_000,
    interval: 200,
  });
  await trainer.stop();
  operator = new OperatorClient(edgeUrl, installation.operatorCredential);
}, 240_000);

afterEach(() => context?.close());

afterAll(async () => {
  await browser?.close();
  for (const child of processes.toReversed()) await child.stop();
});

async function openSite({ isolated }: { isolated: boolean }) {
  const port = await freePort();
  const site = await startPage(DEMO_PAGE, { port, edgeUrl, isolated });
  processes.push(site);
  return { site, url: `http://localhost:${port}/` };
}

/** Opens the page as a new visitor and waits for the assistant; `agrees` gives consent with the button. */
async function visit(
  url: string,
  { agrees = false } = {},
): Promise<{ page: Page; panel: Locator }> {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(url);
  await untilReady(page);
  const panel = page.locator("waggle-agent");
  if (agrees) await panel.getByRole("button", { name: "Agree" }).click();
  return { page, panel };
}

fault(
  "a shop opened before the trainer published the base model becomes ready on its own",
  { item: "7.5", before: "the page said 'not available' until 1 reload" },
  async () => {
    await untilReady(early);
    const { reloads } = await statusOf(early);
    await early.close();
    expect(reloads).toBe(0);
    return { after: `ready after ${reloads} reloads` };
  },
);

const askOperator = (digest: string): Promise<Response> =>
  fetch(`${edgeUrl}/v1/operator/trajectories/${digest}`, {
    headers: { authorization: `Bearer ${installation.operatorCredential}` },
  });

/** The operator's view of the trajectory with this id. */
async function detailOf(trajectoryId: string | null): Promise<TrajectoryDetail> {
  const row = (await operator.trajectories()).find(({ id }) => id === trajectoryId);
  expect(row).toBeDefined();
  return TrajectoryDetail.parse(await (await askOperator(row?.digest ?? "")).json());
}

/** `[segments]` */
function textsOf({ trajectory }: TrajectoryDetail): string[] {
  const nano = (name: string): unknown => JSON.parse(readFileSync(join(NANO_MODEL, name), "utf8"));
  const tokenizer = createTokenizer({
    tokenizerJson: nano("tokenizer.json") as TokenizerJson,
    tokenizerConfig: nano("tokenizer_config.json") as TokenizerConfigJson,
  });
  return trajectory.segments.map(({ tokenIds }) => tokenizer.decode(tokenIds));
}

test("without cross-origin isolation the agent answers on one thread and acts on the page", async () => {
  const { page, panel } = await visit((await openSite({ isolated: false })).url);
  const status = await statusOf(page);
  expect(status).toMatchObject({ crossOriginIsolated: false, backend: "wasm x1" });

  const calls: ToolActivity[] = [];
  let answers = 0;
  for (; answers < 5 && !calls.some(isCartChange); answers += 1) {
    const answer = await ask(page, "Add the Storm Jacket to my cart.");
    expect(answer).toMatchObject({ failure: null, stopReason: expect.any(String) });
    for (const part of answer.parts) if (part.kind === "tool") calls.push(part.activity);
  }
  await expect.poll(() => panel.locator("article").count()).toBe(answers);
  await expect.poll(() => panel.locator(".tool").count()).toBe(calls.length);
  // The nano model adds something in nearly every rollout, and the page shows it in the visitor's cart.
  expect(calls.some(isCartChange)).toBe(true);
  expect(Number(await page.locator("#cart-count").textContent())).toBeGreaterThan(0);
});

const isCartChange = (call: ToolActivity) =>
  call.name === "add_to_cart" && call.result?.ok === true;

test("after the first load it works offline, and its trajectories are sent when the network is back", async () => {
  const { site, url } = await openSite({ isolated: true });
  const { page, panel } = await visit(url, { agrees: true });
  await page.waitForFunction(() => window.wagglePage.status().offlineReady);
  await context.setOffline(true);
  await site.stop();
  await page.reload();
  await untilReady(page);
  expect(await page.evaluate(() => navigator.onLine)).toBe(false);
  await expect.poll(() => panel.locator(".state").textContent()).toBe("ready, offline");

  const answer = await ask(page, "Add the City Jacket to my cart.");
  expect(answer).toMatchObject({ failure: null, policyVersion: 0 });
  expect(await outboxOf(page)).toMatchObject({ waiting: 1, sent: 0 });

  await context.setOffline(false);
  await untilSent(page, 1);
  const { row } = await detailOf(answer.trajectoryId);
  expect(row.policyVersion).toBe(0);
});

test("without consent nothing of a conversation leaves the page", async () => {
  const before = (await operator.summary()).trajectories.received;
  const { page, panel } = await visit(siteUrl);
  const posted = new Set<string>();
  context.on("request", (request) => {
    if (request.method() !== "GET") posted.add(new URL(request.url()).pathname);
  });
  const request = "Add the City Jacket to my cart.";
  await ask(page, request);
  await panel.getByRole("button", { name: "Decline" }).click();
  await ask(page, request);
  await panel.getByRole("button", { name: "Good answer" }).last().click();
  // The page still talks to the edge, so anything to send would have been sent before this.
  for (let look = 0; look < 2; look += 1) {
    await context.waitForEvent("response", (response) => response.url() === `${edgeUrl}/v1/policy`);
  }
  // Sessions identify the visitor; `/mcp` requests are calls of the site's own tools.
  expect([...posted].filter((path) => !["/v1/sessions", "/mcp"].includes(path))).toEqual([]);
  expect(await outboxOf(page)).toMatchObject({ waiting: 0, sent: 0, feedbackWaiting: 0 });
  expect((await keptBy(page)).rows).toEqual([]);
  expect((await operator.summary()).trajectories.received).toBe(before);
});

test("an e-mail address and a card number are replaced before they are stored or sent", async () => {
  const { page } = await visit(siteUrl, { agrees: true });
  const answer = await ask(page, `I am ${EMAIL}, card ${CARD}. Add the City Jacket to my cart.`);
  await untilSent(page, 1);
  const detail = await detailOf(answer.trajectoryId);
  const texts = textsOf(detail);
  expect(texts.join("\n")).toContain("I am [EMAIL_1], card [CARD_1]. Add the City Jacket");
  const kept = await keptBy(page);
  expect(kept.rows.length).toBeGreaterThan(0);
  for (const text of [...texts, JSON.stringify(detail), JSON.stringify(kept)]) {
    expect(text).not.toContain(EMAIL);
    expect(text.replaceAll(/[ -]/g, "")).not.toContain(CARD.replaceAll(" ", ""));
  }
});

fault(
  "the page stores no id before consent, one after it and none after withdrawal",
  { item: "3.2", before: "1 id, valid for 400 days, was stored before consent was asked for" },
  async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const ids: string[] = [];
    page.on("response", async (response) => {
      if (new URL(response.url()).pathname !== "/v1/sessions") return;
      // The body of a page that has been left cannot be read any more; the page that follows has its own.
      const session = await response.json().catch(() => null);
      if (session !== null) ids.push(session.visitorId, session.visitorToken, session.token);
    });
    await page.goto(siteUrl);
    await untilReady(page);
    const panel = page.locator("waggle-agent");
    const storedIds = async () => {
      const text = await storedTextOf(page);
      return ids.filter((id) => text.includes(id));
    };
    await ask(page, "Open the City Jacket.");
    expect(ids).toHaveLength(3);
    const before = await storedIds();
    expect(before).toEqual([]);

    await panel.getByRole("button", { name: "Agree" }).click();
    await ask(page, "Add the City Jacket to my cart.");
    await untilSent(page, 1);
    // The id of a visit differs from the lasting one, so activity before consent cannot be linked to it.
    expect(new Set(ids).size).toBe(6);
    // The receipt of the consent names the id that the lasting token proves.
    const [, , , id, lasting] = ids;
    const agreed = await storedIds();
    expect(agreed).toEqual([id, lasting]);

    await panel.getByRole("button", { name: "What I sent" }).click();
    await panel.getByRole("button", { name: "Withdraw" }).click();
    await expect.poll(storedIds).toEqual([]);
    await page.reload();
    await untilReady(page);
    const after = await storedIds();
    expect(after).toEqual([]);
    return { after: `${before.length} ids, then one with its token, then ${after.length}` };
  },
);

test("What I sent lists an answer, and Forget me deletes it at the edge and in the browser", async () => {
  const { page, panel } = await visit(siteUrl, { agrees: true });
  const request = "Add the City Jacket to my cart.";
  const answer = await ask(page, request);
  await untilSent(page, 1);
  const { row } = await detailOf(answer.trajectoryId);

  await panel.getByRole("button", { name: "What I sent" }).click();
  const entry = panel.locator(".entries > li");
  await expect.poll(() => entry.count()).toBe(1);
  expect(await entry.textContent()).toMatch(/Sent.*kB/);
  await entry.locator("summary").first().click();
  await entry.getByText(request).first().waitFor();

  const secrets = [(await keptBy(page)).local["waggle.visitorToken"] ?? "", row.digest, row.id];
  await panel.getByRole("button", { name: "Forget me" }).click();
  await panel.getByRole("button", { name: "Delete everything" }).click();
  await panel.getByText("Deleted 1 entry at the site and everything in this browser.").waitFor();
  await expect.poll(() => entry.count()).toBe(0);

  expect((await operator.trajectories()).map(({ id }) => id)).not.toContain(row.id);
  expect((await askOperator(row.digest)).status).toBe(404);
  const kept = await keptBy(page);
  expect(kept.rows).toEqual([]);
  expect(Object.keys(kept.local)).not.toContain("waggle.consent");
  for (const secret of secrets) {
    expect(secret).not.toBe("");
    expect(JSON.stringify(kept.local)).not.toContain(secret);
  }
});

test("the keyboard alone reaches the input, sends and stops, and the answer is announced", async () => {
  const { page, panel } = await visit(siteUrl);
  const focused = () =>
    page.evaluate(() => {
      const active = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
      return active?.getAttribute("aria-label") ?? active?.textContent ?? "";
    });
  const tabTo = async (name: string, most: number) => {
    for (let tabs = 0; tabs < most && (await focused()) !== name; tabs += 1) {
      await page.keyboard.press("Tab");
    }
    expect(await focused()).toBe(name);
  };
  // Past a hundred products in two steps.
  await tabTo("Skip to the assistant", 3);
  await page.keyboard.press("Enter");
  await tabTo("Request", 12);

  await page.keyboard.type("Add the City Jacket to my cart.");
  // Not awaited one by one, because the answer must not end between two keys.
  await Promise.all([page.keyboard.press("Enter"), page.keyboard.press("Escape")]);
  expect(await lastAnswer(page)).toMatchObject({ stopReason: "aborted" });

  await page.keyboard.type("Add the City Jacket to my cart.");
  const keys = ["Enter", "Tab", "Enter"].map((key) => page.keyboard.press(key));
  await Promise.all(keys);
  expect(await lastAnswer(page)).toMatchObject({ stopReason: "aborted" });
  expect(await focused()).toBe("Request");

  await page.keyboard.type("Add the City Jacket to my cart.");
  await page.keyboard.press("Enter");
  const answer = await lastAnswer(page);
  expect(answer.stopReason).not.toBe("aborted");
  const log = panel.getByRole("log");
  expect(await log.getAttribute("aria-live")).toBe("polite");
  await expect.poll(() => log.locator("article").last().getAttribute("aria-busy")).toBe("false");
  const spoken = answer.parts.map((part) =>
    part.kind === "text" ? part.text.trim() : part.activity.label,
  );
  for (const part of spoken) expect(await log.innerText()).toContain(part);
  expect(await panel.getByRole("status").first().textContent()).toMatch(/^ready/);
});

test("every control of the page and of the panel has an accessible name", async () => {
  const { page, panel } = await visit(siteUrl);
  await ask(page, "Add the City Jacket to my cart.");
  const conversation = await controlsOf(page);
  await panel.getByRole("button", { name: "What I sent" }).click();
  await expect.poll(() => controlsOf(page)).toContain("button Forget me");
  const privacy = await controlsOf(page);
  expect(conversation).toEqual(expect.arrayContaining(["button Send", "button Good answer"]));
  expect([...conversation, ...privacy].filter((control) => control.endsWith(" "))).toEqual([]);
});

test("a conversation survives a reload and a second page of the site, and another tab does not show it", async () => {
  const { page, panel } = await visit(siteUrl);
  const request = "Add the City Jacket to my cart.";
  const answer = await ask(page, request);
  const log = panel.getByRole("log");
  const said = await log.innerText();
  expect(said).toContain(request);
  await page.reload();
  await expect.poll(() => log.innerText()).toBe(said);
  await page.goto(new URL("index.html", siteUrl).href);
  await expect.poll(() => log.innerText()).toBe(said);
  await untilReady(page);
  await ask(page, "Open the City Jacket.");
  expect(await log.locator("article").count()).toBe(2);
  expect(await page.evaluate(() => window.wagglePage.agent.conversation[1])).toEqual(answer);
  const other = await context.newPage();
  await other.goto(siteUrl);
  await other.locator("waggle-agent").getByRole("log").waitFor();
  expect(await other.locator("waggle-agent article").count()).toBe(0);
});

test("the open consent question hides no answer, with an item in the cart, on a small desktop and a phone", async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.goto(siteUrl);
  await untilReady(page);
  await page.getByRole("button", { name: "Add City Jacket to cart" }).click();
  await ask(page, "Open the City Jacket.");
  const panel = page.locator("waggle-agent");
  const shown = async () => {
    expect(await panel.getByRole("button", { name: "Agree" }).isVisible()).toBe(true);
    const log = await boxOf(panel.getByRole("log"));
    const said = await boxOf(panel.locator("article .answer > *").last());
    return { height: log.height, isSeen: said.top >= log.top && said.bottom <= log.bottom };
  };
  // The panel scrolls when the next frame is drawn.
  await expect.poll(async () => (await shown()).isSeen).toBe(true);
  const desktop = await shown();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Ask the assistant" }).dispatchEvent("click");
  await expect.poll(async () => (await boxOf(panel)).bottom).toBeLessThanOrEqual(844);
  const phone = await shown();
  expect([desktop.isSeen, phone.isSeen]).toEqual([true, true]);
  expect([desktop.height > 150, phone.height > 250]).toEqual([true, true]);
});

test("feedback on an answer reaches the edge with the id of its trajectory", async () => {
  const { page, panel } = await visit(siteUrl, { agrees: true });
  const answer = await ask(page, "Add the City Jacket to my cart.");
  const thumb = panel.getByRole("button", { name: "Good answer" });
  await thumb.click();
  await expect.poll(() => thumb.getAttribute("aria-pressed")).toBe("true");
  await untilSent(page, 1);
  const { feedback } = await detailOf(answer.trajectoryId);
  expect(feedback).toMatchObject([{ kind: "thumb-up", trajectoryId: answer.trajectoryId }]);
});

test("text on the policy channel is read at the next request of an open page, until it is rolled back", async () => {
  const { page } = await visit(siteUrl, { agrees: true });
  const spelled = "Mind the rain.<|im_end|>";
  const { trainerCredential: credential } = installation;
  const trainer = createEdgeClient({ baseUrl: edgeUrl, credential });
  const said = { formatVersion: 1, prompt: spelled, lessons: [], cases: null } as const;
  const asked = { withoutEvaluation: true };
  const { version } = await publishText(writeGuidance(said), trainer, asked);
  const firstTextsAfter = async (act: Promise<unknown>, sent: number) => {
    await act;
    await page.evaluate(() => window.wagglePage.agent.checkPolicy());
    const answer = await ask(page, "Add the City Jacket to my cart.");
    await untilSent(page, sent);
    return { ...answer, texts: textsOf(await detailOf(answer.trajectoryId)) };
  };
  const promoted = fetch(`${edgeUrl}/v1/operator/policies/${version}/promote`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${installation.operatorCredential}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ withoutEvaluation: true }),
  });
  const spoken = await firstTextsAfter(promoted, 1);
  expect(spoken).toMatchObject({ failure: null, policyVersion: version });
  expect(spoken.texts[0]).toContain("Mind the rain.");
  const silent = await firstTextsAfter(trainer.rollBack(version), 2);
  expect(silent).toMatchObject({ failure: null, policyVersion: 0 });
  expect(silent.texts.join("")).not.toContain("Mind the rain.");
});

test("the label beside the switch starts and stops simulated visitors", async () => {
  const { page } = await visit(siteUrl, { agrees: true });
  const words = "Let simulated visitors shop";
  const isOn = () => page.getByRole("switch", { name: words }).getAttribute("aria-checked");
  await page.getByText(words, { exact: true }).click();
  await expect.poll(isOn).toBe("true");
  await page.locator("#lab-figures").getByText("shopping").waitFor();
  await page.getByText(words, { exact: true }).click();
  await expect.poll(isOn).toBe("false");
  await page.locator("#lab-figures").getByText("stopped").waitFor();
});
