/** What a route answers, before it becomes bytes. */

export type TinkerReply =
  | { readonly status: number; readonly json: unknown }
  | { readonly status: number; readonly bytes: Uint8Array; readonly type?: string }
  | { readonly status: 302; readonly location: string };

/** A refusal on the way: its reply is sent in place of the route's. */
export class TinkerRefusal extends Error {
  readonly reply: TinkerReply;

  constructor(status: number, json: unknown) {
    super(`refused with ${status}`);
    this.reply = { status, json };
  }
}

/** A route: the request's JSON, the parts of its path that vary, and its `Accept` header. */
export type TinkerRoute = (
  json: { readonly [name: string]: unknown },
  path: { readonly [name: string]: string },
  accept: string,
) => TinkerReply | Promise<TinkerReply>;

export type TinkerRoutes = { readonly [methodAndPath: string]: TinkerRoute };
