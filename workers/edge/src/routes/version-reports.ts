/** What a version learned from and how its answers changed: from the trainer, for the operator. */
import { VersionReport, VersionReportResponse } from "@waggle/protocol";
import { z } from "zod";
import { readJson } from "../body.ts";
import { type Endpoint, storesOf } from "../endpoint.ts";
import { readReport, storeReport } from "../reports/version-report-store.ts";
import { version, versionOf } from "./policies.ts";

/** 20 pairs of answers, each of at most about 50 KB. */
const REPORT_BYTES = 2 * 1024 * 1024;

/** `/v1/trainer/policies/{version}/report` and the operator's. */
export const versionReportEndpoints: readonly Endpoint[] = [
  {
    method: "put",
    path: "/v1/trainer/policies/{version}/report",
    operationId: "putVersionReport",
    summary: "Stores what a published version learned from and how its answers changed.",
    access: "trainer",
    parameters: [version],
    request: VersionReport,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const report = await readJson(context.req.raw, VersionReport, REPORT_BYTES);
      await storeReport(storesOf(context), versionOf(context), report);
      return context.json({});
    },
  },
  {
    method: "get",
    path: "/v1/operator/policies/{version}/report",
    operationId: "getVersionReport",
    summary: "What a version learned from, and its answers beside those of the version before.",
    access: "operator",
    parameters: [version],
    responses: { 200: VersionReportResponse },
    handle: async (context) =>
      context.json(await readReport(storesOf(context), versionOf(context))),
  },
];
