"""Golden values other than the taken token's: log-probs of candidates, values of heads, and their gradients.

Computed on the committed checkpoints of generate.py (qwen3, llama) with its PyTorch forward pass in float64;
this file adds the heads, by autograd. It shares no code with the project and does not overwrite files of
generate.py. Run from this folder: /usr/bin/python3 generate_heads.py
"""

import json
import os
import struct

import numpy
import torch

from generate import CONFIGS, HERE, SEED, forward, rounded, write_safetensors

HEADER = {
    "by": f"PyTorch {torch.__version__}",
    "command": "/usr/bin/python3 test/golden/decoder/generate_heads.py",
    "dtype": "float64",
    "seed": SEED + 1,
}
HEADS = 2
LENGTHS = (23, 9, 1)
WATCHED = [
    "model.embed_tokens.weight",
    "model.layers.0.self_attn.q_proj.weight",
    "model.layers.0.self_attn.v_proj.weight",
    "model.layers.0.self_attn.o_proj.weight",
    "model.layers.0.self_attn.q_norm.weight",
    "model.layers.0.input_layernorm.weight",
    "model.layers.0.mlp.gate_proj.weight",
    "model.layers.1.self_attn.k_proj.weight",
    "model.layers.1.post_attention_layernorm.weight",
    "model.layers.1.mlp.up_proj.weight",
    "model.layers.1.mlp.down_proj.weight",
    "model.layers.1.self_attn.k_norm.weight",
    "model.norm.weight",
    "lm_head.weight",
]


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw = numpy.frombuffer(body[begin:end], dtype="<u2" if entry["dtype"] == "BF16" else "<f4")
        if entry["dtype"] == "BF16":
            raw = (raw.astype("<u4") << 16).view("<f4")
        tensors[name] = torch.tensor(raw.astype("<f8")).reshape(entry["shape"])
    return tensors


def final_hidden(config, weights, adapter, token_ids):
    """Hidden states [T, C] after the final norm: logits of an identity matrix as head."""
    name = "lm_head.weight"
    untied = {**config, "tie_word_embeddings": False}
    identity = torch.eye(config["hidden_size"], dtype=torch.float64)
    return forward(untied, {**weights, name: identity}, adapter, token_ids)


def make_sequences(config, random):
    """Every third token has no candidates. Others include the taken token, a repeated id, or a single id."""
    sequences = []
    for length in LENGTHS:
        ids = [int(value) for value in random.integers(0, config["vocab_size"], length)]
        candidates = [None] * length
        for t in range(length):
            if t % 3 != 2:
                drawn = [int(v) for v in random.integers(0, config["vocab_size"], 1 + t % 5)]
                candidates[t] = [ids[t], *drawn, drawn[0]] if t % 2 else drawn
        sequences.append({"tokenIds": ids, "candidateTokenIds": candidates})
    return sequences


def run(config, weights, adapter, head, sequences, derivatives, trained):
    """Outputs, and gradients of Σ derivative · output, of candidates and of values, by name."""
    for tensor in trained.values():
        tensor.requires_grad_(True)
    outputs = []
    losses = {name: torch.zeros((), dtype=torch.float64) for name in derivatives}
    for index, sequence in enumerate(sequences):
        ids = sequence["tokenIds"]
        log_probs = forward(config, weights, adapter, ids).log_softmax(-1)
        values = final_hidden(config, weights, adapter, ids) @ head["score.weight"].T
        values = values + head["score.bias"]
        factors = torch.tensor(derivatives["values"][index], dtype=torch.float64)
        losses["values"] = losses["values"] + (values.reshape(-1) * factors).sum()
        rows = [None] * len(ids)
        for t in range(1, len(ids)):
            asked = sequence["candidateTokenIds"][t]
            if asked is None:
                continue
            row = log_probs[t - 1][torch.tensor(asked)]
            rows[t] = rounded(row.detach())
            of_row = derivatives["candidateLogProbs"][index][t]
            term = (row * torch.tensor(of_row, dtype=torch.float64)).sum()
            losses["candidateLogProbs"] = losses["candidateLogProbs"] + term
        outputs.append({"candidateLogProbs": rows, "values": rounded(values.detach().reshape(-1))})
    gradients = {}
    for output, loss in losses.items():
        parts = torch.autograd.grad(loss, list(trained.values()), allow_unused=True)
        for name, part in zip(trained, parts):
            if part is not None:
                gradients[f"{output}/{name}"] = part
    for tensor in trained.values():
        tensor.requires_grad_(False)
    return outputs, gradients


def main():
    for model_type, config in CONFIGS.items():
        folder = os.path.join(HERE, model_type)
        random = numpy.random.default_rng(SEED + 1)
        weights = read_safetensors(os.path.join(folder, "model.safetensors"))
        adapter = read_safetensors(os.path.join(folder, "adapter_model.safetensors"))

        def normal(*shape):
            return torch.tensor(random.normal(0, 1, shape).astype("<f4").astype("<f8"))

        head = {
            "score.weight": normal(HEADS, config["hidden_size"]),
            "score.bias": normal(HEADS),
        }
        sequences = make_sequences(config, random)

        def drawn(count):
            return [round(float(value), 4) for value in random.normal(0, 1, count)]

        derivatives = {
            "candidateLogProbs": [
                [
                    None if t == 0 or asked is None else drawn(len(asked))
                    for t, asked in enumerate(sequence["candidateTokenIds"])
                ]
                for sequence in sequences
            ],
            "values": [drawn(HEADS * length) for length in LENGTHS],
        }
        watched = {name: weights[name] for name in WATCHED if name in weights}
        cases, tensors = {}, {f"head/{name}": value.clone() for name, value in head.items()}
        for trains, used, trained in (
            ("full", None, {**watched, **head}),
            ("lora", adapter, {**adapter, **head}),
        ):
            arguments = (config, weights, used, head, sequences, derivatives, trained)
            cases[trains], gradients = run(*arguments)
            tensors.update({f"{trains}/{name}": value for name, value in gradients.items()})
        write_safetensors(os.path.join(folder, "heads.safetensors"), tensors, "F32")
        record = {**HEADER, "sequences": sequences, "derivatives": derivatives, "outputs": cases}
        with open(os.path.join(folder, "heads.json"), "w") as file:
            json.dump(record, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
