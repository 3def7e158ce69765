import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilPublicationEnds } from "./due-publication.ts";

function stateFolder() {
  const folder = mkdtempSync(join(tmpdir(), "waggle-publication-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = (stage: string | null) => {
    const publication = stage === null ? null : { stage };
    writeFileSync(join(folder, "state.json"), JSON.stringify({ state: { publication } }));
  };
  return { folder, store };
}

const QUICK = { timeoutMs: 10_000, promotionMs: 20, pollMs: 2 };

test("a publication that has begun is waited for until it ends", async () => {
  const { folder, store } = stateFolder();
  store("evaluate");
  let stages = 0;
  // Each look at the trainer ends a stage.
  const trainer = {
    get running() {
      store(["publish", "promote", null][stages] ?? null);
      stages += 1;
      return true;
    },
  };
  expect(await untilPublicationEnds(folder, trainer, QUICK)).toBe(true);
  expect(stages).toBe(3);
});

test("nothing is waited for without a publication or a checkpoint", async () => {
  const { folder, store } = stateFolder();
  const trainer = { running: true };
  expect(await untilPublicationEnds(folder, trainer, QUICK)).toBe(true);
  store(null);
  expect(await untilPublicationEnds(folder, trainer, QUICK)).toBe(true);
});

test("the wait ends with the trainer, with its time, and early for a promotion", async () => {
  const { folder, store } = stateFolder();
  store("evaluate");
  expect(await untilPublicationEnds(folder, { running: false }, QUICK)).toBe(false);
  const running = { running: true };
  expect(await untilPublicationEnds(folder, running, { ...QUICK, timeoutMs: 10 })).toBe(false);
  store("promote");
  expect(await untilPublicationEnds(folder, running, QUICK)).toBe(false);
});
