import fc from "fast-check";
import { expect, test } from "vitest";
import {
  derivedSeed,
  hashText,
  mulberry32,
  namedRandom,
  seededRandom,
  sfc32,
  spanSeed,
  splitmix32,
  standardNormal,
  textFraction,
} from "./seeded-random.ts";

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const three = (random: () => number): number[] => [random(), random(), random()];

/** The published recurrence of sfc32, in arithmetic that cannot overflow. */
function plainSfc32(seed: number): () => number {
  const mask = 0xffff_ffffn;
  let [a, b, c, counter] = [0n, BigInt(seed), 0n, 1n];
  const next = (): bigint => {
    const out = (a + b + counter) & mask;
    counter = (counter + 1n) & mask;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) & mask;
    c = ((((c << 21n) & mask) | (c >> 11n)) + out) & mask;
    return out;
  };
  for (let round = 0; round < 15; round++) next();
  return () => {
    const high = next() >> 5n;
    const low = next() >> 6n;
    return Number((high << 26n) | low) / 2 ** 53;
  };
}

test("the numbers of sfc32 are those of its published recurrence", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const [random, expected] = [sfc32(seed), plainSfc32(seed)];
      for (let i = 0; i < 20; i++) expect(random()).toBe(expected());
    }),
  );
});

// Recorded when the generators were five modules. A change here changes tasks, weights or rollouts.
test.each([
  [
    "seededRandom(0)",
    seededRandom(0),
    [0.8783690477721393, 0.08320169895887375, 0.18966390495188534],
  ],
  [
    "seededRandom(7, 94)",
    seededRandom(7, 94),
    [0.2790950534399599, 0.8813957534730434, 0.04160807724110782],
  ],
  [
    "seededRandom(-3.7)",
    seededRandom(-3.7),
    [0.8914112211205065, 0.9907801379449666, 0.9705992387607694],
  ],
  [
    "seededRandom(2 ** 40 + 5)",
    seededRandom(2 ** 40 + 5),
    [0.2874146855901927, 0.44152289000339806, 0.5631641785148531],
  ],
  ["mulberry32(1)", mulberry32(1), [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]],
  ["splitmix32(1)", splitmix32(1), [0.3678755429573357, 0.08161311969161034, 0.8205357783008367]],
  ["sfc32(1)", sfc32(1), [0.4143997614965732, 0.3868573653355908, 0.967716195918118]],
  [
    "mulberry32(-5)",
    mulberry32(-5),
    [0.48384718922898173, 0.05296749505214393, 0.9390332337934524],
  ],
  [
    "splitmix32(-5)",
    splitmix32(-5),
    [0.33210812183097005, 0.016128468560054898, 0.8674039526376873],
  ],
  ["sfc32(-5)", sfc32(-5), [0.2881028677436458, 0.06390527532676094, 0.43344396352419956]],
  [
    "mulberry32(4294967295)",
    mulberry32(4294967295),
    [0.8964226141106337, 0.189478256739676, 0.7156526781618595],
  ],
  [
    "splitmix32(4294967295)",
    splitmix32(4294967295),
    [0.9197099530138075, 0.999645066447556, 0.30326323537155986],
  ],
  [
    "sfc32(4294967295)",
    sfc32(4294967295),
    [0.4706466757938219, 0.06437045855800183, 0.8547783121590388],
  ],
] as const)("%s gives its recorded numbers", (_, random, expected) => {
  expect(three(random)).toEqual(expected);
});

test("normal numbers of splitmix32 are those that initial weights were drawn from", () => {
  const random = splitmix32(1);
  expect([standardNormal(random), standardNormal(random)]).toEqual([
    0.8345872265302164, -0.5592761073613468,
  ]);
});

test("derived seeds are the recorded ones", () => {
  expect([derivedSeed(1), derivedSeed(1, 2, 3)]).toEqual([4128013005, 2447214934]);
  expect([spanSeed(0, 0), spanSeed(4294967295, 3), spanSeed(-1, 12)]).toEqual([
    2462723854, 1685009282, 1838066851,
  ]);
});

test("a text has one hash and one fraction", () => {
  expect(["", "a", "日本 𝒳"].map(hashText)).toEqual([2166136261, 3826002220, 771437400]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const fraction = textFraction(text);
      return fraction >= 0 && fraction < 1 && fraction === textFraction(text);
    }),
  );
});

test("a name has a stream of its own under each seed", () => {
  const first = three(namedRandom(3, "layers.0.q"));
  expect(three(namedRandom(3, "layers.0.q"))).toEqual(first);
  expect(three(namedRandom(4, "layers.0.q"))).not.toEqual(first);
  expect(three(namedRandom(3, "layers.0.k"))).not.toEqual(first);
});

test.each([
  ["seededRandom", seededRandom],
  ["mulberry32", mulberry32],
  ["splitmix32", splitmix32],
  ["sfc32", sfc32],
] as const)(
  "first numbers of neighboring seeds of %s are uniform and unrelated",
  (_, generator) => {
    const count = 20_000;
    const first = Array.from({ length: count }, (_, seed) => generator(seed)());
    const mean = first.reduce((sum, x) => sum + x, 0) / count;
    const lagged = first
      .slice(1)
      .reduce((sum, x, i) => sum + (x - 0.5) * ((first[i] ?? 0) - 0.5), 0);
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / count));
    expect(Math.abs(lagged / count)).toBeLessThan((5 * (1 / 12)) / Math.sqrt(count));
    expect(Math.min(...first)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...first)).toBeLessThan(1);
  },
);
