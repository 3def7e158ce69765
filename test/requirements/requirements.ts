/**
 * The requirements of Waggle: id, source, behavior, and the tests that show it. `requirements.test.ts` fails for a
 * requirement without a test and for a cited test that does not exist. Pure data.
 */
import { ASYNCHRONY_REQUIREMENTS } from "./asynchrony-requirements.ts";
import { CHAT_REQUIREMENTS } from "./chat-requirements.ts";
import { CONSENT_REQUIREMENTS } from "./consent-requirements.ts";
import { EDGE_REQUIREMENTS } from "./edge-requirements.ts";
import { ENGINE_REQUIREMENTS } from "./engine-requirements.ts";
import { ENVIRONMENT_REQUIREMENTS } from "./environment-requirements.ts";
import { EVIDENCE_REQUIREMENTS } from "./evidence-requirements.ts";
import { EXCHANGE_REQUIREMENTS } from "./exchange-requirements.ts";
import { FEEDBACK_REQUIREMENTS } from "./feedback-requirements.ts";
import { LEARNING_REQUIREMENTS } from "./learning-requirements.ts";
import { TEXT_REQUIREMENTS } from "./text-requirements.ts";
import { LOOP_REQUIREMENTS } from "./loop-requirements.ts";
import { LOSS_REQUIREMENTS } from "./loss-requirements.ts";
import { MODEL_REQUIREMENTS } from "./model-requirements.ts";
import { PACKAGE_REQUIREMENTS } from "./package-requirements.ts";
import { PAGE_REQUIREMENTS } from "./page-requirements.ts";
import { PROCESS_REQUIREMENTS } from "./process-requirements.ts";
import { RECIPE_REQUIREMENTS } from "./recipe-requirements.ts";
import { ROLLOUT_REQUIREMENTS } from "./rollout-requirements.ts";
import { RUNTIME_REQUIREMENTS } from "./runtime-requirements.ts";
import { REMOTE_REQUIREMENTS } from "./remote-requirements.ts";
import { TRUST_REQUIREMENTS } from "./trust-requirements.ts";
import type { Requirement } from "./requirement.ts";

export const REQUIREMENTS: readonly Requirement[] = [
  ...MODEL_REQUIREMENTS,
  ...RUNTIME_REQUIREMENTS,
  ...CHAT_REQUIREMENTS,
  ...PAGE_REQUIREMENTS,
  ...LOOP_REQUIREMENTS,
  ...FEEDBACK_REQUIREMENTS,
  ...EDGE_REQUIREMENTS,
  ...PROCESS_REQUIREMENTS,
  ...PACKAGE_REQUIREMENTS,
  ...ENGINE_REQUIREMENTS,
  ...LOSS_REQUIREMENTS,
  ...LEARNING_REQUIREMENTS,
  ...ROLLOUT_REQUIREMENTS,
  ...ENVIRONMENT_REQUIREMENTS,
  ...EVIDENCE_REQUIREMENTS,
  ...RECIPE_REQUIREMENTS,
  ...ASYNCHRONY_REQUIREMENTS,
  ...TEXT_REQUIREMENTS,
  ...EXCHANGE_REQUIREMENTS,
  ...REMOTE_REQUIREMENTS,
  ...TRUST_REQUIREMENTS,
  ...CONSENT_REQUIREMENTS,
];
