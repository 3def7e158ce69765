/** Metrics of optimizer steps: written by the trainer, read by the dashboard. */
import { MetricsRequest, MetricsResponse } from "@waggle/protocol";
import { z } from "zod";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";

const METRICS_BYTES = 2 * 1024 * 1024;
/** Rows in one response; the client continues after the last step. */
const PAGE = 5000;

/** `/v1/trainer/metrics` and `/v1/operator/metrics`. */
export const metricsEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trainer/metrics",
    operationId: "putMetrics",
    summary: "Stores one row per optimizer step; a repeated step replaces its row.",
    access: "trainer",
    request: MetricsRequest,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { rows } = await readJson(context.req.raw, MetricsRequest, METRICS_BYTES);
      if (rows.length > 0) {
        // A trainer that resumed from a checkpoint repeats some steps; the newer run counts.
        await context.var.db
          .prepare(
            `INSERT INTO metrics (site, step, at, metrics)
           SELECT ?site, value ->> 'step', value ->> 'at', value -> 'metrics' FROM json_each(?1) WHERE 1
           ON CONFLICT (site, step) DO UPDATE SET at = excluded.at, metrics = excluded.metrics`,
          )
          .bind(JSON.stringify(rows))
          .run();
      }
      return context.json({});
    },
  },
  {
    method: "get",
    path: "/v1/operator/metrics",
    operationId: "listMetrics",
    summary: "Metrics after a given step, in ascending order.",
    access: "operator",
    parameters: [
      {
        name: "after",
        in: "query",
        description: "The last step that the caller has; leave out for all.",
        schema: z.coerce.number().int().optional(),
      },
    ],
    responses: { 200: MetricsResponse },
    handle: async (context) => {
      const after = Number.parseInt(context.req.query("after") ?? "-1", 10);
      const { results } = await context.var.db
        .prepare(
          `SELECT step, at, metrics FROM metrics WHERE site = ?site AND step > ?1 ORDER BY step LIMIT ${PAGE}`,
        )
        .bind(Number.isNaN(after) ? -1 : after)
        .all<{ step: number; at: string; metrics: string }>();
      const answer: MetricsResponse = {
        rows: results.map((row) => ({
          ...row,
          metrics: JSON.parse(row.metrics) as { [name: string]: number },
        })),
      };
      return context.json(answer);
    },
  },
];
