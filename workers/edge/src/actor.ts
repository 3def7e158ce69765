/**
 * Who takes a decision, for the audit log. A credential is shared, so the name of an operator is what
 * the caller says it is.
 */
import { OPERATOR_NAME_HEADER } from "@waggle/protocol";
import { z } from "zod";
import type { Decision } from "./audit-log.ts";
import type { EdgeContext, Parameter } from "./endpoint.ts";

const LONGEST_NAME = 64;

export const operatorName: Parameter = {
  name: OPERATOR_NAME_HEADER,
  in: "header",
  description: "Name of the operator for the audit log, percent-encoded.",
  schema: z.string().optional(),
};

/** What the audit log says of a call with this credential. */
export function decisionOf(
  context: EdgeContext,
  access: "trainer" | "operator",
  reason = "",
): Decision {
  return { by: access === "trainer" ? "trainer" : nameOf(context), reason, now: context.var.now };
}

/** An operator cannot sign as the trainer. */
function nameOf(context: EdgeContext): string {
  const name = decoded(context.req.header(OPERATOR_NAME_HEADER) ?? "")
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, LONGEST_NAME);
  return name === "" || name === "trainer" ? "operator" : name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
