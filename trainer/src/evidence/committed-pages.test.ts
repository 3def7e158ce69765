/** The committed pages say what the committed runs say: written again from them, they come out alike. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readExpectations } from "./expectations.ts";
import { openRunLog } from "./run-log.ts";
import { writeReport } from "./write-report.ts";

const FOLDER = join(import.meta.dirname, "../../../docs/evidence/learning");

test("every page and picture follows from the runs", async () => {
  const again = await mkdtemp(join(tmpdir(), "waggle-pages-"));
  try {
    const expectations = await readExpectations(join(FOLDER, "expectations.json"));
    await writeReport(again, expectations, await openRunLog(join(FOLDER, "runs.jsonl")));
    const written = await readdir(again);
    expect(written.length).toBeGreaterThan(60);
    const differing: string[] = [];
    for (const file of written) {
      const [now, committed] = await Promise.all(
        [again, FOLDER].map((folder) => readFile(join(folder, file), "utf8").catch(() => null)),
      );
      if (now !== committed) differing.push(file);
    }
    expect(differing).toEqual([]);
    const pages = (await readdir(FOLDER)).filter((file) => /\.(md|svg)$/.test(file));
    expect(pages.toSorted()).toEqual(written.toSorted());
  } finally {
    await rm(again, { recursive: true });
  }
});
