/**
 * Whether the tasks of a site's environment have the form that visitors' messages have after redaction. Practice is not
 * redacted, so a task with other text would show the model what it never reads in a page.
 */
import type { EnvironmentCheck } from "@waggle/agent/define";
import { createRedactor, REDACTION_TYPES } from "@waggle/collector";
import type { EnvironmentSpec } from "@waggle/environments";
import type { TaskReference } from "@waggle/protocol";
import type { LoadedSite } from "@waggle/site/node";

type Finding = Omit<EnvironmentCheck, "check">;

const PLACEHOLDER = /\[([A-Z][A-Z0-9_]*)_\d+\]/g;
/** Characters of a text that a message shows. */
const SHOWN = 120;

const quoted = (text: string): string =>
  JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** @param tasks - of each split and level */
export function checkRedaction(
  { definition: { redaction: rules = [] } }: Pick<LoadedSite, "definition">,
  spec: EnvironmentSpec,
  tasks: number,
): Finding {
  const types = new Set([...rules.map(({ type }) => type), ...REDACTION_TYPES]);
  const references = sampled(spec, tasks);
  for (const task of references) {
    const { request } = spec.task(task);
    const place = `seed ${task.seed}, ${task.split}, level ${spec.levelOf(task)}`;
    for (const [placeholder, type = ""] of request.matchAll(PLACEHOLDER)) {
      if (types.has(type)) continue;
      return {
        status: "failed",
        words: `the request ${quoted(request)} at ${place} has ${placeholder}, and no rule of redaction makes it; add a rule of the type ${type} to redaction in waggle.config.ts, or write the type of one that there is${ownTypes(rules)}`,
        task,
      };
    }
    const redacted = createRedactor({ rules }).redact(request);
    if (redacted !== request) {
      return {
        status: "failed",
        words: `the page would change the request ${quoted(request)} at ${place} to ${quoted(redacted)} before the model reads it; write the placeholder into the task, or use other words if this is no personal data`,
        task,
      };
    }
  }
  return {
    status: "passed",
    words: `${references.length} requests have the form that the model reads in the page`,
  };
}

function ownTypes(rules: readonly { readonly type: string }[]): string {
  return rules.length === 0 ? "" : `, such as ${rules.map(({ type }) => type).join(" or ")}`;
}

function sampled(spec: EnvironmentSpec, tasks: number): TaskReference[] {
  return (["train", "heldOut"] as const).flatMap((split) =>
    Array.from({ length: spec.levels * tasks }, (_, at) =>
      spec.reference(Math.floor(at / spec.levels), split, at % spec.levels),
    ),
  );
}
