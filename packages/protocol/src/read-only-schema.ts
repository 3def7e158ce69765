/** Schemas whose parsed values are read-only in TypeScript. */
import type { z } from "zod";

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/**
 * The same schema with a read-only output type. Nothing changes at run time; zod's own `readonly()` would
 * freeze each parsed value, and trajectories hold long lists.
 */
export function readOnly<S extends z.ZodType>(schema: S): z.ZodType<Immutable<z.output<S>>> {
  return schema as unknown as z.ZodType<Immutable<z.output<S>>>;
}
