"""Golden values of the decoder: logits, per-token outputs and gradients of tiny random checkpoints.

Plain PyTorch in float64 with autograd, written from the published model definitions of Qwen3 and
Llama (Hugging Face's conventions: weights [out, in], rotary halves, not neighbors). It shares no
code with the project. Run from this folder: /usr/bin/python3 generate.py
"""

import json
import math
import os
import struct

import numpy
import torch

SEED = 20261120
HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = {
    "by": f"PyTorch {torch.__version__}",
    "command": "/usr/bin/python3 test/golden/decoder/generate.py",
    "dtype": "float64",
    "seed": SEED,
}
COMMON = {
    "attention_bias": False,
    "head_dim": 16,
    "hidden_act": "silu",
    "hidden_size": 64,
    "intermediate_size": 96,
    "max_position_embeddings": 256,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "torch_dtype": "bfloat16",
}
CONFIGS = {
    "qwen3": {
        **COMMON,
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "rms_norm_eps": 1e-06,
        "rope_scaling": None,
        "rope_theta": 1000000,
        "tie_word_embeddings": True,
    },
    "llama": {
        **COMMON,
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "mlp_bias": False,
        "rms_norm_eps": 1e-05,
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 32,
        },
        "rope_theta": 10000,
        "tie_word_embeddings": False,
    },
}
RANK, ALPHA = 4, 8
LENGTHS = (41, 24)
LINEARS = {
    "self_attn.q_proj": ("q", "width"),
    "self_attn.k_proj": ("kv", "width"),
    "self_attn.v_proj": ("kv", "width"),
    "self_attn.o_proj": ("width", "q"),
    "mlp.gate_proj": ("ffn", "width"),
    "mlp.up_proj": ("ffn", "width"),
    "mlp.down_proj": ("width", "ffn"),
}


def sizes(config):
    return {
        "width": config["hidden_size"],
        "q": config["num_attention_heads"] * config["head_dim"],
        "kv": config["num_key_value_heads"] * config["head_dim"],
        "ffn": config["intermediate_size"],
    }


def random_weights(config, generator):
    """Large enough that every part affects the logits; every value is exact in bfloat16."""

    def normal(shape, deviation, mean=0.0):
        values = torch.randn(shape, generator=generator, dtype=torch.float64) * deviation + mean
        return values.to(torch.bfloat16).double()

    size = sizes(config)
    width, head = config["hidden_size"], config["head_dim"]
    weights = {"model.embed_tokens.weight": normal((config["vocab_size"], width), 0.3)}
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        weights[prefix + "input_layernorm.weight"] = normal((width,), 0.2, 1.0)
        for name, (rows, columns) in LINEARS.items():
            shape = (size[rows], size[columns])
            weights[f"{prefix}{name}.weight"] = normal(shape, 1.5 / math.sqrt(shape[1]))
        if config["model_type"] == "qwen3":
            weights[prefix + "self_attn.q_norm.weight"] = normal((head,), 0.3, 1.5)
            weights[prefix + "self_attn.k_norm.weight"] = normal((head,), 0.3, 1.5)
        weights[prefix + "post_attention_layernorm.weight"] = normal((width,), 0.2, 1.0)
    weights["model.norm.weight"] = normal((width,), 0.2, 1.0)
    if not config["tie_word_embeddings"]:
        weights["lm_head.weight"] = normal((config["vocab_size"], width), 0.3)
    return weights


def random_adapter(config, generator):
    size = sizes(config)
    adapter = {}
    for layer in range(config["num_hidden_layers"]):
        for name, (rows, columns) in LINEARS.items():
            stem = f"base_model.model.model.layers.{layer}.{name}"
            a = torch.randn((RANK, size[columns]), generator=generator, dtype=torch.float64)
            b = torch.randn((size[rows], RANK), generator=generator, dtype=torch.float64)
            adapter[f"{stem}.lora_A.weight"] = (a / math.sqrt(size[columns])).float().double()
            adapter[f"{stem}.lora_B.weight"] = (b * 0.2).float().double()
    return adapter


def head_size(config):
    return config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])


