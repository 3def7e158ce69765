/** The page of the study `live-signals`, generated from its runs alone. */
import { mean } from "@waggle/evaluation";
import { formulaSection } from "./formula-section.ts";
import { KL, LEARNING_RATE, PER_STEP } from "./cell-learner.ts";
import type { SignalRun } from "./run-cell.ts";
import { ANSWERING, TEXT_EPOCHS, WRONG } from "./signal-arms.ts";
import { LEAST_SEEDS, reachesTarget, type SignalGain, signalGains } from "./signal-gains.ts";

export function liveSignalsPage(runs: readonly SignalRun[]): string {
  const all = signalGains(runs);
  const gains = all.filter(({ arm }) => arm.target !== null);
  const sites = [...new Set(all.map(({ site }) => site))];
  const { requests, evaluationTasks } = runs[0] ?? { requests: 0, evaluationTasks: 0 };
  const dates = [...new Set(runs.map(({ date }) => date))].toSorted();
  const shares = Object.entries(ANSWERING).map(([signal, share]) => `${signal} ${100 * share} %`);
  return [
    "# Which signal of people teaches what?",
    "",
    `**${answerOf(gains)}**`,
    "",
    ...sites.flatMap((site) => tableOf(site, gains, runs)),
    "```sh",
    "npm run study -- live-signals",
    "```",
    "",
    "The command keeps the runs in [`live-signals-runs.jsonl`](live-signals-runs.jsonl) and makes only the missing ones.",
    `Those of this page are of ${dates.join(", ")}.`,
    "",
    ...formulaSection(all, runs),
    "## What was compared",
    "",
    `In each run, simulated people make ${requests.toLocaleString("en")} requests, and the policy learns from what some of them say.`,
    "The learner gets records and feedback, and no task, verdict or environment. It is a process that refuses to load",
    "`@waggle/environments`, the sites and the people",
    "([decision 105](../../decisions/0105-people-whose-wishes-nothing-sees.md)). For equal seeds, its figures should be exactly",
    "those of one process, and a test compares them. A verifier that only the people and the report know judges",
    `${evaluationTasks} held-out tasks at temperature 1; the greedy gain is that with greedy decoding.`,
    "",
    "- In `parcels`, people ask how to send a thing, and in `repairs`, when to bring one. What they want depends on the kind of",
    "  the thing, and no request says it. The author of the site guessed it for the base's demonstrations: right for half of the",
    "  kinds, and wrong for the others. The base answers in one turn, without tools.",
    "- Three in ten demonstrations have a request that names an answer, also in the words in which people correct one. So the base",
    "  understands corrections.",
    `- A step has ${PER_STEP} requests, the learning rate ${LEARNING_RATE} and a KL term of ${KL} to the base. Texts that people write are used`,
    `  in ${TEXT_EPOCHS} steps each, and all else in one; where the formula has messages and corrections, both are used in ${TEXT_EPOCHS}.`,
    "- People give a signal after a share of the requests. It is, if half of the answers are right:",
    `  ${shares.join(", ")}.`,
    `  Unhappy people do so twice as often as happy ones, and ${100 * WRONG} % of the signals say the opposite.`,
    "- A person who corrects an answer names the right one. One who corrects a right answer names what somebody else wants.",
    "- In the control, each reaction goes to another request of the same 32.",
    "- Learning from shuffled feedback can lower success. Then the distance to the control is larger than the gain.",
    "- Shares other than that of thumbs are assumptions. So arms differ in how much feedback they have, not only in its kind.",
    "",
    "## What it does not show",
    "",
    "Most arms were run before tokens got importance weights, and in one process. In the study, the policy that samples also",
    "learns, so these weights are 1.",
    "",
    "The rate, the size of a step and the use of texts were chosen in earlier runs of the same two sites, with the seeds 1 to 3.",
    "Those runs are not kept. Some of them failed, and show limits:",
    "",
    "- With steps of 8 or 16 requests, some runs ended with a policy that had lost the form of its answers.",
    "- From a base that answers at random, because its author guessed nothing, outcomes and edits taught almost nothing.",
    "- In a site whose answer follows a call of a tool, outcomes and corrections lowered success. Those runs sampled calls",
    "  without their grammar, as no page does.",
    "",
  ].join("\n");
}

function answerOf(gains: readonly SignalGain[]): string {
  const least = Math.min(...gains.map(({ seeds }) => seeds));
  if (gains.length === 0) return "No runs yet.";
  const best = gains.reduce((top, one) => (one.gain > top.gain ? one : top));
  const what = `${best.arm.name} in ${best.site}, ${signed(best.gain)} points over the base`;
  if (least < LEAST_SEEDS) {
    const count = least === 1 ? "one seed" : `${least} seeds`;
    return `No answer yet: ${count} of at least ${LEAST_SEEDS}. The largest gain so far: ${what}.`;
  }
  const judged = gains.map(reachesTarget).filter((reached) => reached !== null);
  return `${judged.filter(Boolean).length} of ${judged.length} arms reach their target. The largest gain: ${what}.`;
}

function tableOf(site: string, all: readonly SignalGain[], runs: readonly SignalRun[]): string[] {
  const gains = all.filter((one) => one.site === site);
  const bases = runs.filter((run) => run.site === site);
  const base = 100 * mean(bases.map((run) => run.base));
  const greedy = 100 * mean(bases.map((run) => run.greedyBase));
  return [
    `## \`${site}\``,
    "",
    `The base solves ${base.toFixed(1)} % of the held-out tasks at temperature 1 and ${greedy.toFixed(1)} % greedily.`,
    "",
    "| people give | recipe | seeds | answered | after, % | control, % | gain | target | above control | greedy gain |",
    `|${"---|".repeat(10)}`,
    ...gains.map((one) =>
      [
        "",
        one.arm.gives.join(", "),
        `\`${one.arm.recipe}\``,
        String(one.seeds),
        one.answered.toFixed(0),
        one.final.toFixed(1),
        one.shuffledFinal.toFixed(1),
        signed(one.gain),
        targetText(one),
        Number.isNaN(one.error)
          ? signed(one.overControl)
          : `${signed(one.overControl)} ± ${one.error.toFixed(1)}`,
        signed(one.greedyGain),
        "",
      ]
        .join(" | ")
        .trim(),
    ),
    "",
  ];
}

function targetText(gain: SignalGain): string {
  const { target } = gain.arm;
  if (target === null) return "";
  const reached = reachesTarget(gain);
  return `+${target}${reached === null ? "" : reached ? ", reached" : ", missed"}`;
}

function signed(points: number): string {
  return `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
}
