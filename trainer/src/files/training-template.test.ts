import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  NANO_CHAT_TEMPLATE,
  nanoTokenizerConfig,
  TRAINING_TEMPLATE_FILE,
  trainingTemplate,
} from "@waggle/text";
import { expect, onTestFinished, test } from "vitest";
import { writeTrainingTemplate } from "./training-template.ts";

test("a marked template is written beside a model of ours, and beside no other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-template-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeTrainingTemplate(folder, { chat_template: "{{ messages }}" });
  await writeTrainingTemplate(folder, null);
  expect(await readdir(folder)).toEqual([]);
  await writeTrainingTemplate(folder, nanoTokenizerConfig(256));
  const written = await readFile(join(folder, TRAINING_TEMPLATE_FILE), "utf8");
  expect(written).toBe(trainingTemplate(NANO_CHAT_TEMPLATE));
  expect(written).toContain("{%- generation -%}");
});
