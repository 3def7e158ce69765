import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import {
  always,
  eventually,
  implies,
  now,
  satisfiedShare,
  type Specification,
  until,
} from "./specifications.ts";

const is = (letter: string): Specification<string> => now((step) => step === letter);
const of = (text: string): string[] => text.split("");

/** The same logic by its recursive definition: true now, or at the next step. */
type Formula =
  | { readonly is: string }
  | { readonly always: Formula }
  | { readonly eventually: Formula }
  | { readonly first: Formula; readonly until: Formula }
  | { readonly premise: Formula; readonly claim: Formula };

function slow(formula: Formula, trace: readonly string[]): boolean {
  const [head, ...rest] = trace;
  if ("is" in formula) return head === formula.is;
  if ("premise" in formula) return !slow(formula.premise, trace) || slow(formula.claim, trace);
  if ("always" in formula) {
    return head === undefined || (slow(formula.always, trace) && slow(formula, rest));
  }
  if (head === undefined) return false;
  if ("eventually" in formula) return slow(formula.eventually, trace) || slow(formula, rest);
  return slow(formula.until, trace) || (slow(formula.first, trace) && slow(formula, rest));
}

function fast(formula: Formula): Specification<string> {
  if ("is" in formula) return is(formula.is);
  if ("always" in formula) return always(fast(formula.always));
  if ("eventually" in formula) return eventually(fast(formula.eventually));
  if ("until" in formula) return until(fast(formula.first), fast(formula.until));
  return implies(fast(formula.premise), fast(formula.claim));
}

test("a specification equals its recursive definition", () => {
  const random = mulberry32(3);
  const draw = (depth: number): Formula => {
    const kind = depth === 0 ? 0 : Math.floor(random() * 5);
    if (kind === 1) return { always: draw(depth - 1) };
    if (kind === 2) return { eventually: draw(depth - 1) };
    if (kind === 3) return { first: draw(depth - 1), until: draw(depth - 1) };
    if (kind === 4) return { premise: draw(depth - 1), claim: draw(depth - 1) };
    return { is: "abc"[Math.floor(random() * 3)] as string };
  };
  const seen = new Set<boolean>();
  for (let i = 0; i < 500; i += 1) {
    const formula = draw(3);
    const trace = Array.from({ length: i % 6 }, () => "abc"[Math.floor(random() * 3)] as string);
    const satisfied = fast(formula)(trace, 0);
    expect(satisfied).toBe(slow(formula, trace));
    seen.add(satisfied);
  }
  expect(seen.size).toBe(2);
});

test("the share counts satisfied specifications", () => {
  const answered = eventually(is("a"));
  const recovers = always(implies(is("f"), eventually(is("o"))));
  expect(satisfiedShare(of("fa"), [answered, recovers])).toBe(0.5);
  expect(satisfiedShare(of("foa"), [answered, recovers])).toBe(1);
  expect(satisfiedShare(of("f"), [answered, recovers, until(is("o"), is("a"))])).toBe(0);
  expect(satisfiedShare(of("f"), [])).toBe(1);
});
