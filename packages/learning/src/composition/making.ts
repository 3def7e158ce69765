/**
 * How a part was made: the values that it was given, those that it left at its own standard, and how it
 * is made again with others. What was left at the standard is open: a recipe offers it as a setting. Kept
 * beside the part, not in it: a copy with something changed is another part, which nobody knows how to
 * make again.
 */
export type MadeValue = number | boolean | string;

/** One value that a part is made with. */
export type Dial<T extends MadeValue = MadeValue> = {
  readonly value: T;
  /** Whether nobody said it, so that the standard holds. */
  readonly isOpen: boolean;
  /** Words that fit; absent = any value of the type. */
  readonly choices?: readonly T[];
};

type Dials = { readonly [name: string]: Dial };
type ValuesOf<D extends Dials> = { readonly [name in keyof D]: D[name]["value"] };

/** What all parts have that may be looked into. */
export type AnyPart = {
  readonly slot: string;
  readonly part: string;
  readonly around?: readonly AnyPart[];
};

export type Making = {
  readonly dials: Dials;
  /** Parts that it is put around. */
  readonly inner: readonly AnyPart[];
  readonly again: (
    values: { readonly [name: string]: MadeValue },
    inner: readonly AnyPart[],
  ) => AnyPart;
};

const MAKINGS = new WeakMap<AnyPart, Making>();

/** `given`, or else the standard, which then stays open. */
export function dial<T extends MadeValue>(
  given: T | undefined,
  standard: T,
  choices?: readonly T[],
): Dial<T> {
  return {
    value: given ?? standard,
    isOpen: given === undefined,
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A value that is always said. */
export function fixed<T extends MadeValue>(value: T): Dial<T> {
  return { value, isOpen: false };
}

export function fixedAll(values: { readonly [name: string]: MadeValue }): {
  readonly [name: string]: Dial;
} {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fixed(value)]));
}

/**
 * A part, made with these values and around these parts.
 *
 * @param make pure: it is called again wherever one of them changes.
 */
export function made<
  D extends Dials,
  P extends AnyPart,
  const I extends readonly AnyPart[] = readonly [],
>(
  dials: D,
  make: (values: ValuesOf<D>, inner: I) => P,
  inner: I = [] as readonly AnyPart[] as I,
): P {
  const values = Object.fromEntries(
    Object.entries(dials).map(([name, { value }]) => [name, value]),
  );
  const part = make(values as ValuesOf<D>, inner);
  MAKINGS.set(part, {
    dials,
    inner,
    again: (changed, others) =>
      made(
        Object.fromEntries(
          Object.entries(dials).map(([name, one]) => [
            name,
            { ...one, value: changed[name] ?? one.value },
          ]),
        ) as D,
        make,
        others as I,
      ),
  });
  return part;
}

/** Absent where nothing is known of it. */
export function makingOf(part: AnyPart): Making | undefined {
  return MAKINGS.get(part);
}
