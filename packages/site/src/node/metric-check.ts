/** Metrics: what the type of a metric asks for beside the fields that each has. */
import type { SiteDefinition } from "../site-definition.ts";
import type { Mistake } from "./field-check.ts";

const RANGE = "write the smallest and the largest value, such as range: [1, 5]";

/** @param definition - its fields are valid. */
export function metricMistakes({ metrics = {} }: SiteDefinition): readonly Mistake[] {
  return Object.entries(metrics).flatMap(([name, metric]) => {
    const range = (metric as { readonly range?: unknown }).range;
    const place = `metrics.${name}`;
    if (metric.type === "number" && range === undefined) {
      const message = `${place} is a number and has no range; ${RANGE}`;
      return [{ path: ["metrics", name], message }];
    }
    if (metric.type === "boolean" && range !== undefined) {
      const message = `${place} is true or false and has a range; leave range out, or write type: "number"`;
      return [{ path: ["metrics", name, "range"], message }];
    }
    return [];
  });
}
