/** How a model family begins, writes and ends calls. */
import type { ToolCallFormat } from "@waggle/protocol";
import type { BlockReader } from "./block.ts";

/** A call to write. */
export type WritableCall = { readonly name: string; readonly arguments: object };

/** One tool-call format. */
export type ToolCallFormatEntry = {
  readonly format: ToolCallFormat;
  /** Marker that begins a block of calls. */
  readonly begin: string;
  /** End marker, which is an error outside of a block. */
  readonly strayEnd: string | null;
  /** Matches a turn that begins a block without the marker. */
  readonly beginsTurn: RegExp | null;
  /** All markers. A decoder keeps them in the text. */
  readonly markers: readonly string[];
  readonly read: BlockReader;
  /** Writes at least one call. The text contains markers, so texts of the calls must not. */
  readonly write: (calls: readonly WritableCall[]) => string;
};
