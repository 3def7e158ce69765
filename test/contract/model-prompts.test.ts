/** Prompts turn by turn are what the chat templates of real models render, as Python's Jinja2 recorded it. */
import { expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import rendering from "../interop/rendering.interop.ts";
import { compareModel, MODELS, sourceOf } from "../interop/rendering/compare.ts";
import { byteTokenizer } from "../interop/rendering/tokenizers.ts";

const SAMPLE = ["Qwen2.5-7B-Instruct", "Llama-3.2-3B-Instruct"];

test.each(MODELS.filter(({ name }) => isLong() || SAMPLE.includes(name)))(
  "prompts of $name have the text of its template",
  (model) => {
    const { passed, failed, deviations } = compareModel(model, byteTokenizer(sourceOf(model)));
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(0);
    expect(passed + deviations.length).toBe(18);
  },
);

test.runIf(isLong())(
  "prompts of 14 models have the tokens of the whole text in 218 of 252 cases",
  async () => {
    const { passed, failed, deviations } = await rendering.run();
    expect(failed).toEqual([]);
    expect(passed).toBe(218);
    const reasons = Map.groupBy(deviations, ({ reason }) => reason);
    expect([...reasons].map(([reason, cases]) => [reason, cases.length])).toEqual([
      ["the template removes the empty thought of earlier turns", 31],
      ["the template refuses it (This model only supports single tool-calls at once!)", 3],
    ]);
  },
  600_000,
);
