import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nanoTokenizerConfig, TRAINING_TEMPLATE_FILE, trainingTemplate } from "@waggle/text";
import { expect, onTestFinished, test } from "vitest";
import { writeTrainingTemplate } from "./training-template.ts";

test("a marked template is written beside a model of ours, and beside no other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-template-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeTrainingTemplate(folder, { chat_template: "{{ messages }}" });
  await writeTrainingTemplate(folder, null);
  expect(await readdir(folder)).toEqual([]);
  const { chat_template } = nanoTokenizerConfig(256);
  await writeTrainingTemplate(folder, { chat_template });
  const written = await readFile(join(folder, TRAINING_TEMPLATE_FILE), "utf8");
  expect(written).toBe(trainingTemplate(String(chat_template)));
  expect(written).toContain("{%- generation -%}");
});
