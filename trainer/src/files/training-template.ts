/** Writes a chat template with `{% generation %}` marks beside a model, for TRL's `assistant_only_loss`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "@waggle/protocol";
import { TRAINING_TEMPLATE_FILE, trainingTemplate } from "@waggle/text";

/** @param tokenizerConfig - the model's `tokenizer_config.json`. Only templates of ours are marked. */
export async function writeTrainingTemplate(
  folder: string,
  tokenizerConfig: unknown,
): Promise<void> {
  const template = isObject(tokenizerConfig) ? tokenizerConfig["chat_template"] : null;
  const marked = typeof template === "string" ? trainingTemplate(template) : null;
  if (marked !== null) await writeFile(join(folder, TRAINING_TEMPLATE_FILE), marked);
}
