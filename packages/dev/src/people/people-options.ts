/** What crosses the channel between simulated people and the process that started them. */
import type { LivePeople } from "./person.ts";

/** Options of the people's process. */
export type PeopleOptions = {
  /** The environment that has the people's wishes, as `--env` takes it. */
  readonly environment: string;
  /** Folder from which it is found. */
  readonly project: string;
  /** Address of the page. */
  readonly page: string;
  /** Address of the site's backend. */
  readonly backend: string;
  readonly pages: number;
  readonly device: "auto" | "webgpu" | "wasm";
  readonly people: LivePeople;
};

/** A question to the people's process. `stop` is answered once the current people have finished. */
export type Asked = {
  readonly id: number;
  readonly what: "statuses" | "reactions" | "stop" | "refresh" | "close";
};

/** Its answer. */
export type Answered = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: string }
);
