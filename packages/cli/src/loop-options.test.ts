import { WaggleError } from "@waggle/protocol";
import type { Site } from "@waggle/dev";
import { Command } from "commander";
import { expect, test } from "vitest";
import { type LoopFlags, loopOptions, withLoopOptions } from "./loop-options.ts";

const SITE: Site = {
  name: "rooms",
  project: "/rooms",
  isWholeProject: true,
  environment: null,
  settings: {},
  trainerArguments: [
    "--env",
    "/rooms",
    "--recipe",
    "grpo",
    "--set",
    "groupSize=4",
    "--epochs",
    "2",
  ],
};

/** The run that a command line describes. */
function runOf(...args: string[]) {
  return runOn(SITE, ...args);
}

function runOn(site: Site, ...args: string[]) {
  const command = withLoopOptions(new Command("loop"))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse(args, { from: "user" });
  return loopOptions(command.opts<LoopFlags>(), site);
}

test("without options visitors practice, and the site's recipe learns", () => {
  expect(runOf()).toMatchObject({
    pages: 4,
    simulate: "forever",
    control: false,
    site: SITE,
    folder: "/rooms/.waggle/loop",
    trainerArgs: [],
    edgeVariables: {},
  });
  expect(runOf().live).toBeUndefined();
});

test("with --live people ask, the edge waits for thumbs, and a recipe learns from them", () => {
  expect(runOf("--live")).toMatchObject({
    live: { signal: "thumb", answering: 0.5, wrong: 0.15, seed: 0 },
    folder: "/rooms/.waggle/loop-live",
    trainerArgs: [
      "--recipe",
      "thumbs-reinforce",
      "--groups-per-step",
      "16",
      "--publish-every",
      "12",
      "--learning-rate",
      "0.003",
    ],
    minutes: 14,
    edgeVariables: { FEEDBACK_WAIT_SECONDS: "1" },
  });
  const control = runOf("--live", "--control", "--answering", "0.1", "--wrong", "0.5");
  expect(control).toMatchObject({
    live: { signal: "thumb", answering: 0.1, wrong: 0.5, seed: 0 },
    control: true,
    folder: "/rooms/.waggle/loop-live-control",
  });
});

test("each signal has a recipe, and the edge waits for what the recipe reads", () => {
  const run = runOf("--live", "--signal", "message");
  expect(run.live?.signal).toBe("message");
  expect(run.trainerArgs.slice(0, 2)).toEqual(["--recipe", "messages-reinforce"]);
  expect(run.edgeVariables).toMatchObject({ FEEDBACK_FROM: "message" });
  // It decides about versions and teaches nothing.
  expect(run.edgeVariables?.["METRICS"]).toContain('"weight":0');
  expect(runOf("--live", "--signal", "outcome").edgeVariables).toMatchObject({
    FEEDBACK_FROM: "outcome",
    METRICS: JSON.stringify({ solved: { type: "boolean", better: "higher" } }),
  });
  const all = runOf("--live", "--signal", "outcome", "--recipe", "signals-reinforce");
  expect(all.edgeVariables).toMatchObject({ FEEDBACK_FROM: "thumb,outcome,message,undo" });
  expect(() => runOf("--signal", "outcome")).toThrow(/add --live/);
  expect(() => runOf("--live", "--signal", "smile")).toThrow(/thumb, outcome, message/);
});

test("--recipe replaces the recipe, and with --live it must learn from the signal", () => {
  const same = runOf("--live", "--recipe", "thumbs-reinforce");
  expect(same.trainerArgs).toEqual(runOf("--live").trainerArgs);
  for (const other of ["grpo", "outcomes-reinforce"]) {
    expect(() => runOf("--live", "--recipe", other)).toThrow(
      /does not learn from the signal "thumb"/,
    );
  }
  expect(runOf("--recipe", "grpo").trainerArgs).toEqual(["--recipe", "grpo"]);
  expect(() => runOf("--recipe", "no-such")).toThrow(/no-such/);
});

test("the settings of the site's recipe do not reach another recipe", () => {
  expect(runOf("--live").site.trainerArguments).toEqual([
    "--env",
    "/rooms",
    "--recipe",
    "grpo",
    "--epochs",
    "2",
  ]);
});

test("--webgpu runs one step, and not with --live", () => {
  expect(runOf("--webgpu")).toMatchObject({
    device: "webgpu",
    simulate: 4,
    evaluationTasks: 0,
    folder: "/rooms/.waggle/loop-webgpu",
    edgeVariables: { GROUP_SIZE: "8" },
  });
  expect(() => runOf("--webgpu", "--live")).toThrow(/cannot be used with option '--webgpu'/);
});

test("shares of people are refused without --live, or outside their range", () => {
  for (const option of ["--answering", "--wrong"]) {
    expect(() => runOf(option, "0.3")).toThrow(WaggleError);
    expect(() => runOf(option, "0.3")).toThrow(/add --live/);
    expect(() => runOf("--live", option, "1.5")).toThrow(/is invalid/);
  }
  expect(() => runOf("--seed", "3")).toThrow(/add --live/);
  expect(() => runOf("--live", "--wrong", "")).toThrow(/from 0 to 1/);
  expect(runOf("--live", "--answering", "1", "--wrong", "0", "--seed", "3").live).toEqual({
    signal: "thumb",
    answering: 1,
    wrong: 0,
    seed: 3,
  });
});

test("a site that collects rewards only has no people who rate, and no run on WebGPU", () => {
  const site: Site = { ...SITE, settings: { collect: "rewards" } };
  for (const option of ["--live", "--webgpu"]) {
    expect(() => runOn(site, option)).toThrow(
      new RegExp(`the site collects rewards only .*leave out ${option}`),
    );
    expect(() => runOf(option)).not.toThrow();
  }
});

test("another recipe does not get the settings of the site's own", () => {
  const settings = (...args: string[]) => runOf(...args).site.trainerArguments?.includes("--set");
  expect([settings(), settings("--recipe", "grpo")]).toEqual([true, true]);
  expect(settings("--recipe", "dr-grpo-tis")).toBe(false);
});
