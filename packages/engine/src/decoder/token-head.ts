/**
 * Graph nodes from final hidden states to per-token outputs, and from per-token derivatives back.
 * With z' = z/τ + mask, p = softmax(z') and H its entropy, of the taken token y:
 *   d logProb / dz' = onehot(y) − p,   dH / dz' = −p∘(log p + H).
 * The one-hot part is added to a single logit of each row, before the products.
 */
import type { GraphTape } from "../graphs/graph-tape.ts";
import type { GraphVariant } from "../graph-variant.ts";

type HeadInputs = {
  /** `[P, C]` */
  readonly hidden: string;
  /** `[V, C]` */
  readonly weight: string;
  readonly variant: GraphVariant;
};

/**
 * Declares the outputs `logProb`, `rawLogProb`, `entropy`, `sumSquaredProb`, each `[P, 1]`, and
 * `candidateLogProbs` `[Q]` if there are candidates.
 */
export function addHeadOutputs(tape: GraphTape, { hidden, weight, variant }: HeadInputs): void {
  const { builder } = tape;
  const logits = logitsOf(tape, hidden, weight);
  const rawLogProbs = logSoftmax(tape, logits);
  const logProbs = variant.tempered
    ? logSoftmax(tape, tempered(tape, logits, variant))
    : rawLogProbs;
  const probs = tape.op("Exp", [logProbs]);
  const lastAxis = tape.builder.ints([-1]);
  const taken = (values: string, name: string): void => {
    builder.node("GatherElements", [values, "targets"], {
      outputs: [name],
      attributes: { axis: 1 },
    });
  };
  taken(logProbs, "logProb");
  if (variant.tempered) taken(rawLogProbs, "rawLogProb");
  const information = tape.op("ReduceSum", [tape.op("Mul", [probs, logProbs]), lastAxis]);
  builder.node("Neg", [information], { outputs: ["entropy"] });
  builder.node("ReduceSumSquare", [probs, lastAxis], { outputs: ["sumSquaredProb"] });
  for (const name of ["logProb", "entropy", "sumSquaredProb"]) {
    builder.output(name, "f32", ["P", 1]);
  }
  if (variant.tempered) builder.output("rawLogProb", "f32", ["P", 1]);
  if (variant.candidates) {
    builder.node("GatherND", [rawLogProbs, "candidates"], { outputs: ["candidateLogProbs"] });
    builder.output("candidateLogProbs", "f32", ["Q"]);
  }
}

/** Contributes the gradients of the hidden states and of the matrix. */
export function addHeadGradient(tape: GraphTape, { hidden, weight, variant }: HeadInputs): void {
  const logits = logitsOf(tape, hidden, weight);
  let gradient = variant.tempered
    ? tape.op("Mul", [
        distributionGradient(tape, tempered(tape, logits, variant), variant.entropy),
        "inverseTemperatures",
      ])
    : distributionGradient(tape, logits, variant.entropy);
  if (variant.raw) {
    const rawProbs = tape.op("Softmax", [logits], { attributes: { axis: -1 } });
    gradient = tape.op("Sub", [gradient, tape.op("Mul", [rawProbs, "rawDerivatives"])]);
  }
  if (variant.candidates) {
    // each place occurs once, so that no two threads add to it
    gradient = tape.op("ScatterND", [gradient, "candidates", "candidateDerivatives"], {
      attributes: { reduction: { string: "add" } },
    });
  }
  gradient = tape.op("ScatterElements", [gradient, "targets", "takenScale"], {
    attributes: { axis: 1, reduction: { string: "add" } },
  });
  tape.contribute(hidden, () => tape.products.product(gradient, weight));
  tape.contribute(weight, () => tape.products.product(gradient, hidden, { transA: 1 }));
}

/** Gradient of derivative·logProb + entropyDerivative·entropy, without the one-hot part. */
function distributionGradient(tape: GraphTape, logits: string, withEntropy: boolean): string {
  const negated = tape.op("Neg", ["derivatives"]);
  if (!withEntropy) {
    const probs = tape.op("Softmax", [logits], { attributes: { axis: -1 } });
    return tape.op("Mul", [probs, negated]);
  }
  const logProbs = logSoftmax(tape, logits);
  const probs = tape.op("Exp", [logProbs]);
  const product = tape.op("Mul", [probs, logProbs]);
  const information = tape.op("ReduceSum", [product, tape.builder.ints([-1])]);
  // p∘(−d − e·H) − e·p∘log p, where Σ p·log p = −H
  const factor = tape.op("Add", [negated, tape.op("Mul", ["entropyDerivatives", information])]);
  return tape.op("Sub", [
    tape.op("Mul", [probs, factor]),
    tape.op("Mul", [product, "entropyDerivatives"]),
  ]);
}

function logitsOf(tape: GraphTape, hidden: string, weight: string): string {
  return tape.products.product(hidden, weight, { transB: 1 });
}

function logSoftmax(tape: GraphTape, logits: string): string {
  if (tape.hasAllKernels) return tape.op("LogSoftmax", [logits], { attributes: { axis: -1 } });
  const last = tape.builder.ints([-1]);
  const below = tape.op("Sub", [logits, tape.op("ReduceMax", [logits, last])]);
  const total = tape.op("ReduceSum", [tape.op("Exp", [below]), last]);
  return tape.op("Sub", [below, tape.op("Log", [total])]);
}

function tempered(tape: GraphTape, logits: string, variant: GraphVariant): string {
  const scaled = tape.op("Mul", [logits, "inverseTemperatures"]);
  return variant.masked ? tape.op("Add", [scaled, "keptMask"]) : scaled;
}
