/** Types and schemas that cross process boundaries, errors, and the ports that packages implement. */
export { boundary, WaggleError } from "./errors.ts";
export type { BoundaryName, WaggleErrorCode, WaggleErrorOptions } from "./errors.ts";
export { CollectionLevel, Consent } from "./consent/consent.ts";
export {
  ConsentReceipt,
  ConsentRequest,
  StoredReceipt,
  WithdrawalRequest,
  WithdrawalResponse,
} from "./consent/consent-receipt.ts";
export { CONSENT_DAYS, consentScopes, isConsentCurrent } from "./consent/consent-rules.ts";
export { isStatistics, toStatistics } from "./consent/statistics-record.ts";
export {
  ACCEPT_SILENCE,
  DEFAULT_SITE,
  FEEDBACK_TEXT_LENGTH,
  FULL_SUPPORT,
  TRAJECTORY_SCHEMA_VERSION,
  UPLOAD_LIMITS,
} from "./constants.ts";
export { canonicalJson, fileListDigest, sha256, trajectoryDigest } from "./digest.ts";
export { Feedback, FeedbackSource, MESSAGE_REWARDS, type MessageKind } from "./feedback.ts";
export { Guidance, GuidanceReference, readGuidance, writeGuidance } from "./guidance.ts";
export { GrammarSpec } from "./grammar.ts";
export type {
  CompiledGrammar,
  GrammarCompiler,
  GrammarMatcher,
  ToolCallFormat,
  ToolCallsGrammar,
} from "./grammar.ts";
export {
  LeasedOutcome,
  Outcome,
  OutcomesEnvelope,
  OutcomesRequest,
  OutcomesResponse,
  SiteMetrics,
  StoredOutcome,
} from "./outcome.ts";
export { SIGNAL_STOPPED, SignalName } from "./signal.ts";
export { StaffNote, StaffNoteRequest } from "./staff-note.ts";
export {
  ANSWER_LIMITS,
  LearnedFrom,
  SampledAnswer,
  VersionReport,
  VersionReportResponse,
} from "./version-report.ts";
export { ReleaseSetting, releaseRefusal, ReleasesResponse, THUMB } from "./release.ts";
export type { Release } from "./release.ts";
export { Perturbation, RewardRequest, RewardsResponse } from "./perturbation.ts";
export type { PageReward } from "./perturbation.ts";
export { PolicyVersionId, Sampling } from "./policy.ts";
export { otherSeedAt } from "./sampling-seed.ts";
export type {
  DrawInterval,
  Policy,
  PolicyContext,
  Sample,
  GenerateOptions,
  SampleStopReason,
  GrammarSpan,
  ScoreRequest,
  TokenScores,
  VersionSpan,
} from "./policy.ts";
export {
  AuditResponse,
  ControlState,
  FreezeRequest,
  KillMode,
  KillRequest,
  OPERATOR_NAME_HEADER,
  StopSignalRequest,
} from "./control.ts";
export type { AuditEntry, OperatorLogin, SwitchRecord } from "./control.ts";
export {
  AdapterReference,
  BaseModelReference,
  Channel,
  EvaluationResult,
  FileReference,
  PolicyManifest,
  PolicySignature,
  PolicyVersion,
  RetentionResult,
  Sha256,
} from "./policy-version.ts";
export type { PolicyStatus } from "./policy-version.ts";
export type { Redactor } from "./redactor.ts";
export {
  ALL_SITES,
  ChangeSiteRequest,
  CreateSiteRequest,
  CreateSiteResponse,
  RotateCredentialRequest,
  RotateCredentialResponse,
  Site,
  SITE_HEADER,
  SiteId,
  SiteSettings,
  SitesResponse,
  SitesToTrainResponse,
  SiteToTrain,
  siteVariable,
} from "./site.ts";
export { Heartbeat, OperatorHealth } from "./operator-health.ts";
export type { TrainerActivity } from "./operator-health.ts";
export { TaskReference } from "./task.ts";
export type {
  Action,
  Environment,
  EnvironmentFeature,
  FirstObservation,
  Observation,
  Task,
  TaskSplit,
  Verification,
} from "./task.ts";
export { DeadLettersResponse } from "./dead-letter.ts";
export type { DeadLetter } from "./dead-letter.ts";
export {
  BACKUP_TABLES,
  BackupResponse,
  BackupRow,
  BackupTable,
  RESTORE_ROWS,
  RestoreRequest,
  RestoreResponse,
} from "./backup.ts";
export { ReconcileRequest, ReconcileResponse } from "./reconcile.ts";
export type { Finding } from "./reconcile.ts";
export { ToolCall, ToolResult } from "./tool.ts";
export { TOOL_TITLES, toolText } from "./tool-text.ts";
export type { ToolText } from "./tool-text.ts";
export type { JsonSchema, Tool, ToolDefinition, ToolError, ToolSource } from "./tool.ts";
export type {
  EngineCapabilities,
  EngineCheckpoint,
  OptimizerOptions,
  OptimizerResult,
  Tensor,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  ModelStart,
  SharedBase,
  TrainEngine,
  TrainSequence,
} from "./train-engine.ts";
export { toTrainingSamples } from "./training-sample.ts";
export type { TrainingSample } from "./training-sample.ts";
export { WAGGLE_VERSION } from "./version.ts";
export { pathTo, StopReason, Trajectory } from "./trajectory.ts";
export type {
  ClientDescription,
  GivenSegment,
  SampledSegment,
  Segment,
  SegmentRole,
  Turn,
} from "./trajectory.ts";
export {
  AssignmentResponse,
  DeletionResponse,
  ErrorBody,
  FeedbackRequest,
  SessionRequest,
  SessionResponse,
  UploadEnvelope,
  UploadRequest,
  UploadResponse,
} from "./http.ts";
export type { UploadResult } from "./http.ts";
export {
  AcknowledgeRequest,
  AcknowledgeResponse,
  AssembleRequest,
  BaseModelRequest,
  LeasedGroup,
  LeasedTrajectory,
  LeaseRequest,
  Lineage,
  LineageResponse,
  LeaseResponse,
  MAX_PART_BYTES,
  MetricsRequest,
  MetricsRow,
  ObjectPartsResponse,
  PoliciesResponse,
  PolicySignatures,
  PromoteRequest,
  PromotionGate,
  PublishRequest,
  ReleaseRequest,
  RenewRequest,
  RenewResponse,
  RequestsResponse,
  RollBackRequest,
  TrajectoryOutcome,
} from "./trainer-http.ts";
export {
  ConsentResponse,
  QuarantineResponse,
  DeletionsResponse,
  MetricsResponse,
  OperatorSummary,
  TrajectoriesResponse,
  TrajectoryDetail,
  TrajectoryRow,
  UnfinishedObjectsResponse,
  VisitorExportLine,
} from "./operator-http.ts";
export { differingExcerpts, ToolDifference, toolDifference } from "./tool-difference.ts";
export { replayGrammar } from "./replay-grammar.ts";
export type { GrammarReplayOptions } from "./replay-grammar.ts";
export { isObject } from "./json-object.ts";
export { readOnly } from "./read-only-schema.ts";
export {
  derivedSeed,
  hashText,
  mulberry32,
  namedRandom,
  seededRandom,
  sfc32,
  spanSeed,
  splitmix32,
  standardNormal,
  textFraction,
} from "./seeded-random.ts";
export type { RandomSource } from "./seeded-random.ts";
