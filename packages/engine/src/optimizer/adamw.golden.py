"""Golden values of AdamW with clipping: torch.optim.AdamW and clip_grad_norm_ over 10 steps.

Run: /usr/bin/python3 packages/engine/src/optimizer/adamw.golden.py > packages/engine/src/optimizer/adamw.golden.json
"""

import json

import torch

torch.manual_seed(20261120)
matrix = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
gain = torch.randn(5, dtype=torch.float64, requires_grad=True)
start = {"matrix": matrix.tolist(), "gain": gain.tolist()}
groups = [{"params": [matrix], "weight_decay": 0.1}, {"params": [gain], "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=0.02, betas=(0.9, 0.95), eps=1e-8)
steps = []
for step in range(10):
    matrix.grad = torch.randn(3, 4, dtype=torch.float64) * (step + 1) / 4
    gain.grad = torch.randn(5, dtype=torch.float64) * (step + 1) / 4
    record = {"gradients": {"matrix": matrix.grad.tolist(), "gain": gain.grad.tolist()}}
    record["norm"] = float(torch.nn.utils.clip_grad_norm_([matrix, gain], 2.0))
    optimizer.step()
    record["parameters"] = {"matrix": matrix.tolist(), "gain": gain.tolist()}
    steps.append(record)
header = {
    "by": f"PyTorch {torch.__version__}",
    "command": "/usr/bin/python3 packages/engine/src/optimizer/adamw.golden.py",
    "dtype": "float64",
    "seed": 20261120,
}
print(json.dumps({**header, "start": start, "steps": steps}, separators=(",", ":")))
