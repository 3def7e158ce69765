import { judgedRollout } from "@waggle/agent/environments";
import { derivedSeed } from "@waggle/protocol";
import { SHOP_TALK } from "../apps/demo/src/environment/talk/talk-spec.ts";
import { openEvaluated } from "./eval-base/evaluated-model.ts";
const [folder, n] = [process.argv[2] as string, Number(process.argv[3])];
const model: any = await openEvaluated(folder, { temperature: 0, seed: 1 } as any);
const rows = new Map<string, number[]>();
for (const split of ["train", "heldOut"] as const) for (const level of [0, 1]) {
  let ok = 0;
  for (let i = 0; i < n; i++) {
    const ref = SHOP_TALK.reference(derivedSeed(7, i), split as any, level);
    const task: any = SHOP_TALK.task(ref);
    const r: any = await judgedRollout({ policy: model.policy, format: model.format ?? model.chatFormat, sampling: model.sampling, environments: [SHOP_TALK] } as any, ref, 1, new AbortController().signal);
    const s = r.verification?.success ?? r.verification?.reward === 1;
    ok += s ? 1 : 0;
    for (const k of task.kind.split(/[&+]/)) { const key = k; const row = rows.get(key) ?? [0,0,0,0]; const j = split === "train" ? 0 : 2; row[j]!++; if (s) row[j+1]!++; rows.set(key, row); }
    if (i === 0 && level === 0) console.log(JSON.stringify(r.verification).slice(0, 300));
  }
  console.log(split, level, ok, n);
}
for (const [k, v] of [...rows].sort()) console.log(k, v.join(" "));
process.exit(0);
