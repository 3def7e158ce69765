/** Records whose consent has ended, in exports. */
import type { TextReader } from "@waggle/exchange";
import type { TrajectoryDetail } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { ExportOptions } from "./export-options.ts";
import { exportRecords } from "./export-records.ts";

/** What the export reads of a record before it writes one. */
const record = (edit: object, reason: string | null = null): TrajectoryDetail => {
  const grantedAt = new Date().toISOString();
  const consent = { version: "1", scopes: ["collect", "train"], grantedAt };
  const row = { status: reason === null ? "learned" : "skipped", reason, reward: 1 };
  return { row, trajectory: { consent }, ...edit } as unknown as TrajectoryDetail;
};

test("an export leaves out records whose consent has ended, by reason", async () => {
  const withdrawnAt = new Date().toISOString();
  const records = [
    record({ consentEnded: "consent-withdrawn" }),
    // Of an edge of the previous release.
    record({ receipt: { receipt: {}, withdrawnAt } }),
    // Skipped by the edge, and the visitor has agreed again since.
    record({ consentEnded: null }, "consent-expired"),
    record({ consentEnded: null }),
  ];
  const options = { format: "waggle" } as ExportOptions;
  expect(await exportRecords(records, {} as TextReader, options)).toMatchObject({
    rows: 1,
    leftOut: { "consent-withdrawn": 2, "consent-expired": 1 },
  });
});
