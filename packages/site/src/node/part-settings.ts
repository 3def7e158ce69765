/** What a site's definition means for the edge and for the trainer. */
import { resolve } from "node:path";
import type { LoadedSite } from "./load-site.ts";

/** Variables of the edge Worker. Those that a site does not set keep the edge's defaults. */
export function edgeVariables({ definition, environment }: LoadedSite): {
  readonly [name: string]: string;
} {
  const { gate = {}, retention = {} } = definition;
  return withValues({
    TASK_ENVIRONMENT: environment?.name,
    GATE_MIN_TASKS: gate.minTasks,
    GATE_MARGIN: gate.margin,
    GATE_SIGNIFICANCE: gate.significance,
    CANARY_SHARE: gate.canaryShare,
    VISITOR_TTL_DAYS: retention.visitorDays,
    RETENTION_DAYS: retention.trajectoryDays,
  });
}

/** Arguments of `waggle train-edge`, without the edge and the state folder. */
export function trainerArguments({
  folder,
  definition,
}: Pick<LoadedSite, "folder" | "definition">): readonly string[] {
  const { training = {}, model } = definition;
  const settings = Object.entries(training.settings ?? {});
  return [
    "--env",
    folder,
    ...optionsOf({
      model: model === undefined ? undefined : resolve(folder, model),
      recipe: training.recipe,
      "groups-per-step": training.groupsPerStep,
      epochs: training.epochs,
      "publish-every": training.publishEvery,
      "evaluation-tasks": training.evaluationTasks,
    }),
    ...settings.flatMap(([name, value]) => ["--set", `${name}=${value}`]),
  ];
}

/** Arguments of `waggle train-base`, without the folder of the model. */
export function baseArguments({ folder, definition }: LoadedSite): readonly string[] {
  return ["--env", folder, ...optionsOf({ ...definition.base })];
}

type Values = { readonly [name: string]: string | number | undefined };

function withValues(values: Values): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

function optionsOf(values: Values): readonly string[] {
  return Object.entries(withValues(values)).flatMap(([name, value]) => [`--${name}`, value]);
}
