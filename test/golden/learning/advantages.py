"""Values of advantage estimators and shaping terms, from their formulas, in plain Python (no dependencies).

Written from the papers' formulas as an independent reference for the TypeScript parts, not translated from them.
Command: python3 test/golden/learning/advantages.py > packages/learning/src/golden/advantages.json
"""
import itertools
import json
import math
import platform


def mean(x):
    return sum(x) / len(x)


def std(x, ddof):
    m = mean(x)
    return math.sqrt(sum((v - m) ** 2 for v in x) / (len(x) - ddof))


out = {
    "by": "plain Python " + platform.python_version(),
    "command": "python3 test/golden/learning/advantages.py > packages/learning/src/golden/advantages.json",
    "dtype": "float64",
    "seed": None,
}

R = [1.0, 0.0, 0.0, 0.5]
G = len(R)
out["rewards"] = R
out["leaveOneOut"] = [R[i] - mean(R[:i] + R[i + 1 :]) for i in range(G)]
out["maximumLikelihood"] = [(r - mean(R)) / mean(R) for r in R]
lengths = [10, 20, 30, 40]
opo = sum(l * r for l, r in zip(lengths, R)) / sum(lengths)
out["lengthWeighted"] = {"lengths": lengths, "advantages": [r - opo for r in R]}
top = max(range(G), key=lambda i: R[i])
out["bestOnly"] = [R[i] - max(R[:i] + R[i + 1 :]) if i == top else 0.0 for i in range(G)]


def pass_at_k(k):
    result = []
    for i in range(G):
        others = [j for j in range(G) if j != i]
        leads = [
            max(R[j] for j in (i, *s)) - max(R[j] for j in s) for s in itertools.combinations(others, k - 1)
        ]
        result.append(mean(leads))
    return result


out["passAtK"] = {"2": pass_at_k(2), "3": pass_at_k(3)}

# REINFORCE++: k1 penalty in the reward, returns over sampled tokens, whitening over the batch's sampled tokens.
mask = [[1, 1, 0, 1], [1, 1, 1, 0]]
gaps = [[0.1, -0.2, 9.0, 0.3], [0.05, 0.4, -0.1, 9.0]]
rewards = [1.0, 0.25]


def rpp(rewards, gamma, beta):
    rows = []
    for b in range(2):
        places = [t for t in range(4) if mask[b][t]]
        row = [0.0] * 4
        for n, t in enumerate(places):
            total = 0.0
            for m in range(n, len(places)):
                paid = rewards[b] if m == len(places) - 1 else 0.0
                total += gamma ** (m - n) * (paid - beta * gaps[b][places[m]])
            row[t] = total
        rows.append(row)
    kept = [rows[b][t] for b in range(2) for t in range(4) if mask[b][t]]
    m, s = mean(kept), std(kept, 0)
    return [[(rows[b][t] - m) / (s + 1e-8) if mask[b][t] else 0.0 for t in range(4)] for b in range(2)]


out["reinforcePlusPlus"] = {
    "mask": mask,
    "gaps": gaps,
    "rewards": rewards,
    "discount": 0.9,
    "klCoefficient": 0.5,
    "advantages": rpp(rewards, 0.9, 0.5),
    "withBaseline": rpp([r - mean(rewards) for r in rewards], 0.9, 0.5),
}

# GAE over sampled tokens only: the closed sum, not the backward recursion.
gr, gv, gm = [0, 0, 0, 0, 0, 1.0], [0.1, 0.2, 9.0, 9.0, 0.3, 0.4], [1, 1, 0, 0, 1, 1]
gamma, lam = 0.99, 0.95


def gae(bootstrap):
    places = [t for t in range(6) if gm[t]]
    v = [gv[t] for t in places] + [bootstrap]
    r = [gr[t] for t in places]
    delta = [r[n] + gamma * v[n + 1] - v[n] for n in range(len(places))]
    adv = [sum((gamma * lam) ** (m - n) * delta[m] for m in range(n, len(places))) for n in range(len(places))]
    return {"advantages": adv, "returns": [a + v[n] for n, a in enumerate(adv)]}


out["gae"] = {
    "rewards": gr,
    "values": gv,
    "mask": gm,
    "discount": gamma,
    "lambda": lam,
    "terminated": gae(0.0),
    "truncated": gae(0.7),
}

# GiGPO: two trajectories of one task, both pass state a; returns discounted by 0.95.
first = [0.95 * 1.0, 1.0]
second = [0.0]
out["stateGroups"] = {
    "none": [[0.5 + first[0] - mean([first[0], second[0]]), 0.5 + 0.0], [-0.5 + second[0] - mean([first[0], second[0]])]],
    "stepOnly": [first[0] - mean([first[0], second[0]]), second[0] - mean([first[0], second[0]])],
    "trajectorySample": [(r - 0.5) / (std([1.0, 0.0], 1) + 1e-6) for r in (1.0, 0.0)],
}

# Optimal token baseline, position by position.
lp = [[-0.1, -1.2, -2.0], [-0.7, -0.3]]
sq = [[0.82, 0.3, 0.2], [0.4, 0.6]]
orew = [1.0, 0.0]
W = [[sum(1 - 2 * math.exp(lp[b][s]) + sq[b][s] for s in range(t + 1)) for t in range(len(lp[b]))] for b in range(2)]
obase = [
    sum(orew[b] * W[b][t] for b in range(2) if t < len(W[b])) / sum(W[b][t] for b in range(2) if t < len(W[b]))
    for t in range(3)
]
out["optimalToken"] = {
    "logProbs": lp,
    "sumSquaredProbs": sq,
    "rewards": orew,
    "advantages": [[orew[b] - obase[t] for t in range(len(lp[b]))] for b in range(2)],
}

# Moving baseline, decay 0.9, prior 0.
b1 = 0.1 * 1.0
out["movingBaseline"] = {"second": 0.5 - b1, "after": 0.9 * b1 + 0.1 * 0.5}

# Turns: discounted returns, then one scale over all turns of the group.
turns = [[0.0, 0.2, 1.0], [0.1, 0.0]]
ret = [[sum(0.9 ** (k - t) * row[k] for k in range(t, len(row))) for t in range(len(row))] for row in turns]
flat = [v for row in ret for v in row]
out["turns"] = {
    "rewards": turns,
    "returns": ret,
    "group": [[(v - mean(flat)) / (std(flat, 0) + 1e-6) for v in row] for row in ret],
    "turn": [
        [v - mean([other[t] for other in ret if t < len(other)]) for t, v in enumerate(row)] for row in ret
    ],
}

# Chunked TD targets: chunk 2, discount 0.9.
tr, tv = [1.0, 0.0, 2.0], [5.0, 4.0, 3.0, 2.0]
out["chunkTargets"] = {
    "rewards": tr,
    "values": tv,
    "terminated": [1.0 + 0.9 * 0.0 + 0.81 * 3.0, 0.0 + 0.9 * 2.0, 2.0],
    "truncated": [1.0 + 0.81 * 3.0, 0.9 * 2.0 + 0.81 * 2.0, 2.0 + 0.9 * 2.0],
}

# DAPO overlong: limit 100, buffer 20.
out["overlong"] = {str(n): min(-(n - 80) / 20, 0) if n > 80 else 0 for n in (70, 80, 90, 100)}

# AReaL capacity: min(concurrency - running, (staleness + version + 1) * batch - (accepted + running)).
out["capacity"] = min(8 - 3, (2 + 3 + 1) * 4 - (10 + 3))
print(json.dumps(out, indent=1))
