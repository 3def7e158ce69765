/** What the routes' description says, without the texts for people. */
import type { Endpoint } from "../endpoint.ts";
import { describeApi } from "../openapi.ts";

const TEXTS = new Set(["summary", "description", "title"]);

/** Paths and how to identify oneself; the schemas have a golden of their own in protocol. */
export function routesOf(endpoints: readonly Endpoint[]): unknown {
  const { openapi, paths, components } = describeApi(endpoints);
  const { schemas, securitySchemes } = components as { schemas: object; securitySchemes: object };
  const described = { openapi, paths, schemas: Object.keys(schemas).toSorted(), securitySchemes };
  return JSON.parse(
    JSON.stringify(described, (key, value: unknown) =>
      TEXTS.has(key) && typeof value === "string" ? undefined : value,
    ),
  );
}
