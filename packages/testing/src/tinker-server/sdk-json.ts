/** Members of the Tinker SDK's requests, and FastAPI's refusals of those that lack them. */
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerReply } from "./tinker-reply.ts";
import type { TinkerState } from "./tinker-state.ts";

type Json = { readonly [name: string]: unknown };

/** @returns the session's id. */
export function requireSession(state: TinkerState, json: Json): string {
  const id = textMember(json, "session_id");
  if (state.sessions.has(id)) return id;
  throw new TinkerRefusal(404, { detail: "Session not found" });
}

export function textMember(json: Json, member: string): string {
  const value = json[member];
  if (typeof value === "string" && value !== "") return value;
  throw invalid(member);
}

export function numberMember(json: Json, member: string): number {
  const value = json[member];
  if (typeof value === "number") return value;
  throw invalid(member);
}

export function ok(json: unknown): TinkerReply {
  return { status: 200, json };
}

/** FastAPI's refusal of a body. */
export function invalid(member: string): TinkerRefusal {
  const detail = [{ type: "value_error", loc: ["body", member], msg: "Field required" }];
  return new TinkerRefusal(422, { detail });
}
