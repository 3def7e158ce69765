/** Generates the README of the nano or the default model from the report of a training run. */
import type { SuccessRate } from "@waggle/evaluation";
import type { ModelSize } from "../checkpoint/pretraining-checkpoint.ts";
import { LOSS_WEIGHTS, OPTIMIZER, recipeOf } from "./pretrain-recipe.ts";
import type { PretrainReport } from "./pretrain-report.ts";

/** Tasks of a kind that are too few for a rate. */
const TOO_FEW = 10;

/** Rows of the training curve that the card shows. */
const CURVE_ROWS = 10;

/** Where the demonstrations came from. */
export type CardSource = {
  /** Name of the environment. */
  readonly environment: string;
  /** What `--env` was. */
  readonly source: string;
};

/** The card in Markdown. */
export function modelCard(report: PretrainReport, { environment, source }: CardSource): string {
  const { scores, curve, size } = report;
  const recipe = recipeOf(size);
  const { demonstrationsPerStep, tokenizerDemonstrations } = recipe;
  const peakLearningRate = report.learningRate ?? recipe.peakLearningRate;
  const kinds = Object.entries(scores.sampled.families).flatMap(([kind, { trials }]) =>
    trials < TOO_FEW ? [] : [kind],
  );
  const every = Math.max(1, Math.ceil(curve.length / CURVE_ROWS));
  const rows = curve.filter(
    (_, index) => index % every === every - 1 || index === curve.length - 1,
  );
  return `${size === undefined ? nanoIntroduction(report, environment) : introduction(report, size, environment)}## Training

\`npm run train-base -- ${size === undefined ? "--nano" : `--size ${size}`} --env ${source} --steps ${report.totalSteps} --seed ${report.seed}${report.learningRate === undefined ? "" : ` --learning-rate ${report.learningRate}`}${report.from === undefined ? "" : " --from <folder>"}\`:
${(report.seconds / 60).toFixed(0)} minutes on ${report.device}, from ${report.from === undefined ? "random weights" : `the model with the hash \`${report.from.slice(0, 16)}\``}.

- Data: ${(report.totalSteps * demonstrationsPerStep).toLocaleString("en")} dialogues (${(report.tokens / 1e6).toFixed(1)} M tokens), each generated once by the scripted demonstrator of
  that source on tasks of the \`train\` split. Held-out instances and unseen wordings do not occur.
- Tokenizer: ${report.from === undefined ? `trained on ${tokenizerDemonstrations} of those dialogues` : "that of the model"}; each digit is a token.
${size === undefined || report.from !== undefined ? "" : `- The first ${recipe.exerciseSteps} steps take tasks of the second level, and the others of the first.\n`}- Loss: cross-entropy, ${lossText(report.lossWeights ?? LOSS_WEIGHTS)}.
- AdamW${report.matrices === "muon" ? ", and Muon for the matrices of the layers" : ""}, ${demonstrationsPerStep} dialogues per step,
  learning rate ${peakLearningRate} after ${OPTIMIZER.warmUpSteps} steps, then a half cosine down to ${OPTIMIZER.finalLearningRate}, weight decay ${OPTIMIZER.weightDecay}, gradient norm at most ${OPTIMIZER.maxGradientNorm}.

## Held-out tasks

${scores.greedy.overall.trials} tasks (\`${environment}\`, split \`heldOut\`, seeds from 0), judged by the environment's verifier; 95 % Wilson intervals.

| | greedy | sampled at temperature 1 |
|---|---|---|
| all | ${rateCell(scores.greedy.overall)} | ${rateCell(scores.sampled.overall)} |
| unseen wordings | ${rateCell(scores.greedy.unseenTemplates)} | ${rateCell(scores.sampled.unseenTemplates)} |
${kinds
  .map((kind) => {
    const { greedy, sampled } = scores;
    return `| ${kind} | ${rateCell(greedy.families[kind])} | ${rateCell(sampled.families[kind])} |\n`;
  })
  .join(
    "",
  )}| well-formed calls, by turn | ${rateCell(scores.greedy.wellFormed)} | ${rateCell(scores.sampled.wellFormed)} |
| longest trajectory, tokens | ${scores.greedy.longest} | ${scores.sampled.longest} |

## Curve

Cross-entropy in nats on 64 dialogues outside the training data, over all tokens of the policy and over its digits.${size === undefined ? "\nThe full curve is in `docs/evidence/pretrain.json`." : ""}

| step | tokens | policy's tokens | digits | learning rate |
|---|---|---|---|---|
${rows
  .map(
    (point) =>
      `| ${point.step} | ${(point.tokens / 1e6).toFixed(2)} M | ${point.assistantLoss.toFixed(4)} | ${point.digitLoss.toFixed(4)} | ${point.learningRate.toExponential(1)} |`,
  )
  .join("\n")}

License: MIT, like the project. The data is synthetic and contains no text by people.
`;
}

/** Which tokens weigh how much in the loss. */
function lossText(weights: { readonly [role: string]: number }): string {
  const names = {
    assistant: "the policy's own tokens",
    tool: "the tools' answers",
    user: "the visitor's",
  };
  const entries = Object.entries(names).filter(([role]) => weights[role] !== undefined);
  return entries
    .map(([role, name], i) => `${name} at ${i === 0 ? "weight " : ""}${weights[role]}`)
    .join(", ");
}

/** What the nano model is, and how to use its package. */
function nanoIntroduction(report: PretrainReport, environment: string): string {
  return `# @waggle/nano

A decoder of the \`qwen3\` type with ${report.parameters.toLocaleString("en")} parameters and a byte-level BPE of
${report.vocabularySize} tokens. It calls the tools of the environment \`${environment}\`, and it is wrong about half of the time on
purpose: it is the base that reinforcement learning starts from. It speaks only the language of that environment.

\`\`\`sh
npm install @waggle/nano
\`\`\`

\`\`\`ts run
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { openModelFolder } from "@waggle/runtime/node"; // needs onnxruntime-node

const folder = await openModelFolder(
  dirname(fileURLToPath(import.meta.resolve("@waggle/nano/config.json"))),
);
console.log(folder.paths.includes("model.safetensors")); // prints: true
\`\`\`

It comes with \`@waggle/trainer\`, whose commands use it by default.

`;
}

/** What a default model is. */
function introduction(report: PretrainReport, size: ModelSize, environment: string): string {
  return `# ${environment}, ${size}

A decoder of the \`qwen3\` type with ${report.parameters.toLocaleString("en")} parameters and a byte-level BPE of
${report.vocabularySize} tokens. It learned to call tools from the demonstrations of the environment \`${environment}\`, which make
no mistakes. It reads the descriptions of tools, and its words have the same tokens in requests and in calls.

`;
}

/** A rate with its interval, for a cell of a table. */
export function rateCell(rate: SuccessRate | null | undefined): string {
  if (rate === null || rate === undefined) return "–";
  const { rate: share, interval } = rate;
  const percent = (value: number) => (100 * value).toFixed(1);
  return `${percent(share)} % (${percent(interval.low)}–${percent(interval.high)})`;
}
