/** One language: the sentences of the agent, and those of the panel. */
import type { AgentTexts } from "../agent-texts.ts";
import type { PanelTexts } from "../element/panel-texts.ts";

/** All texts in one language. `agent` is an option of `createAgent`, `panel` belongs to `<waggle-agent>`. */
export type Language = {
  /** BCP 47, such as `de`. */
  readonly code: string;
  readonly agent: AgentTexts;
  readonly panel: PanelTexts;
};
