/**
 * The options that a part is defined with, and how to define it again with other values. An option that
 * the recipe did not set stays open, and the recipe offers it as a setting. The definition is stored outside the
 * part, so a changed copy of a part has none.
 */
export type OptionValue = number | boolean | string;

/** One option of a part, with its value. */
export type PartOption<T extends OptionValue = OptionValue> = {
  readonly value: T;
  /** Whether the recipe left it at its default. */
  readonly isOpen: boolean;
  /** The allowed values; absent = any value of the type. */
  readonly choices?: readonly T[];
};

type PartOptions = { readonly [name: string]: PartOption };
type ValuesOf<D extends PartOptions> = { readonly [name in keyof D]: D[name]["value"] };

/** Fields that parts of every slot have. */
export type AnyPart = {
  readonly slot: string;
  readonly part: string;
  readonly around?: readonly AnyPart[];
};

export type PartDefinition = {
  readonly options: PartOptions;
  /** The parts that it wraps. */
  readonly inner: readonly AnyPart[];
  readonly define: (
    values: { readonly [name: string]: OptionValue },
    inner: readonly AnyPart[],
  ) => AnyPart;
};

const DEFINITIONS = new WeakMap<AnyPart, PartDefinition>();

/** An option with the value `given`, or with its default, which then stays open as a setting. */
export function option<T extends OptionValue>(
  given: T | undefined,
  fallback: T,
  choices?: readonly T[],
): PartOption<T> {
  return {
    value: given ?? fallback,
    isOpen: given === undefined,
    ...(choices === undefined ? {} : { choices }),
  };
}

/** An option that is always set, so it is not a setting. */
export function fixed<T extends OptionValue>(value: T): PartOption<T> {
  return { value, isOpen: false };
}

export function fixedAll(values: { readonly [name: string]: OptionValue }): {
  readonly [name: string]: PartOption;
} {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fixed(value)]));
}

/**
 * A part defined by these options, wrapped around these parts.
 *
 * @param make a pure function: it is called again for changed options or parts.
 */
export function definePart<
  D extends PartOptions,
  P extends AnyPart,
  const I extends readonly AnyPart[] = readonly [],
>(
  options: D,
  make: (values: ValuesOf<D>, inner: I) => P,
  inner: I = [] as readonly AnyPart[] as I,
): P {
  const values = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, value]),
  );
  const part = make(values as ValuesOf<D>, inner);
  DEFINITIONS.set(part, {
    options,
    inner,
    define: (changed, others) =>
      definePart(
        Object.fromEntries(
          Object.entries(options).map(([name, one]) => [
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

/** How the part was defined; absent for a changed copy. */
export function partDefinition(part: AnyPart): PartDefinition | undefined {
  return DEFINITIONS.get(part);
}
