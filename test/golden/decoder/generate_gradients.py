"""Golden gradients of the other trainable decoder types: qwen2 (biases) and smollm3 (layers without rotary
embedding).

Computed on the committed checkpoints and batches of generate_families.py, with the plain forward pass of
generate.py in float64 with autograd. Its outputs are first compared with those of Hugging Face's classes.
Contains the gradients of all adapter tensors, of one weight of each kind, and of all weights specific to the
type. It shares no code with the project. Run from this folder: /usr/bin/python3 generate_gradients.py
"""

import json
import os

import numpy
import torch

from generate import HERE, SEED, forward, token_outputs, write_safetensors
from generate_heads import read_safetensors

HEADER = {
    "by": f"PyTorch {torch.__version__}",
    "command": "/usr/bin/python3 test/golden/decoder/generate_gradients.py",
    "dtype": "float64",
    "seed": SEED + 2,
}
WATCHED = {
    "qwen2": [
        *(
            f"model.layers.{layer}.self_attn.{name}_proj.bias"
            for layer in range(3)
            for name in ("q", "k", "v")
        ),
        "model.embed_tokens.weight",
        "model.layers.0.input_layernorm.weight",
        "model.layers.0.self_attn.q_proj.weight",
        "model.layers.1.self_attn.k_proj.weight",
        "model.layers.2.self_attn.v_proj.weight",
        "model.layers.0.self_attn.o_proj.weight",
        "model.layers.1.post_attention_layernorm.weight",
        "model.layers.2.mlp.gate_proj.weight",
        "model.layers.0.mlp.up_proj.weight",
        "model.layers.1.mlp.down_proj.weight",
        "model.norm.weight",
        "lm_head.weight",
    ],
    "smollm3": [
        *(
            f"model.layers.{layer}.self_attn.{name}_proj.weight"
            for layer in (2, 3)
            for name in ("q", "k")
        ),
        "model.embed_tokens.weight",
        "model.layers.3.input_layernorm.weight",
        "model.layers.3.self_attn.v_proj.weight",
        "model.layers.3.self_attn.o_proj.weight",
        "model.layers.0.post_attention_layernorm.weight",
        "model.layers.3.mlp.gate_proj.weight",
        "model.layers.1.mlp.up_proj.weight",
        "model.layers.0.mlp.down_proj.weight",
        "model.norm.weight",
    ],
}


def run(config, weights, adapter, scale, golden, derivatives, trained):
    """Gradients of Σ derivative · output, by name."""
    for tensor in trained.values():
        tensor.requires_grad_(True)
    loss = 0.0
    for index, sequence in enumerate(golden["sequences"]):
        logits = forward(config, weights, adapter, sequence["tokenIds"], scale)
        result = token_outputs(logits, sequence)
        for name, values in result.items():
            gap = (values.detach() - torch.tensor(golden["outputs"][index][name])).abs().max()
            # their norms and softmax round to float32
            assert gap < 2e-5, (config["model_type"], name, gap)
        for name, factors in derivatives.items():
            loss = loss + (torch.tensor(factors[index], dtype=torch.float64) * result[name])[1:].sum()
    gradients = torch.autograd.grad(loss, list(trained.values()))
    for tensor in trained.values():
        tensor.requires_grad_(False)
    return dict(zip(trained, gradients))


def main():
    for model_type, watched in WATCHED.items():
        folder = os.path.join(HERE, model_type)
        random = numpy.random.default_rng(SEED + 2)

        def read_json(name):
            with open(os.path.join(folder, name)) as file:
                return json.load(file)

        config, golden = read_json("config.json"), read_json("golden.json")
        weights = read_safetensors(os.path.join(folder, "model.safetensors"))
        adapter = read_safetensors(os.path.join(folder, "adapter_model.safetensors"))
        scale = golden["alpha"] / golden["rank"]
        lengths = [len(sequence["tokenIds"]) for sequence in golden["cases"]["full"]["sequences"]]
        derivatives = {
            name: [[round(float(v), 4) for v in random.normal(0, 1, n)] for n in lengths]
            for name in ("logProb", "rawLogProb", "entropy")
        }
        tensors = {}
        for case, used, trained in (
            ("full", None, {name: weights[name] for name in watched}),
            ("lora", adapter, adapter),
        ):
            arguments = (config, weights, used, scale, golden["cases"][case], derivatives, trained)
            tensors.update(run(*arguments))
        write_safetensors(os.path.join(folder, "gradients.safetensors"), tensors, "F32")
        with open(os.path.join(folder, "gradients.json"), "w") as file:
            json.dump({**HEADER, "derivatives": derivatives}, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
