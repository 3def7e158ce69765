/** Drives the demo shop's page: sends requests, and reads answers, storage and status. Does not serve the page. */
import type { OutboxSummary } from "@waggle/collector";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { PageStatus } from "@waggle/embed/practice";

/** Waits until the assistant is ready. */
export async function untilReady(page: Page): Promise<void> {
  const isReady = () => window.wagglePage?.status().phase === "ready";
  await page.waitForFunction(isReady, undefined, { timeout: 60_000 }).catch(async (cause) => {
    const status = await page.evaluate(() => window.wagglePage?.agent.status);
    throw new Error(`the assistant must become ready, got ${JSON.stringify(status)}`, { cause });
  });
}

/** The page's status. */
export const statusOf = (page: Page): Promise<PageStatus> =>
  page.evaluate(() => window.wagglePage.status());
/** Counts of the page's outbox. */
export const outboxOf = (page: Page): Promise<OutboxSummary> =>
  page.evaluate(() => window.wagglePage.agent.outbox());

/** Waits until no request is running. @returns the last answer */
export async function lastAnswer(page: Page) {
  const ended = await page.waitForFunction(
    () => {
      const last = window.wagglePage.agent.conversation.at(-1);
      return last?.kind === "answer" && !last.running ? last : null;
    },
    undefined,
    { timeout: 120_000 },
  );
  const answer = await ended.jsonValue();
  if (answer === null) throw new Error("an answer was waited for");
  return answer;
}

/** Where an element is in the window. */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error("the element is not shown");
  return { top: box.y, bottom: box.y + box.height, height: box.height };
}

/** Types a request as a person would and waits for the complete answer. */
export async function ask(page: Page, text: string) {
  const input = page.locator("waggle-agent").getByRole("textbox", { name: "Request" });
  await input.fill(text);
  await input.press("Enter");
  return lastAnswer(page);
}

/** Waits until the edge has accepted `sent` trajectories of this page. */
export async function untilSent(page: Page, sent: number): Promise<void> {
  await expect
    .poll(() => outboxOf(page), { timeout: 30_000 })
    .toMatchObject({
      sent,
      waiting: 0,
      rejected: 0,
      feedbackWaiting: 0,
    });
}

/** All data about the visitor that the page stores: the rows of the outbox and localStorage, as JSON. */
export async function keptBy(
  page: Page,
): Promise<{ rows: unknown[]; local: Record<string, string> }> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error("IndexedDB"));
      });
    const rows: unknown[] = [];
    for (const { name = "" } of await indexedDB.databases()) {
      if (!name.startsWith("waggle-outbox")) continue;
      const database = await settled(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        rows.push(...(await settled(database.transaction(store).objectStore(store).getAll())));
      }
      database.close();
    }
    return { rows, local: Object.fromEntries(Object.entries(localStorage)) };
  });
}

/**
 * All browser storage of a page as one text: cookies, both storages, every database, cached addresses, and names and
 * short files of the origin private file system.
 */
export async function storedTextOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  const kept = await keptBy(page);
  const rest = await page.evaluate(async () => {
    const files: string[] = [];
    const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const handle of folder.values()) {
        files.push(handle.name);
        if (handle instanceof FileSystemDirectoryHandle) await walk(handle);
        else {
          const file = await (handle as FileSystemFileHandle).getFile();
          if (file.size < 100_000) files.push(await file.text());
        }
      }
    };
    await walk(await navigator.storage.getDirectory());
    const databases = (await indexedDB.databases()).map(({ name }) => name ?? "");
    const cached: string[] = [];
    for (const name of await caches.keys()) {
      const requests = await (await caches.open(name)).keys();
      cached.push(name, ...requests.map(({ url }) => url));
    }
    return { session: Object.entries(sessionStorage), files, databases, cached };
  });
  return JSON.stringify({ cookies, kept, rest });
}

/** `<role> <name>` of each control, as Chromium reports it to assistive technology. */
export async function controlsOf(page: Page): Promise<string[]> {
  const roles = ["button", "link", "textbox", "searchbox", "switch", "combobox", "spinbutton"];
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes
    .filter((node) => !node.ignored && roles.includes(String(node.role?.value)))
    .map((node) => `${String(node.role?.value)} ${String(node.name?.value ?? "").trim()}`);
}
