"""An adapter of packages/model/nano as PEFT writes it, which test/e2e/publish.test.ts publishes.

Its matrices B are small random numbers instead of PEFT's zeros, so that it changes the model's outputs a little.
nano.json has the versions, and logits of the base with and without it. Run from the project's root in an environment
with those versions: python test/golden/peft/nano.py
"""

import json
import pathlib
import tempfile

import peft
import safetensors
import torch
import transformers

HERE = pathlib.Path(__file__).parent
BASE = "packages/model/nano"
OUT = HERE / "nano"
SEED = 20261130
SEQUENCE = [1, 7, 42, 99, 0, 3, 3, 57, 12, 80, 64, 5]


def main():
    torch.manual_seed(SEED)
    config = peft.LoraConfig(
        task_type="CAUSAL_LM", r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"]
    )
    model = peft.get_peft_model(load(), config)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.01)
    model.save_pretrained(OUT)
    (OUT / "README.md").unlink(missing_ok=True)
    golden = {
        "by": f"PyTorch {torch.__version__}, transformers {transformers.__version__}, "
        f"peft {peft.__version__}, safetensors {safetensors.__version__}",
        "command": "python test/golden/peft/nano.py",
        "dtype": "float32",
        "seed": SEED,
        "sequence": SEQUENCE,
        "base": logits(load()),
        "adapted": logits(peft.PeftModel.from_pretrained(load(), OUT)),
    }
    (HERE / "nano.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


def load():
    return transformers.AutoModelForCausalLM.from_pretrained(
        BASE, dtype=torch.float32, attn_implementation="eager"
    )


@torch.no_grad()
def logits(model):
    """The ten highest logits after the sequence, with their tokens."""
    top = torch.topk(model.eval()(torch.tensor([SEQUENCE])).logits[0, -1], 10)
    return [[token, round(value, 5)] for token, value in zip(top.indices.tolist(), top.values.tolist())]


main()
