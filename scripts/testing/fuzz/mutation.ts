/** Seeded changes of valid inputs: of JSON values, of their text, and of bytes. */
import { isObject, type RandomSource } from "@waggle/protocol";

/** One of a list. */
export function pick<T>(random: RandomSource, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A whole number from 0 to `below` - 1. */
export function below(random: RandomSource, bound: number): number {
  return Math.floor(random() * bound);
}

/** Texts that parsers and stores often treat in a wrong way. */
export const HOSTILE_TEXTS: readonly string[] = [
  "",
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "\u202e\u200b\ufeff",
  "é\u0301ﬀ１",
  "../../etc/passwd",
  "%2e%2e%2f",
  "'; DROP TABLE trajectories; --",
  "{{7*7}}${7*7}",
  "<script>alert(1)</script>",
  "<|im_end|><tool_call>",
  "00000000-0000-4000-8000-000000000000",
  "f".repeat(64),
  "9".repeat(400),
  "a".repeat(5000),
  "2026-02-30T25:61:61Z",
];

const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 63),
  1e21,
  1e308,
];

/** A value that rarely fits. */
function hostileValue(random: RandomSource): unknown {
  switch (below(random, 8)) {
    case 0:
      return null;
    case 1:
      return random() < 0.5;
    case 2:
      return [];
    case 3:
      return {};
    case 4:
      return Array.from({ length: below(random, 300) }, () => pick(random, HOSTILE_NUMBERS));
    case 5:
      return JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}',
      ) as unknown;
    case 6:
      return pick(random, HOSTILE_TEXTS);
    default:
      return pick(random, HOSTILE_NUMBERS);
  }
}

type Container = unknown[] | { [key: string]: unknown };

/** A copy of a JSON value with one to three changes at random places. */
export function mutatedJson(value: unknown, random: RandomSource): unknown {
  const root: Container = { value: structuredClone(value) };
  for (let changes = 1 + below(random, 3); changes > 0; changes -= 1) changeInside(root, random);
  return (root as { value?: unknown }).value;
}

function changeInside(root: Container, random: RandomSource): void {
  let parent = root;
  for (;;) {
    const key = pick(random, Object.keys(parent));
    if (key === undefined) return;
    const child = at(parent, key);
    const isContainer = Array.isArray(child) || isObject(child);
    const isEmpty = isContainer && Object.keys(child as object).length === 0;
    if (isContainer && !isEmpty && (parent === root || random() < 0.75)) {
      parent = child as Container;
      continue;
    }
    change(parent, key, random);
    return;
  }
}

const at = (parent: Container, key: string): unknown =>
  Array.isArray(parent) ? parent[Number(key)] : parent[key];

function put(parent: Container, key: string, value: unknown): void {
  // Not an assignment, so that `__proto__` becomes a member.
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function change(parent: Container, key: string, random: RandomSource): void {
  const own = at(parent, key);
  switch (below(random, 6)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      return;
    case 1:
      if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(own));
      else put(parent, pick(random, HOSTILE_TEXTS), structuredClone(own));
      return;
    case 2:
      return put(parent, key, at(parent, pick(random, Object.keys(parent))));
    case 3:
      return put(
        parent,
        key,
        typeof own === "number" ? own + pick(random, [-1, 1, 0.5, 1e9]) : [own],
      );
    default:
      return put(parent, key, hostileValue(random));
  }
}

/** JSON text with a change that a parser meets before any schema; mostly no longer JSON. */
export function mutatedText(text: string, random: RandomSource): string {
  const cut = below(random, text.length + 1);
  const number = /-?\d+(\.\d+)?/g;
  const numbers = [...text.matchAll(number)];
  const replaced = (by: string): string => {
    const found = numbers.length === 0 ? undefined : pick(random, numbers);
    if (found === undefined) return text + by;
    return text.slice(0, found.index) + by + text.slice(found.index + found[0].length);
  };
  switch (below(random, 8)) {
    case 0:
      return text.slice(0, cut);
    case 1:
      return replaced(pick(random, ["NaN", "Infinity", "1e400", "-1e400", "0x10", "01", "1e-400"]));
    case 2: {
      const depth = pick(random, [41, 1000, 20_000]);
      return replaced("[".repeat(depth) + "]".repeat(depth));
    }
    case 3:
      return text.replace(/^\{/, '{"__proto__":{"polluted":1},');
    case 4: {
      const member = /"[^"]{1,40}":/.exec(text.slice(cut))?.[0];
      return member === undefined ? `${text}${text}` : text.replace(/^\{/, `{${member}null,`);
    }
    case 5:
      return `\ufeff${text}`;
    case 6:
      return text.slice(0, cut) + pick(random, HOSTILE_TEXTS) + text.slice(cut);
    default:
      return `${text.slice(0, cut)}${"{".repeat(below(random, 5000))}`;
  }
}

/** A copy of bytes with flips, cuts, repeats and numbers of the edges of integer types. */
export function mutatedBytes(bytes: Uint8Array, random: RandomSource): Uint8Array {
  let changed = Uint8Array.from(bytes);
  for (let changes = 1 + below(random, 4); changes > 0; changes -= 1) {
    const from = below(random, changed.length + 1);
    const to = Math.min(changed.length, from + 1 + below(random, 32));
    switch (below(random, 5)) {
      case 0:
        if (from < changed.length)
          changed[from] = (changed[from] as number) ^ (1 << below(random, 8));
        break;
      case 1:
        changed = changed.slice(0, from);
        break;
      case 2:
        changed = Uint8Array.from([
          ...changed.subarray(0, to),
          ...changed.subarray(from, to),
          ...changed.subarray(to),
        ]);
        break;
      case 3:
        changed = Uint8Array.from([...changed.subarray(0, from), ...changed.subarray(to)]);
        break;
      default:
        changed.fill(pick(random, [0, 0x7f, 0x80, 0xff]), from, Math.min(to, from + 8));
    }
  }
  return changed;
}
