"""The same step in PyTorch, on two threads or a card: torch-peer.py <file>.

The file is JSON: config, batch (rows of token ids), learningRate, parameters [{name, shape}],
weights (path of their float32 values in that order), device (cpu or cuda) and loraScale (null for
full training; otherwise only adapter parameters are trained). Uses the protocol of peer-service.ts.
"""

import array
import json
import math
import resource
import sys
import time

import torch
import torch.nn.functional as F

with open(sys.argv[1]) as file:
    given = json.load(file)
config = given["config"]
torch.set_num_threads(2)

device = torch.device(given["device"])
scale = given["loraScale"]


def is_trained(name):
    return scale is None or ".lora_" in name


parameters = {}
counts = [math.prod(entry["shape"]) for entry in given["parameters"]]
flat = torch.from_file(given["weights"], size=sum(counts), dtype=torch.float32)
start = 0
for entry, count in zip(given["parameters"], counts):
    tensor = flat[start : start + count].reshape(entry["shape"]).to(device, copy=True)
    parameters[entry["name"]] = tensor.requires_grad_(is_trained(entry["name"]))
    start += count
del flat
trained = [tensor for tensor in parameters.values() if tensor.requires_grad]

rows = torch.tensor(given["batch"], device=device)
inputs, targets = rows[:, :-1], rows[:, 1:]
batch, length = inputs.shape
heads, key_heads, size = config["heads"], config["keyValueHeads"], config["headSize"]
half = torch.arange(0, size, 2, dtype=torch.float64) / size
angles = torch.arange(length, dtype=torch.float64)[:, None] / config["ropeTheta"] ** half
cosine = angles.cos().float()[:, None].to(device)
sine = angles.sin().float()[:, None].to(device)
mask = torch.full((length, length), float("-inf"), device=device).triu(1)


def norm(x, name):
    scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config["rmsNormEpsilon"])
    return x * scale * parameters[name + ".weight"]


def rotate(x):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


def adapter_name(linear, side):
    return f"base_model.model.{linear}.lora_{side}.weight"


def loss():
    hidden = F.embedding(inputs, parameters["model.embed_tokens.weight"])
    for layer in range(config["layers"]):
        prefix = f"model.layers.{layer}."

        def linear(x, name):
            output = F.linear(x, parameters[prefix + name + ".weight"])
            if scale is None:
                return output
            sides = [parameters[adapter_name(prefix + name, side)] for side in "AB"]
            return output + scale * F.linear(F.linear(x, sides[0]), sides[1])

        normal = norm(hidden, prefix + "input_layernorm")

        def project(name, count):
            return linear(normal, f"self_attn.{name}").reshape(batch, length, count, size)

        query = rotate(norm(project("q_proj", heads), prefix + "self_attn.q_norm"))
        key = rotate(norm(project("k_proj", key_heads), prefix + "self_attn.k_norm"))
        value = project("v_proj", key_heads)
        group = heads // key_heads
        query = query.transpose(1, 2)
        key = key.transpose(1, 2).repeat_interleave(group, 1)
        value = value.transpose(1, 2).repeat_interleave(group, 1)
        scores = query @ key.transpose(2, 3) * size**-0.5 + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, heads * size)
        hidden = hidden + linear(mixed, "self_attn.o_proj")
        normal = norm(hidden, prefix + "post_attention_layernorm")
        activated = F.silu(linear(normal, "mlp.gate_proj")) * linear(normal, "mlp.up_proj")
        hidden = hidden + linear(activated, "mlp.down_proj")
    logits = F.linear(norm(hidden, "model.norm"), parameters["model.embed_tokens.weight"])
    return F.cross_entropy(logits.reshape(batch * length, -1), targets.reshape(-1))


optimizer = torch.optim.AdamW(
    trained, lr=given["learningRate"], betas=(0.9, 0.95), weight_decay=0.0
)


def reply(value):
    print(json.dumps(value), flush=True)


on_card = device.type == "cuda"
place = torch.cuda.get_device_name() if on_card else f"cpu x{torch.get_num_threads()}"
reply({"label": f"PyTorch {torch.__version__} {place}"})
for line in sys.stdin:
    request = json.loads(line)
    if "gradients" in request:
        gradients = torch.autograd.grad(loss(), trained)
        with open(request["gradients"], "wb") as file:
            for gradient in gradients:
                array.array("f", gradient.reshape(-1).cpu().tolist()).tofile(file)
        reply({})
        continue
    milliseconds = []
    for _ in range(request["steps"]):
        began = time.perf_counter()
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        if on_card:
            torch.cuda.synchronize()
        milliseconds.append((time.perf_counter() - began) * 1000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    reply({"milliseconds": milliseconds, "megabytes": peak})
