/** Every public schema as JSON Schema: the names, types and limits that other versions rely on. */
import { z } from "zod";
import * as protocol from "./index.ts";

export function wireSchemas(): { [name: string]: unknown } {
  const schemas = Object.entries(protocol)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) =>
      value instanceof z.ZodType
        ? [[name, z.toJSONSchema(value, { io: "input", unrepresentable: "any" })]]
        : [],
    );
  return JSON.parse(JSON.stringify(Object.fromEntries(schemas))) as { [name: string]: unknown };
}
