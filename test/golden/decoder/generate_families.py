"""Golden values of the other decoder types: logits and per-token outputs of tiny random checkpoints.

The reference is Hugging Face's own model classes in float64 (their norms and softmax round to
float32), with eager attention. The adapter is merged into the weights. Run from this folder in an
environment with the versions of `HEADER`: python generate_families.py
"""

import json
import os

import numpy
import torch
import transformers

from generate import (
    HERE,
    SEED,
    random_sequences,
    rounded,
    token_outputs,
    write_safetensors,
)

HEADER = {
    "by": f"PyTorch {torch.__version__}, transformers {transformers.__version__}",
    "command": "python test/golden/decoder/generate_families.py",
    "dtype": "float64",
    "seed": SEED,
}
RANK, ALPHA = 2, 4
COMMON = {
    "hidden_size": 64,
    "intermediate_size": 64,
    "max_position_embeddings": 256,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "torch_dtype": "bfloat16",
    "pad_token_id": 0,
    "bos_token_id": 0,
    "eos_token_id": 1,
}
# Members as in published configs: transformers 4's layout, without defaults.
CONFIGS = {
    "qwen2": {
        **COMMON,
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_act": "silu",
        "num_hidden_layers": 3,
        "rms_norm_eps": 1e-06,
        "rope_theta": 1000000.0,
        "sliding_window": 32,
        "max_window_layers": 3,
        "tie_word_embeddings": False,
        "use_sliding_window": False,
    },
    "gemma3_text": {
        **COMMON,
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "attention_bias": False,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "head_dim": 32,
        "hidden_activation": "gelu_pytorch_tanh",
        "hidden_size": 48,
        "intermediate_size": 48,
        "num_attention_heads": 2,
        "num_hidden_layers": 6,
        "num_key_value_heads": 1,
        "query_pre_attn_scalar": 24,
        "rms_norm_eps": 1e-06,
        "rope_local_base_freq": 10000.0,
        "rope_scaling": {"factor": 4.0, "rope_type": "linear"},
        "rope_theta": 1000000.0,
        "sliding_window": 8,
        "sliding_window_pattern": 6,
    },
    "smollm3": {
        **COMMON,
        "architectures": ["SmolLM3ForCausalLM"],
        "model_type": "smollm3",
        "attention_bias": False,
        "hidden_act": "silu",
        "mlp_bias": False,
        "no_rope_layers": [1, 1, 1, 0],
        "no_rope_layer_interval": 4,
        "num_hidden_layers": 4,
        "rms_norm_eps": 1e-06,
        "rope_scaling": None,
        "rope_theta": 50000.0,
        "use_sliding_window": False,
    },
    "lfm2": {
        **COMMON,
        "architectures": ["Lfm2ForCausalLM"],
        "model_type": "lfm2",
        "block_auto_adjust_ff_dim": True,
        "block_ffn_dim_multiplier": 1.0,
        "block_multiple_of": 32,
        "conv_L_cache": 3,
        "conv_bias": False,
        "full_attn_idxs": [1],
        "intermediate_size": 96,
        "norm_eps": 1e-05,
        "num_hidden_layers": 3,
        "rope_theta": 1000000.0,
    },
}


def random_weights(model, generator):
    """Large enough that every part affects the logits; exact in bfloat16."""
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        if "norm" in name:
            # gemma3's norms multiply by one plus the weight
            value = 0.2 * noise + (0.0 if model.config.model_type == "gemma3_text" else 1.0)
        elif parameter.dim() == 2 and "embed" not in name and "lm_head" not in name:
            value = noise * 1.2 / parameter.shape[1] ** 0.5
        else:
            value = 0.3 * noise
        parameter.data = value.to(torch.bfloat16).double()


def linear_names(model):
    return [
        name
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and name != "lm_head"
    ]


def random_adapter(model, generator):
    adapter = {}
    for name in linear_names(model):
        rows, columns = model.get_submodule(name).weight.shape
        a = torch.randn((RANK, columns), generator=generator, dtype=torch.float64) / columns**0.5
        b = torch.randn((rows, RANK), generator=generator, dtype=torch.float64) * 0.3
        adapter[f"base_model.model.{name}.lora_A.weight"] = a.float().double()
        adapter[f"base_model.model.{name}.lora_B.weight"] = b.float().double()
    return adapter


def merge(model, adapter):
    for name in linear_names(model):
        a = adapter[f"base_model.model.{name}.lora_A.weight"]
        b = adapter[f"base_model.model.{name}.lora_B.weight"]
        model.get_submodule(name).weight.data += b @ a * (ALPHA / RANK)


@torch.no_grad()
def case(model, sequences):
    outputs, logits_at = [], []
    for sequence in sequences:
        token_ids = sequence["tokenIds"]
        logits = model(torch.tensor([token_ids]), use_cache=False).logits[0].double()
        result = token_outputs(logits, sequence)
        outputs.append({name: rounded(values) for name, values in result.items()})
        positions = [0, 1, len(token_ids) // 2, len(token_ids) - 1]
        logits_at.append({"positions": positions, "values": [rounded(logits[p]) for p in positions]})
    return {"sequences": sequences, "outputs": outputs, "logits": logits_at}


def main():
    for model_type, config in CONFIGS.items():
        folder = os.path.join(HERE, model_type)
        os.makedirs(folder, exist_ok=True)
        generator = torch.Generator().manual_seed(SEED)
        random = numpy.random.default_rng(SEED)
        model_config = transformers.AutoConfig.for_model(**config)
        model = transformers.AutoModelForCausalLM.from_config(
            model_config, attn_implementation="eager", dtype=torch.float64
        ).eval()
        model.tie_weights()
        random_weights(model, generator)
        model.tie_weights()
        # cloned, because merging the adapter changes the model's own weights
        weights = {name: p.data.clone() for name, p in model.named_parameters()}
        adapter = random_adapter(model, generator)
        cases = {
            "plain": case(model, random_sequences(config, random, "plain")),
            "full": case(model, random_sequences(config, random, "kept")),
        }
        merge(model, adapter)
        cases["lora"] = case(model, cases["full"]["sequences"])

        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(config, file, indent=2)
            file.write("\n")
        write_safetensors(os.path.join(folder, "model.safetensors"), weights, "BF16")
        write_safetensors(os.path.join(folder, "adapter_model.safetensors"), adapter, "F32")
        with open(os.path.join(folder, "golden.json"), "w") as file:
            golden = {**HEADER, "rank": RANK, "alpha": ALPHA, "cases": cases}
            json.dump(golden, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
