/** What the probes read from a rollout of a scripted policy. Tests only. */
import { scriptedPolicy } from "@waggle/agent";
import { environmentRollout } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import type { AnswerReading } from "@waggle/evaluation";
import { FULL_SUPPORT, type TaskReference } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { readAnswer } from "./answer-reading.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });

/** @param turns - of the policy. */
export async function readTurns(
  spec: EnvironmentSpec,
  reference: TaskReference,
  kind: string,
  ...turns: string[]
): Promise<AnswerReading> {
  const [stop = 0] = format.stopTokenIds;
  const left = [...turns];
  const policy = {
    ...scriptedPolicy(() => {
      const next = left.shift();
      return next === undefined ? null : [...tokenizer.encodeTemplate(next), stop];
    }, 4096),
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
  } as const;
  const { signal } = new AbortController();
  const options = { sampling: FULL_SUPPORT, seed: 1, maxTurnTokens: 200 };
  const rollout = await environmentRollout(policy, format, spec, reference, options, signal);
  return readAnswer(rollout, kind, format);
}
