/** TensorBoard event files on disk: how one begins, and where a process resumed. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fileVersionRecord, restartRecord, scalarsRecord } from "./event-file.ts";
import { openEventWriter } from "./event-writer.ts";

test("an event file begins with its version and marks where a process resumed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-events-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = () => 1_700_000_000_250;
  const { path, write } = await openEventWriter(folder, { from: 7, now: clock });
  await write(8, { loss: 0.5, bad: Number.NaN });
  await write(9, { bad: Infinity });
  const seconds = 1_700_000_000.25;
  expect(await readFile(path)).toEqual(
    Buffer.concat([
      fileVersionRecord(seconds),
      restartRecord(seconds, 8),
      scalarsRecord(seconds, 8, { loss: 0.5 }),
    ]),
  );
});
