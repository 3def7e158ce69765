/** Layout of a decoder's states in the memory of rows. `state-block.ts` has the memory. */
import { hasPositions } from "@waggle/model";
import type { DecoderState } from "@waggle/model";

/** A state for copying: `outer` pieces of `innerBytes` for each position. */
export type StateLayout = {
  readonly state: DecoderState;
  /** False: the size is fixed, and a run must not write in place. */
  readonly hasPositions: boolean;
  readonly outer: number;
  readonly innerBytes: number;
};

export function layoutOf(state: DecoderState): StateLayout {
  const axis = state.rowShape.indexOf("positions");
  const product = (dims: readonly (number | "positions")[]): number =>
    dims.reduce<number>((total, dim) => total * (dim === "positions" ? 1 : dim), 1);
  return {
    state,
    hasPositions: hasPositions(state),
    outer: axis === -1 ? 1 : product(state.rowShape.slice(0, axis)),
    innerBytes: product(state.rowShape.slice(axis + 1)) * (state.dtype === "f16" ? 2 : 4),
  };
}

/** Bytes of one row with room for `capacity` positions. */
export function rowBytes(layout: StateLayout, capacity: number): number {
  return layout.outer * layout.innerBytes * (layout.hasPositions ? capacity : 1);
}
