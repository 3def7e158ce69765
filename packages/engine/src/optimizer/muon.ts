/**
 * Muon: the update of a matrix is its momentum, made nearly orthogonal by five Newton–Schulz steps, so that it changes
 * all directions alike. Sources: Jordan et al. 2024, https://kellerjordan.github.io/posts/muon (momentum 0.95, Nesterov,
 * the polynomial); Liu et al. 2025, arXiv:2502.16982 (the factor 0.2·√max(rows, columns), with which AdamW's learning
 * rate and weight decay fit).
 * Differs from them: the query, key and value matrices of a layer are one matrix each, as for AdamW.
 */
import type { Tensor } from "@waggle/protocol";

const MOMENTUM = 0.95;
/** Root mean square of an update in units of the learning rate, as AdamW's usual updates have. */
const UPDATE_SIZE = 0.2;

/** The polynomial a·x + b·x³ + c·x⁵ of each step, and their number. */
export const NEWTON_SCHULZ = { a: 3.4445, b: -4.775, c: 2.0315, steps: 5 } as const;

/** `count` matrices of `rows` ≤ `columns`, one after the other, row by row, each with Frobenius norm 1 or 0. */
export type MatrixBatch = {
  readonly data: Float32Array;
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
};

/** Makes each matrix nearly orthogonal: its singular values become about 1. */
export type Orthogonalize = (batch: MatrixBatch) => Promise<Float32Array>;

/** A matrix with its momentum; both are updated in place. */
export type MuonSlot = {
  readonly name: string;
  readonly parameter: Tensor;
  readonly momentum: Float32Array;
};

export type MuonOptions = {
  readonly learningRate: number;
  /** Decoupled, as in AdamW. */
  readonly weightDecay: number;
  /** Factor of the gradients, for clipping. */
  readonly gradientScale: number;
};

/** Whether Muon updates a parameter: the matrices of the layers, but neither embeddings, logits nor norms. */
export function isMuonMatrix(name: string, { shape }: Tensor): boolean {
  return shape.length === 2 && name.includes(".layers.");
}

/**
 * Takes one step.
 * @param gradients by parameter name; a missing one counts as zero.
 */
export async function muonStep(
  slots: readonly MuonSlot[],
  gradients: ReadonlyMap<string, Float32Array>,
  { learningRate, weightDecay, gradientScale }: MuonOptions,
  orthogonalize: Orthogonalize,
): Promise<void> {
  const keep = 1 - learningRate * weightDecay;
  for (const group of byShape(slots)) {
    const { rows, columns } = group;
    const size = rows * columns;
    const data = new Float32Array(group.slots.length * size);
    for (const [place, slot] of group.slots.entries()) {
      const into = data.subarray(place * size, (place + 1) * size);
      writeDirection(slot, gradients.get(slot.name), gradientScale, into);
    }
    const updates = await orthogonalize({ data, count: group.slots.length, rows, columns });
    const stepSize = learningRate * UPDATE_SIZE * Math.sqrt(columns);
    for (const [place, { parameter }] of group.slots.entries()) {
      const update = updates.subarray(place * size, (place + 1) * size);
      const source = placesOf(parameter);
      const values = parameter.data;
      for (let i = 0; i < size; i += 1) {
        values[i] = keep * (values[i] as number) - stepSize * (update[source(i)] as number);
      }
    }
  }
}

/** Updates the momentum, and writes its look-ahead with Frobenius norm 1, turned so that rows ≤ columns. */
function writeDirection(
  { parameter, momentum }: MuonSlot,
  gradient: Float32Array | undefined,
  scale: number,
  into: Float32Array,
): void {
  const target = placesOf(parameter);
  let squares = 0;
  for (let i = 0; i < momentum.length; i += 1) {
    const now = (1 - MOMENTUM) * scale * (gradient?.[i] ?? 0);
    const kept = MOMENTUM * (momentum[i] as number) + now;
    momentum[i] = kept;
    const ahead = MOMENTUM * kept + now;
    into[target(i)] = ahead;
    squares += ahead ** 2;
  }
  if (squares === 0) return;
  const inverse = 1 / Math.sqrt(squares);
  for (let i = 0; i < into.length; i += 1) into[i] = (into[i] as number) * inverse;
}

/** Place in the turned matrix of each element of a parameter; the same place if it has at most as many rows as columns. */
function placesOf({ shape: [rows = 1, columns = 1] }: Tensor): (place: number) => number {
  if (rows <= columns) return (place) => place;
  return (place) => (place % columns) * rows + Math.floor(place / columns);
}

type Group = { readonly rows: number; readonly columns: number; readonly slots: MuonSlot[] };

function byShape(slots: readonly MuonSlot[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const slot of slots) {
    const [one = 1, other = 1] = slot.parameter.shape;
    const [rows, columns] = one <= other ? [one, other] : [other, one];
    const key = `${rows}x${columns}`;
    const group = groups.get(key) ?? { rows, columns, slots: [] };
    group.slots.push(slot);
    groups.set(key, group);
  }
  return [...groups.values()];
}
