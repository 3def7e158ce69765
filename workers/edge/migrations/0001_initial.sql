-- Policies, assignments, trajectories and leases: the source of truth. Times are milliseconds since 1970,
-- except publishedAt and at, which are sent unchanged (ISO 8601).

CREATE TABLE baseModel (
  slot INTEGER PRIMARY KEY CHECK (slot = 1), -- one base model per installation
  sha256 TEXT NOT NULL,
  reference TEXT NOT NULL,                   -- JSON, BaseModelReference
  vocabularySize INTEGER NOT NULL
);

CREATE TABLE policies (
  version INTEGER PRIMARY KEY,
  parent INTEGER,
  baseModel TEXT NOT NULL,
  adapter TEXT,                              -- JSON, AdapterReference
  status TEXT NOT NULL CHECK (status IN ('canary', 'stable', 'retired', 'rolled-back')),
  evaluation TEXT,                           -- JSON, EvaluationResult
  step INTEGER NOT NULL,
  publishedAt TEXT NOT NULL,
  promotedAt INTEGER                         -- what a roll-back of the stable version falls back to
);
CREATE UNIQUE INDEX policiesOneStable ON policies (status) WHERE status = 'stable';
CREATE UNIQUE INDEX policiesOneCanary ON policies (status) WHERE status = 'canary';

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
);

CREATE TABLE taskGroups (
  id TEXT PRIMARY KEY,
  environment TEXT,                          -- NULL for a live visitor's own request
  seed INTEGER,
  split TEXT,
  lateOf TEXT,                               -- the group these trajectories came too late for
  capacity INTEGER NOT NULL,
  assigned INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  deadlineAt INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'leased', 'done')),
  leaseId TEXT
);
CREATE UNIQUE INDEX taskGroupsOneSeed ON taskGroups (environment, split, seed) WHERE lateOf IS NULL;
CREATE INDEX taskGroupsFilling ON taskGroups (environment, split, deadlineAt)
  WHERE state = 'open' AND lateOf IS NULL;
CREATE INDEX taskGroupsLate ON taskGroups (lateOf) WHERE lateOf IS NOT NULL;
CREATE INDEX taskGroupsLease ON taskGroups (leaseId) WHERE leaseId IS NOT NULL;

CREATE TABLE assignments (
  id TEXT PRIMARY KEY,
  groupId TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  createdAt INTEGER NOT NULL
);
CREATE INDEX assignmentsVisitor ON assignments (visitorId);

CREATE TABLE trajectories (
  digest TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  visitorId TEXT NOT NULL,
  assignmentId TEXT UNIQUE,                  -- an assignment is used once
  groupId TEXT,                              -- NULL until placed, for a live request
  environment TEXT,
  seed INTEGER,
  split TEXT,
  policyVersion INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  stopReason TEXT NOT NULL,
  objectKey TEXT NOT NULL,
  sizeBytes INTEGER NOT NULL,
  receivedAt INTEGER NOT NULL,
  -- stored: accepted; ready: placed in a group; leased; then learned, rejected or skipped
  status TEXT NOT NULL CHECK (status IN ('stored', 'ready', 'leased', 'learned', 'rejected', 'skipped')),
  leaseId TEXT,
  reason TEXT,
  reward REAL,
  success INTEGER,
  advantage REAL,
  learnedAtStep INTEGER,
  staleness INTEGER,
  logProbGapMean REAL,
  logProbGapMax REAL
);
CREATE INDEX trajectoriesStatus ON trajectories (status, receivedAt);
CREATE INDEX trajectoriesGroup ON trajectories (groupId, status);
CREATE INDEX trajectoriesVisitor ON trajectories (visitorId);
CREATE INDEX trajectoriesLease ON trajectories (leaseId) WHERE leaseId IS NOT NULL;
CREATE INDEX trajectoriesNewest ON trajectories (receivedAt DESC, digest DESC);

CREATE TABLE feedback (
  id TEXT PRIMARY KEY,
  trajectoryId TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  receivedAt INTEGER NOT NULL
);
CREATE INDEX feedbackTrajectory ON feedback (trajectoryId);
CREATE INDEX feedbackVisitor ON feedback (visitorId);

CREATE TABLE leases (
  id TEXT PRIMARY KEY,
  fencingToken INTEGER NOT NULL UNIQUE,
  trainerId TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'lost', 'released', 'acknowledged')),
  answer TEXT                                -- JSON, AcknowledgeResponse
);
CREATE INDEX leasesState ON leases (state, expiresAt);

CREATE TABLE metrics (
  step INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  metrics TEXT NOT NULL                      -- JSON
);
