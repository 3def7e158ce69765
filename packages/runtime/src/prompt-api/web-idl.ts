/**
 * Conversions of JavaScript values as Web IDL prescribes them, and the shape of an interface object.
 *
 * Source: Web IDL Standard, sections 3.2 (values) and 3.7 (interfaces).
 * Differs from it: a list's iterator method is read more than once.
 */

/** Converts a value; `name` says in errors what it is. */
export type Conversion<T> = (value: unknown, name: string) => T;

/** A member of a dictionary. A missing member gets the fallback, if there is one. */
type Member<T> = {
  readonly convert: Conversion<T>;
  readonly isRequired?: boolean;
  readonly fallback?: T;
};
type Members<T> = { readonly [key in keyof T]-?: Member<Exclude<T[key], undefined>> };

/** Arrays and functions are objects too. */
const isAnyObject = (value: unknown): value is object => Object(value) === value;

/** `DOMString`: of any value but a symbol. */
export const toText: Conversion<string> = (value) => `${value as string}`;

/** `boolean`. */
export const toBoolean: Conversion<boolean> = Boolean;

/** `unrestricted double`: not of a symbol or a bigint. */
export const toDouble: Conversion<number> = (value) => +(value as number);

/** `object`. */
export const toObject: Conversion<object> = (value, name) => {
  if (isAnyObject(value)) return value;
  throw new TypeError(`${name} must be an object`);
};

/** A callback function. */
export function toCallback<T>(value: unknown, name: string): T {
  if (typeof value === "function") return value as T;
  throw new TypeError(`${name} must be a function`);
}

// oxlint-disable-next-line typescript/unbound-method -- called with the value that it checks
const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")?.get;

/** `AbortSignal`, also of another realm. */
export const toAbortSignal: Conversion<AbortSignal> = (value, name) => {
  try {
    isAborted?.call(value);
    return value as AbortSignal;
  } catch {
    throw new TypeError(`${name} must be an AbortSignal`);
  }
};

/** An enumeration. */
export function enumeration<T extends string>(values: readonly T[]): Conversion<T> {
  return (value, name) => {
    const text = toText(value, name) as T;
    if (values.includes(text)) return text;
    throw new TypeError(`${name} is ${text}; use ${values.join(", ")}`);
  };
}

/** A sequence, of any iterable object. */
export function sequence<T>(convert: Conversion<T>): Conversion<T[]> {
  return (value, name) => {
    if (!isIterable(value)) throw new TypeError(`${name} must be a list`);
    return Array.from(value, (item, index) => convert(item, `${name}[${index}]`));
  };
}

/** A sequence or a `DOMString`: iterable objects are sequences, all others become text. */
export function sequenceOrText<T>(convert: Conversion<T>): Conversion<T[] | string> {
  const toSequence = sequence(convert);
  return (value, name) => (isIterable(value) ? toSequence(value, name) : toText(value, name));
}

/** A dictionary: reads the members of the inherited dictionary, then its own, each by name. */
export function dictionary<T extends object>(
  members: Members<T>,
  inherited: Conversion<object> = () => ({}),
): Conversion<T> {
  const sorted = Object.entries<Member<unknown>>(members).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return (value, name) => {
    if (value != null) toObject(value, name);
    const result: { [key: string]: unknown } = { ...inherited(value, name) };
    for (const [key, { convert, isRequired, fallback }] of sorted) {
      const member = (value as { [key: string]: unknown } | null | undefined)?.[key];
      if (member !== undefined) result[key] = convert(member, `${name}.${key}`);
      else if (isRequired === true) throw new TypeError(`${name}.${key} is missing`);
      else if (fallback !== undefined) result[key] = fallback;
    }
    return result as T;
  };
}

/** @throws TypeError for a call with too few arguments. */
export function requireArguments(given: number, least: number, name: string): void {
  if (given < least) throw new TypeError(`${name} needs ${least} argument${least > 1 ? "s" : ""}`);
}

/** Gives a class the shape of an interface object: enumerable members and a string tag. */
export function shapeAsInterface(
  target: { readonly name: string; readonly prototype: object },
  name: string,
): void {
  for (const owner of [target, target.prototype]) {
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (["constructor", "length", "name", "prototype"].includes(key)) continue;
      Object.defineProperty(owner, key, { ...descriptor, enumerable: true });
    }
  }
  Object.defineProperty(target.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return isAnyObject(value) && (value as Partial<Iterable<unknown>>)[Symbol.iterator] != null;
}
