/**
 * The actor of a decision, for the audit log. Operators share one credential, so the operator's name is the
 * one that the caller sends.
 */
import { OPERATOR_NAME_HEADER } from "@waggle/protocol";
import { z } from "zod";
import { type Decision, EDGE } from "./audit-log.ts";
import type { EdgeContext, Parameter } from "./endpoint.ts";

const LONGEST_NAME = 64;

/** The request header with the operator's name. */
export const operatorName: Parameter = {
  name: OPERATOR_NAME_HEADER,
  in: "header",
  description: "Name of the operator for the audit log, percent-encoded.",
  schema: z.string().optional(),
};

/** The decision that the audit log records for a call with this credential. */
export function decisionOf(
  context: EdgeContext,
  access: "trainer" | "operator",
  reason = "",
): Decision {
  return { by: access === "trainer" ? "trainer" : nameOf(context), reason, now: context.var.now };
}

/** The name of the actor. An operator cannot use the name of the trainer or of the edge. */
function nameOf(context: EdgeContext): string {
  const name = decoded(context.req.header(OPERATOR_NAME_HEADER) ?? "")
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, LONGEST_NAME);
  return ["", "trainer", EDGE].includes(name) ? "operator" : name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
