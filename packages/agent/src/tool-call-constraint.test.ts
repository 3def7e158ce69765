import { WaggleError } from "@waggle/protocol";
import type { GrammarSpec, WaggleErrorCode } from "@waggle/protocol";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { echo, echoing, environmentOf, run, say, sayRaw, tokenizer } from "./rollout.fixture.ts";
import type { Run } from "./rollout.fixture.ts";

const CALLS: GrammarSpec = {
  kind: "tool-calls",
  format: "hermes",
  tools: [{ name: "echo", parameters: echo.parameters }],
  choice: "auto",
  parallel: true,
};
const NAMES = { ...CALLS, tools: [{ name: "echo", parameters: { type: "object" } }] };
const refusing = (code: WaggleErrorCode) => () => {
  throw new WaggleError(code, "refused");
};
const asked = ({ policy }: Run) =>
  policy.contexts.flatMap(({ samples }) => samples.map(({ grammar }) => grammar));

test("with constrainToolCalls every turn is sampled under the tools' grammar, which is recorded", async () => {
  const done = await run(
    { turns: [say("Look.", { name: "echo", arguments: { text: "a" } }), say("Done.")] },
    environmentOf(echoing),
    { constrainToolCalls: true },
  );
  expect(asked(done)).toEqual([CALLS, CALLS]);
  expect(Object.values(done.trajectory.grammars ?? {})).toEqual([CALLS]);
});

test("turns are unconstrained by default and without tools, and a caller's grammar takes precedence", async () => {
  const turns = [say("Done.")];
  expect(asked(await run({ turns }, environmentOf(echoing)))).toEqual([undefined]);
  const bare = environmentOf(echoing, { tools: [] });
  expect(asked(await run({ turns }, bare, { constrainToolCalls: true }))).toEqual([undefined]);
  const own = { constrainToolCalls: true, grammar: { kind: "json" } } as const;
  expect(asked(await run({ turns }, environmentOf(echoing), own))).toEqual([own.grammar]);
});

test("an unsupported schema falls back to tool names, a policy without grammars to none", async () => {
  const constrained = { constrainToolCalls: true };
  const call = say("", { name: "echo", arguments: { text: "a" } });
  const loose = await run(
    { turns: [refusing("GRAMMAR_UNSUPPORTED"), call, say("Done.")] },
    environmentOf(echoing),
    constrained,
  );
  expect(asked(loose)).toEqual([CALLS, NAMES, NAMES]);
  expect(Object.values(loose.trajectory.grammars ?? {})).toEqual([NAMES]);
  expect(loose.trajectory.stopReason).toBe("completed");

  for (const code of ["TOKENIZER_UNSUPPORTED", "CAPABILITY_MISSING"] as const) {
    const free = await run(
      { turns: [refusing(code), say("Done.")] },
      environmentOf(echoing),
      constrained,
    );
    expect(asked(free)).toEqual([CALLS, undefined]);
    expect(free.trajectory.grammars).toBeUndefined();
  }
});

test("other errors are thrown, and so is a refusal of the caller's own grammar", async () => {
  const lost = run({ turns: [refusing("DEVICE_LOST")] }, environmentOf(echoing), {
    constrainToolCalls: true,
  });
  await expect(lost).rejects.toMatchObject({ code: "DEVICE_LOST" });
  const refused = run({ turns: [refusing("GRAMMAR_UNSUPPORTED")] }, environmentOf(echoing), {
    grammar: { kind: "json" },
  });
  await expect(refused).rejects.toMatchObject({ code: "GRAMMAR_UNSUPPORTED" });
});

test("in formats with untyped values, arguments are parsed according to the tools' schemas", async () => {
  const chatFormat = createChatFormat({
    tokenizer,
    tokenizerConfig: nanoTokenizerConfig(4096),
    toolCallFormat: "qwen-xml",
  });
  const call =
    "<tool_call>\n<function=echo>\n<parameter=text>\n5\n</parameter>\n</function>\n</tool_call>";
  const { trajectory } = await run(
    { turns: [sayRaw(call), say("Done.")] },
    environmentOf(echoing),
    { chatFormat },
  );
  expect(trajectory.turns[0]?.toolCalls).toMatchObject([{ arguments: { text: "5" } }]);
});
