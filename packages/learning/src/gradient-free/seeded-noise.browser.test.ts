/** Pages compute the same perturbation as the trainer, bit for bit. */
import { sha256 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { PERTURBATION, PERTURBED_SHA256, TENSORS } from "./perturbed-adapter.fixture.ts";
import { withPerturbation } from "./seeded-noise.ts";

test("a page's perturbed adapter has the same bits as the trainer's", async () => {
  const B = withPerturbation(TENSORS, PERTURBATION).get("model.layers.0.mlp.up_proj.lora_B.weight");
  const { data } = B as { data: Float32Array };
  expect(await sha256(new Uint8Array(data.buffer as ArrayBuffer))).toBe(PERTURBED_SHA256);
});
