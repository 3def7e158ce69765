"""Golden files of PEFT and Transformers in both directions: files that they wrote, with their logits, and
their logits of files that `npm run save-model` wrote, with the hashes of those files.

The base is ../decoder/qwen3. Everything is computed in float64. Run from the project's root in an
environment with the versions of golden.json: python test/golden/peft/generate.py
"""

import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile

import peft
import safetensors
import torch
import transformers

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent.parent
DECODER = HERE.parent / "decoder" / "qwen3"
SEED = 20261121
SEQUENCES = [[1, 7, 42, 99, 0, 3, 3, 57, 12, 80, 64, 5], [9, 31, 2, 88, 17]]
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
ALL = [*ATTENTION, "gate_proj", "up_proj", "down_proj"]
CASES = {
    "all-linears": {"r": 4, "lora_alpha": 8, "target_modules": ALL},
    "rank-stabilized": {
        "r": 3,
        "lora_alpha": 2,
        "target_modules": ["q_proj", "v_proj"],
        "use_rslora": True,
    },
    "patterns": {
        "r": 2,
        "lora_alpha": 4,
        "target_modules": ATTENTION,
        "rank_pattern": {"q_proj": 4, "layers.1.self_attn.k_proj": 1},
        "alpha_pattern": {"v_proj": 10, "model.layers.0.self_attn.o_proj": 3},
    },
}
OURS = {
    "peft-f32": ["--as", "peft"],
    "peft-bf16": ["--as", "peft", "--dtype", "bf16"],
    "merged-f32": ["--as", "merged", "--shard-size", "0.1"],
    "merged-f16": ["--as", "merged", "--dtype", "f16"],
    "merged-bf16": ["--as", "merged", "--dtype", "bf16", "--shard-size", "0.05"],
}


def main():
    torch.manual_seed(SEED)
    work = pathlib.Path(tempfile.mkdtemp(prefix="golden-peft-"))
    base = work / "base"
    base.mkdir()
    for name in ["config.json", "model.safetensors"]:
        shutil.copy(DECODER / name, base)
    (base / "tokenizer.json").write_text("{}")

    theirs = {}
    for name, options in CASES.items():
        model = peft.get_peft_model(load(base), peft.LoraConfig(task_type="CAUSAL_LM", **options))
        for parameter_name, parameter in model.named_parameters():
            if "lora_B" in parameter_name:
                torch.nn.init.normal_(parameter, std=0.3)
        model.to(torch.float32).save_pretrained(HERE / name)
        (HERE / name / "README.md").unlink(missing_ok=True)
        theirs[name] = logits(peft.PeftModel.from_pretrained(load(base), HERE / name))
    merged = peft.PeftModel.from_pretrained(load(base), HERE / "patterns").merge_and_unload()
    merged.to(torch.bfloat16).save_pretrained(HERE / "merged", max_shard_size="60KB")
    theirs["merged"] = logits(load(HERE / "merged"))

    ours = {}
    for name, flags in OURS.items():
        out = work / name
        source = ["--from", str(HERE / "all-linears"), "--base", str(base), "--out", str(out)]
        command = ["node", "--conditions=source", "packages/cli/src/main.ts", "save-model"]
        subprocess.run([*command, *source, *flags], cwd=ROOT, check=True)
        is_adapter = name.startswith("peft")
        model = peft.PeftModel.from_pretrained(load(base), out) if is_adapter else load(out)
        files = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(out.iterdir())
        }
        ours[name] = {"flags": flags, "files": files, "logits": logits(model)}

    golden = {
        "by": f"PyTorch {torch.__version__}, transformers {transformers.__version__}, "
        f"peft {peft.__version__}, safetensors {safetensors.__version__}",
        "command": "python test/golden/peft/generate.py",
        "dtype": "float64",
        "seed": SEED,
        "sequences": SEQUENCES,
        "theirs": theirs,
        "ours": ours,
    }
    (HERE / "golden.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
    shutil.rmtree(work)


def load(folder):
    return transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float64, attn_implementation="eager"
    )


@torch.no_grad()
def logits(model):
    """Logits at the last position of every sequence."""
    model = model.to(torch.float64).eval()
    rows = [model(torch.tensor([ids])).logits[0, -1] for ids in SEQUENCES]
    return [[round(value, 7) for value in row.tolist()] for row in rows]


main()
