/** Text rows give the recorded tokens when they are rendered as TRL does, which Python's Jinja2 recorded. */
import { expect, test } from "vitest";
import { isLong, skipOutside } from "../fixtures/long.ts";
import exports from "../interop/exports.interop.ts";
import { compareRows } from "../interop/exports/compare.ts";
import {
  EXPORTED_MODELS,
  formatOf,
  MARKED_NANO,
  NANO,
  nanoFormat,
} from "../interop/exports/sample.ts";
import { sourceOf, templateOf } from "../interop/rendering/models.ts";
import { byteTokenizer } from "../interop/rendering/tokenizers.ts";

/** Of 36 rows, and with a vocabulary 39. The last columns are rows that only tokens can express. */
const COUNTS: readonly (readonly [string, { own: number; verbatim: number }])[] = [
  ["Qwen2.5-7B-Instruct", { own: 30, verbatim: 3 }],
  ["Qwen3-0.6B", { own: 3, verbatim: 30 }],
  ["Llama-3.2-3B-Instruct", { own: 27, verbatim: 6 }],
];

test.for(COUNTS)("33 of 36 rows of %s give the recorded text", async ([name, counts], context) => {
  skipOutside(name.startsWith("Llama"), context);
  const model = EXPORTED_MODELS.find((one) => one.name === name)!;
  const format = formatOf(model, templateOf(model), byteTokenizer(sourceOf(model)));
  const { failed, deviations, ...found } = await compareRows(name, format);
  expect(failed).toEqual([]);
  expect(found).toEqual({ ...counts, passed: 33 });
  expect(new Set(deviations.map(({ reason }) => reason))).toEqual(
    new Set(["left out: special-tokens-in-text"]),
  );
});

test.each([NANO, MARKED_NANO])("33 of 39 rows of %s give the recorded text", async (name) => {
  const { failed, own, verbatim, deviations } = await compareRows(name, nanoFormat());
  expect(failed).toEqual([]);
  expect({ own, verbatim }).toEqual({ own: 30, verbatim: 3 });
  expect(deviations).toHaveLength(6);
});

test.runIf(isLong())(
  "528 of 624 rows of 16 templates give the recorded text, and the rest are left out with a reason",
  async () => {
    const { passed, failed, deviations } = await exports.run();
    expect(failed).toEqual([]);
    expect(passed).toBe(528);
    const reasons = Map.groupBy(deviations, ({ reason }) => reason);
    expect([...reasons].map(([reason, rows]) => [reason, rows.length])).toEqual([
      ["left out: other-segmentation", 48],
      ["left out: special-tokens-in-text", 48],
    ]);
  },
  600_000,
);