def frequencies(config):
    head = head_size(config)
    exponent = torch.arange(0, head, 2, dtype=torch.float64) / head
    inverse = 1.0 / (config["rope_theta"] ** exponent)
    scaling = config.get("rope_scaling")
    if scaling is None:
        return inverse
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    old = scaling["original_max_position_embeddings"]
    result = []
    for frequency in inverse.tolist():
        wavelength = 2 * math.pi / frequency
        if wavelength < old / high:
            result.append(frequency)
        elif wavelength > old / low:
            result.append(frequency / scaling["factor"])
        else:
            smooth = (old / wavelength - low) / (high - low)
            result.append((1 - smooth) * frequency / scaling["factor"] + smooth * frequency)
    return torch.tensor(result, dtype=torch.float64)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def forward(config, weights, adapter, token_ids, scale=ALPHA / RANK):
    """Logits [T, V]; `scale` of the adapter."""
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head = head_size(config)
    length = len(token_ids)

    def norm(x, weight):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config["rms_norm_eps"]) * weight

    def linear(x, name):
        y = x @ weights[name + ".weight"].T
        if name + ".bias" in weights:
            y = y + weights[name + ".bias"]
        if adapter is not None:
            a = adapter[f"base_model.model.{name}.lora_A.weight"]
            b = adapter[f"base_model.model.{name}.lora_B.weight"]
            y = y + (x @ a.T) @ b.T * scale
        return y

    angles = torch.outer(torch.arange(length, dtype=torch.float64), frequencies(config))
    angles = torch.cat((angles, angles), dim=-1)
    cos, sin = angles.cos(), angles.sin()
    future = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    x = weights["model.embed_tokens.weight"][torch.tensor(token_ids)]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        attention = prefix + "self_attn."
        hidden = norm(x, weights[prefix + "input_layernorm.weight"])
        q = linear(hidden, attention + "q_proj").view(length, heads, head)
        k = linear(hidden, attention + "k_proj").view(length, kv_heads, head)
        v = linear(hidden, attention + "v_proj").view(length, kv_heads, head)
        if config["model_type"] == "qwen3":
            q = norm(q, weights[attention + "q_norm.weight"])
            k = norm(k, weights[attention + "k_norm.weight"])
        q, k, v = q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)
        if config.get("no_rope_layers", {layer: 1})[layer] == 1:
            q = q * cos + rotate_half(q) * sin
            k = k * cos + rotate_half(k) * sin
        k = k.repeat_interleave(heads // kv_heads, dim=0)
        v = v.repeat_interleave(heads // kv_heads, dim=0)
        scores = (q @ k.transpose(1, 2) / math.sqrt(head)).masked_fill(future, -math.inf)
        attended = (scores.softmax(-1) @ v).transpose(0, 1).reshape(length, heads * head)
        x = x + linear(attended, attention + "o_proj")
        hidden = norm(x, weights[prefix + "post_attention_layernorm.weight"])
        gate = linear(hidden, prefix + "mlp.gate_proj")
        up = linear(hidden, prefix + "mlp.up_proj")
        x = x + linear(gate * torch.sigmoid(gate) * up, prefix + "mlp.down_proj")
    x = norm(x, weights["model.norm.weight"])
    # smollm3's config omits its default
    is_tied = config.get("tie_word_embeddings", True)
    name = "model.embed_tokens.weight" if is_tied else "lm_head.weight"
    return x @ weights[name].T


def token_outputs(logits, sequence):
    """Entry t from the logits at t - 1; entry 0 is 0."""
    token_ids = sequence["tokenIds"]
    result = {"logProb": [], "rawLogProb": [], "entropy": [], "sumSquaredProb": []}
    for values in result.values():
        values.append(torch.zeros((), dtype=torch.float64))
    for t in range(1, len(token_ids)):
        row = logits[t - 1]
        result["rawLogProb"].append(row.log_softmax(-1)[token_ids[t]])
        kept = sequence["keptTokenIds"][t]
        index = torch.arange(len(row)) if kept is None else torch.tensor(kept)
        log_probs = (row[index] / sequence["temperatures"][t]).log_softmax(-1)
        taken = (index == token_ids[t]).nonzero().item()
        result["logProb"].append(log_probs[taken])
        result["entropy"].append(-(log_probs.exp() * log_probs).sum())
        result["sumSquaredProb"].append((2 * log_probs).exp().sum())
    return {name: torch.stack(values) for name, values in result.items()}


def random_sequences(config, random, kind):
    """`plain`: temperature 1, all kept. `cool`: 0.7. `kept`: temperatures and kept sets vary."""
    sequences = []
    for length in LENGTHS:
        token_ids = [int(value) for value in random.integers(0, config["vocab_size"], length)]
        temperatures = [{"plain": 1.0, "cool": 0.7}.get(kind, 0.0)] * length
        kept = [None] * length
        if kind == "kept":
            temperatures = [round(float(value), 2) for value in random.uniform(0.5, 1.5, length)]
            for t in range(length):
                if random.random() < 0.6:
                    count = int(random.integers(1, 12))
                    ids = random.choice(config["vocab_size"], count, replace=False)
                    kept[t] = sorted({token_ids[t], *(int(value) for value in ids)})
        sequences.append(
            {"tokenIds": token_ids, "temperatures": temperatures, "keptTokenIds": kept}
        )
    return sequences


def rounded(tensor):
    return [round(float(value), 8) for value in tensor]


def case(config, weights, adapter, sequences, derivatives, trained):
    """Outputs of the sequences, and gradients by name if derivatives are given."""
    for tensor in trained.values():
        tensor.requires_grad_(True)
        tensor.grad = None
    outputs, logits_at, loss = [], [], 0.0
    for index, sequence in enumerate(sequences):
        logits = forward(config, weights, adapter, sequence["tokenIds"])
        result = token_outputs(logits, sequence)
        for name in derivatives or {}:
            factors = torch.tensor(derivatives[name][index], dtype=torch.float64)
            loss = loss + (factors[1:] * result[name][1:]).sum()
        outputs.append({name: rounded(values.detach()) for name, values in result.items()})
        positions = [0, 1, len(sequence["tokenIds"]) // 2, len(sequence["tokenIds"]) - 1]
        logits_at.append(
            {"positions": positions, "values": [rounded(logits[p].detach()) for p in positions]}
        )
    record = {"sequences": sequences, "outputs": outputs, "logits": logits_at}
    gradients = {}
    if derivatives is not None:
        loss.backward()
        record["derivatives"] = derivatives
        gradients = {name: tensor.grad for name, tensor in trained.items()}
    for tensor in trained.values():
        tensor.requires_grad_(False)
    return record, gradients


def write_safetensors(path, tensors, dtype):
    header, chunks, position = {}, [], 0
    for name, tensor in tensors.items():
        if dtype == "BF16":
            words = tensor.float().numpy().view(numpy.uint32)
            assert (words & 0xFFFF == 0).all()
            data = (words >> 16).astype("<u2").tobytes()
        else:
            data = tensor.float().numpy().astype("<f4").tobytes()
        offsets = [position, position + len(data)]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": offsets}
        chunks.append(data)
        position += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def main():
    for model_type, config in CONFIGS.items():
        folder = os.path.join(HERE, model_type)
        os.makedirs(folder, exist_ok=True)
        generator = torch.Generator().manual_seed(SEED)
        random = numpy.random.default_rng(SEED)
        weights = random_weights(config, generator)
        adapter = random_adapter(config, generator)
        cases = {}
        for kind in ("plain", "cool"):
            sequences = random_sequences(config, random, kind)
            cases[kind], _ = case(config, weights, None, sequences, None, {})
        sequences = random_sequences(config, random, "kept")
        derivatives = {
            name: [[round(float(v), 4) for v in random.normal(0, 1, n)] for n in LENGTHS]
            for name in ("logProb", "rawLogProb", "entropy")
        }
        cases["full"], full = case(config, weights, None, sequences, derivatives, weights)
        cases["lora"], lora = case(config, weights, adapter, sequences, derivatives, adapter)

        def write_json(name, value):
            with open(os.path.join(folder, name), "w") as file:
                json.dump(value, file, separators=(",", ":"))
                file.write("\n")

        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(config, file, indent=2)
            file.write("\n")
        write_safetensors(os.path.join(folder, "model.safetensors"), weights, "BF16")
        write_safetensors(os.path.join(folder, "adapter_model.safetensors"), adapter, "F32")
        write_safetensors(os.path.join(folder, "gradients.safetensors"), {**full, **lora}, "F32")
        write_json("golden.json", {**HEADER, "rank": RANK, "alpha": ALPHA, "cases": cases})


if __name__ == "__main__":
    main()
