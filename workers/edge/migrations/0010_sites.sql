-- Several sites on one edge: each row names its site, and every key contains it. Rows from before belong to the site
-- `default`, which the Worker's variables configure. Other sites are rows of `sites`.
--
-- SQLite cannot change a primary key, so tables are copied. The triggers are dropped first, so that copying counts
-- nothing twice, and are created again at the end.
--
-- Without statistics the planner takes the rows of a site to be few. So a key begins with the column that finds few rows,
-- if there is one, and statements write "+site" where an index that begins with the site would be a scan.

CREATE TABLE sites (
  id TEXT PRIMARY KEY,                       -- [a-z0-9][a-z0-9-]{0,38}
  name TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  disabledAt INTEGER,                        -- NULL while the site is served
  settings TEXT NOT NULL,                    -- JSON, SiteSettings
  trainerCredential TEXT NOT NULL,           -- sha256
  operatorCredential TEXT NOT NULL           -- sha256
);

-- A site key opens sessions of one site.
CREATE TABLE siteKeys (
  siteKey TEXT PRIMARY KEY,
  site TEXT NOT NULL
);
CREATE INDEX siteKeysSite ON siteKeys (site);

-- Public objects of other sites than `default`; their keys in R2 contain the site.
CREATE TABLE objects (
  sha256 TEXT NOT NULL,
  site TEXT NOT NULL,
  PRIMARY KEY (sha256, site)
) WITHOUT ROWID;

DROP TRIGGER trajectoriesInserted;
DROP TRIGGER trajectoriesDeleted;
DROP TRIGGER trajectoriesStatusChanged;
DROP TRIGGER trajectoriesPlaced;
DROP TRIGGER trajectoriesJudged;
DROP TRIGGER feedbackInserted;
DROP TRIGGER feedbackDeleted;
DROP TRIGGER assignmentsExpired;
DROP TRIGGER assignmentsAnsweredLate;
DROP TRIGGER assignmentsAnswered;
DROP TRIGGER assignmentsDeleted;


CREATE TABLE baseModelOfSites (
  site TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  reference TEXT NOT NULL,                   -- JSON, BaseModelReference
  vocabularySize INTEGER NOT NULL,
  contextLength INTEGER,                     -- NULL if the trainer did not report it
  PRIMARY KEY (site)
);
INSERT INTO baseModelOfSites
    (site, sha256, reference, vocabularySize, contextLength)
  SELECT 'default', sha256, reference, vocabularySize, contextLength
  FROM baseModel;
DROP TABLE baseModel;
ALTER TABLE baseModelOfSites RENAME TO baseModel;

CREATE TABLE policiesOfSites (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  parent INTEGER,
  baseModel TEXT NOT NULL,
  adapter TEXT,                              -- JSON, AdapterReference
  status TEXT NOT NULL CHECK (status IN ('canary', 'stable', 'retired', 'rolled-back')),
  evaluation TEXT,                           -- JSON, EvaluationResult
  step INTEGER NOT NULL,
  publishedAt TEXT NOT NULL,
  promotedAt INTEGER,                        -- what a roll-back of the stable version falls back to
  guidance TEXT,                             -- JSON, GuidanceReference
  publicationId TEXT,                        -- idempotency key of the publisher
  changedAt INTEGER NOT NULL DEFAULT 0,      -- epoch of its last change
  displacedBy INTEGER,                       -- the newer canary that took its place; it was not judged
  descendsFrom INTEGER,                      -- the rolled-back version that it was trained from
  PRIMARY KEY (site, version)
);
INSERT INTO policiesOfSites
    (site, version, parent, baseModel, adapter, status, evaluation, step, publishedAt, promotedAt,
    guidance, publicationId, changedAt, displacedBy, descendsFrom)
  SELECT 'default', version, parent, baseModel, adapter, status, evaluation, step, publishedAt, promotedAt,
    guidance, publicationId, changedAt, displacedBy, descendsFrom
  FROM policies;
DROP TABLE policies;
ALTER TABLE policiesOfSites RENAME TO policies;
CREATE UNIQUE INDEX policiesOneStable ON policies (site) WHERE status = 'stable';
CREATE UNIQUE INDEX policiesOneCanary ON policies (site) WHERE status = 'canary';
CREATE UNIQUE INDEX policiesPublication ON policies (site, publicationId)
  WHERE publicationId IS NOT NULL;
CREATE INDEX policiesChanged ON policies (site, changedAt, version);
CREATE INDEX policiesParent ON policies (site, parent);
CREATE INDEX policiesStatus ON policies (site, status, promotedAt);

CREATE TABLE countersOfSites (
  site TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (site, name)
);
INSERT INTO countersOfSites
    (site, name, value)
  SELECT 'default', name, value
  FROM counters;
DROP TABLE counters;
ALTER TABLE countersOfSites RENAME TO counters;

CREATE TABLE taskGroupsOfSites (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  environment TEXT,                          -- NULL for a live visitor's own request
  seed INTEGER,
  split TEXT,
  lateOf TEXT,                               -- the group these trajectories came too late for
  capacity INTEGER NOT NULL,
  assigned INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  deadlineAt INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'leased', 'done')),
  leaseId TEXT,
  uploads INTEGER NOT NULL DEFAULT 0,        -- trajectories of this group
  readyAt INTEGER,                           -- arrival of its oldest ready trajectory
  PRIMARY KEY (id, site)
);
INSERT INTO taskGroupsOfSites
    (site, id, environment, seed, split, lateOf, capacity, assigned, createdAt, deadlineAt, state,
    leaseId, uploads, readyAt)
  SELECT 'default', id, environment, seed, split, lateOf, capacity, assigned, createdAt, deadlineAt, state,
    leaseId, uploads, readyAt
  FROM taskGroups;
DROP TABLE taskGroups;
ALTER TABLE taskGroupsOfSites RENAME TO taskGroups;
CREATE UNIQUE INDEX taskGroupsOneSeed ON taskGroups (site, environment, split, seed)
  WHERE lateOf IS NULL;
CREATE INDEX taskGroupsFilling ON taskGroups (site, environment, split, deadlineAt)
  WHERE state = 'open' AND lateOf IS NULL;
CREATE INDEX taskGroupsLate ON taskGroups (lateOf, site) WHERE lateOf IS NOT NULL;
CREATE INDEX taskGroupsLease ON taskGroups (leaseId, site) WHERE leaseId IS NOT NULL;
CREATE INDEX taskGroupsUnfinished ON taskGroups (site, lateOf)
  WHERE state != 'done' AND environment IS NOT NULL AND lateOf IS NULL;
CREATE INDEX taskGroupsRoom ON taskGroups (site, environment, split, deadlineAt)
  WHERE state = 'open' AND lateOf IS NULL AND assigned < capacity;
CREATE INDEX taskGroupsEmpty ON taskGroups (site, deadlineAt) WHERE state = 'open' AND uploads = 0;
CREATE INDEX taskGroupsReady ON taskGroups (site, readyAt, id)
  WHERE state = 'open' AND readyAt IS NOT NULL;

CREATE TABLE assignmentsOfSites (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  groupId TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  -- open: the visitor works on it; answered: uploaded; expired: its slot was given to another visitor
  state TEXT NOT NULL DEFAULT 'open',
  addressPrefix TEXT NOT NULL DEFAULT '',    -- keyed hash
  PRIMARY KEY (id, site)
);
INSERT INTO assignmentsOfSites
    (site, id, groupId, visitorId, createdAt, state, addressPrefix)
  SELECT 'default', id, groupId, visitorId, createdAt, state, addressPrefix
  FROM assignments;
DROP TABLE assignments;
ALTER TABLE assignmentsOfSites RENAME TO assignments;
CREATE INDEX assignmentsVisitor ON assignments (visitorId, site);
CREATE INDEX assignmentsRecent ON assignments (visitorId, site, createdAt);
CREATE INDEX assignmentsOpen ON assignments (site, createdAt) WHERE state = 'open';
CREATE INDEX assignmentsGroup ON assignments (groupId, visitorId, site);

CREATE TABLE trajectoriesOfSites (
  site TEXT NOT NULL,
  digest TEXT NOT NULL,
  id TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  assignmentId TEXT,
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
  logProbGapMax REAL,
  failedLeases INTEGER NOT NULL DEFAULT 0,   -- leases that ended without an outcome for this row
  consentVersion TEXT,                       -- NULL for rows stored before consent versions were recorded
  PRIMARY KEY (digest, site),
  UNIQUE (id, site),
  UNIQUE (assignmentId, site)                -- an assignment is used once
);
INSERT INTO trajectoriesOfSites
    (site, digest, id, visitorId, assignmentId, groupId, environment, seed, split, policyVersion, tokens,
    stopReason, objectKey, sizeBytes, receivedAt, status, leaseId, reason, reward, success,
    advantage, learnedAtStep, staleness, logProbGapMean, logProbGapMax, failedLeases, consentVersion)
  SELECT 'default', digest, id, visitorId, assignmentId, groupId, environment, seed, split, policyVersion, tokens,
    stopReason, objectKey, sizeBytes, receivedAt, status, leaseId, reason, reward, success,
    advantage, learnedAtStep, staleness, logProbGapMean, logProbGapMax, failedLeases, consentVersion
  FROM trajectories;
DROP TABLE trajectories;
ALTER TABLE trajectoriesOfSites RENAME TO trajectories;
CREATE INDEX trajectoriesStatus
  ON trajectories (site, status, receivedAt DESC, digest DESC);
CREATE INDEX trajectoriesGroup ON trajectories (groupId, site, status);
CREATE INDEX trajectoriesVisitor ON trajectories (visitorId, site);
CREATE INDEX trajectoriesLease ON trajectories (leaseId, site) WHERE leaseId IS NOT NULL;
CREATE INDEX trajectoriesNewest ON trajectories (site, receivedAt DESC, digest DESC);
CREATE INDEX trajectoriesConsent ON trajectories (site, consentVersion, visitorId);
CREATE INDEX trajectoriesVisitorDigest ON trajectories (visitorId, site, digest);
CREATE INDEX trajectoriesOfVersion
  ON trajectories (site, policyVersion, receivedAt DESC, digest DESC);
CREATE INDEX trajectoriesReason ON trajectories (site, reason, receivedAt DESC, digest DESC)
  WHERE reason IS NOT NULL;
CREATE INDEX trajectoriesSuccess ON trajectories (site, success, receivedAt DESC, digest DESC)
  WHERE success IS NOT NULL;

CREATE TABLE feedbackOfSites (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  trajectoryId TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  receivedAt INTEGER NOT NULL,
  PRIMARY KEY (id, site)
);
INSERT INTO feedbackOfSites
    (site, id, trajectoryId, visitorId, kind, at, receivedAt)
  SELECT 'default', id, trajectoryId, visitorId, kind, at, receivedAt
  FROM feedback;
DROP TABLE feedback;
ALTER TABLE feedbackOfSites RENAME TO feedback;
CREATE INDEX feedbackTrajectory ON feedback (trajectoryId, site);
CREATE INDEX feedbackVisitor ON feedback (visitorId, site);

CREATE TABLE leasesOfSites (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  fencingToken INTEGER NOT NULL,
  trainerId TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'lost', 'released', 'acknowledged')),
  answer TEXT,                               -- JSON, AcknowledgeResponse
  PRIMARY KEY (id, site),
  UNIQUE (site, fencingToken)
);
INSERT INTO leasesOfSites
    (site, id, fencingToken, trainerId, createdAt, expiresAt, state, answer)
  SELECT 'default', id, fencingToken, trainerId, createdAt, expiresAt, state, answer
  FROM leases;
DROP TABLE leases;
ALTER TABLE leasesOfSites RENAME TO leases;
CREATE INDEX leasesState ON leases (site, state, expiresAt);

CREATE TABLE metricsOfSites (
  site TEXT NOT NULL,
  step INTEGER NOT NULL,
  at TEXT NOT NULL,
  metrics TEXT NOT NULL,                     -- JSON
  PRIMARY KEY (site, step)
);
INSERT INTO metricsOfSites
    (site, step, at, metrics)
  SELECT 'default', step, at, metrics
  FROM metrics;
DROP TABLE metrics;
ALTER TABLE metricsOfSites RENAME TO metrics;

CREATE TABLE lineagesOfSites (
  site TEXT NOT NULL,
  stateId TEXT NOT NULL,
  step INTEGER NOT NULL,
  PRIMARY KEY (stateId, site)
);
INSERT INTO lineagesOfSites
    (site, stateId, step)
  SELECT 'default', stateId, step
  FROM lineages;
DROP TABLE lineages;
ALTER TABLE lineagesOfSites RENAME TO lineages;
CREATE INDEX lineagesStep ON lineages (site, step);

CREATE TABLE forgottenVisitorsOfSites (
  site TEXT NOT NULL,
  visitor TEXT NOT NULL,                     -- sha256 of the visitor id
  forgottenAt INTEGER NOT NULL,
  PRIMARY KEY (visitor, site)
);
INSERT INTO forgottenVisitorsOfSites
    (site, visitor, forgottenAt)
  SELECT 'default', visitor, forgottenAt
  FROM forgottenVisitors;
DROP TABLE forgottenVisitors;
ALTER TABLE forgottenVisitorsOfSites RENAME TO forgottenVisitors;

CREATE TABLE forgottenTrajectoriesOfSites (
  site TEXT NOT NULL,
  digest TEXT NOT NULL,
  visitor TEXT NOT NULL,                     -- sha256 of the visitor id
  leaseId TEXT,                              -- the lease it was forgotten under, until that has ended
  learnedAtStep INTEGER,
  PRIMARY KEY (digest, site)
);
INSERT INTO forgottenTrajectoriesOfSites
    (site, digest, visitor, leaseId, learnedAtStep)
  SELECT 'default', digest, visitor, leaseId, learnedAtStep
  FROM forgottenTrajectories;
DROP TABLE forgottenTrajectories;
ALTER TABLE forgottenTrajectoriesOfSites RENAME TO forgottenTrajectories;
CREATE INDEX forgottenTrajectoriesVisitor ON forgottenTrajectories (visitor, site);
CREATE INDEX forgottenTrajectoriesLease ON forgottenTrajectories (leaseId, site)
  WHERE leaseId IS NOT NULL;

CREATE TABLE deadLettersOfSites (
  site TEXT NOT NULL,
  digest TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  reason TEXT NOT NULL,
  failedLeases INTEGER NOT NULL,
  diedAt INTEGER NOT NULL,
  PRIMARY KEY (digest, site)
);
INSERT INTO deadLettersOfSites
    (site, digest, visitorId, reason, failedLeases, diedAt)
  SELECT 'default', digest, visitorId, reason, failedLeases, diedAt
  FROM deadLetters;
DROP TABLE deadLetters;
ALTER TABLE deadLettersOfSites RENAME TO deadLetters;
CREATE INDEX deadLettersNewest ON deadLetters (site, diedAt DESC, digest DESC);
CREATE INDEX deadLettersVisitor ON deadLetters (visitorId, site);

CREATE TABLE uploadBytesOfSites (
  site TEXT NOT NULL,
  hour INTEGER NOT NULL,                     -- hours since 1970
  name TEXT NOT NULL,                        -- hash of a visitor id or of an address prefix
  bytes INTEGER NOT NULL,
  PRIMARY KEY (site, hour, name)
) WITHOUT ROWID;
INSERT INTO uploadBytesOfSites
    (site, hour, name, bytes)
  SELECT 'default', hour, name, bytes
  FROM uploadBytes;
DROP TABLE uploadBytes;
ALTER TABLE uploadBytesOfSites RENAME TO uploadBytes;

CREATE TABLE switchesOfSites (
  site TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name IN ('freeze', 'kill')), -- a row = the switch is on
  mode TEXT,                                 -- of 'kill': base or silence
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (site, name)
);
INSERT INTO switchesOfSites
    (site, name, mode, actor, reason, at)
  SELECT 'default', name, mode, actor, reason, at
  FROM switches;
DROP TABLE switches;
ALTER TABLE switchesOfSites RENAME TO switches;

CREATE TABLE auditLogOfSites (
  site TEXT NOT NULL,
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,                       -- name of the operator, or 'trainer'
  action TEXT NOT NULL,
  version INTEGER,
  reason TEXT NOT NULL
);
INSERT INTO auditLogOfSites
    (site, id, at, actor, action, version, reason)
  SELECT 'default', id, at, actor, action, version, reason
  FROM auditLog;
DROP TABLE auditLog;
ALTER TABLE auditLogOfSites RENAME TO auditLog;
CREATE INDEX auditLogNewest ON auditLog (site, id DESC);

CREATE TABLE talliesOfSites (
  site TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (site, name, key)
) WITHOUT ROWID;
INSERT INTO talliesOfSites
    (site, name, key, count)
  SELECT 'default', name, key, count
  FROM tallies;
DROP TABLE tallies;
ALTER TABLE talliesOfSites RENAME TO tallies;

CREATE TABLE versionTalliesOfSites (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  trajectories INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  rewarded INTEGER NOT NULL,                 -- trajectories with a reward
  reward REAL NOT NULL,                      -- their sum
  tokens INTEGER NOT NULL,
  PRIMARY KEY (site, version)
);
INSERT INTO versionTalliesOfSites
    (site, version, trajectories, successes, rewarded, reward, tokens)
  SELECT 'default', version, trajectories, successes, rewarded, reward, tokens
  FROM versionTallies;
DROP TABLE versionTallies;
ALTER TABLE versionTalliesOfSites RENAME TO versionTallies;

CREATE TABLE assignmentBudgetsOfSites (
  site TEXT NOT NULL,
  holder TEXT NOT NULL,                      -- visitor id, or keyed hash of an address prefix
  level REAL NOT NULL,
  least REAL NOT NULL,
  at INTEGER NOT NULL,                       -- when the level was last raised
  PRIMARY KEY (site, holder)
) WITHOUT ROWID;
INSERT INTO assignmentBudgetsOfSites
    (site, holder, level, least, at)
  SELECT 'default', holder, level, least, at
  FROM assignmentBudgets;
DROP TABLE assignmentBudgets;
ALTER TABLE assignmentBudgetsOfSites RENAME TO assignmentBudgets;
CREATE INDEX assignmentBudgetsOldest ON assignmentBudgets (site, at);

CREATE TABLE refusalsOfSites (
  site TEXT NOT NULL,
  day TEXT NOT NULL,                         -- 2026-11-23, UTC
  operation TEXT NOT NULL,                   -- operationId of the endpoint
  reason TEXT NOT NULL,                      -- error code
  count INTEGER NOT NULL,
  lastAt INTEGER NOT NULL,
  PRIMARY KEY (site, day, operation, reason)
) WITHOUT ROWID;
INSERT INTO refusalsOfSites
    (site, day, operation, reason, count, lastAt)
  SELECT 'default', day, operation, reason, count, lastAt
  FROM refusals;
DROP TABLE refusals;
ALTER TABLE refusalsOfSites RENAME TO refusals;

CREATE TABLE trainersOfSites (
  site TEXT NOT NULL,
  trainerId TEXT NOT NULL,
  step INTEGER NOT NULL,
  activity TEXT NOT NULL,
  seenAt INTEGER NOT NULL,
  PRIMARY KEY (site, trainerId)
) WITHOUT ROWID;
INSERT INTO trainersOfSites
    (site, trainerId, step, activity, seenAt)
  SELECT 'default', trainerId, step, activity, seenAt
  FROM trainers;
DROP TABLE trainers;
ALTER TABLE trainersOfSites RENAME TO trainers;
CREATE INDEX trainersSeen ON trainers (site, seenAt);

CREATE TRIGGER trajectoriesInserted AFTER INSERT ON trajectories BEGIN
  INSERT INTO tallies VALUES (NEW.site, 'status', NEW.status, 1)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies SELECT NEW.site, 'visitors', '', 1
    WHERE NOT EXISTS (SELECT 1 FROM trajectories
                      WHERE site = NEW.site AND visitorId = NEW.visitorId AND digest != NEW.digest)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies SELECT NEW.site, NEW.status, COALESCE(NEW.reason, 'unknown'), 1
    WHERE NEW.status IN ('rejected', 'skipped')
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  UPDATE assignments SET state = 'answered' WHERE site = NEW.site AND id = NEW.assignmentId;
  UPDATE taskGroups SET uploads = uploads + 1,
      readyAt = (SELECT MIN(+t.receivedAt) FROM trajectories t
                 WHERE t.site = NEW.site AND t.groupId = NEW.groupId AND +t.status = 'ready')
    WHERE site = NEW.site AND id = NEW.groupId;
  INSERT INTO versionTallies
    SELECT NEW.site, NEW.policyVersion, 1, NEW.success, NEW.reward IS NOT NULL, COALESCE(NEW.reward, 0), NEW.tokens
    WHERE NEW.assignmentId IS NOT NULL AND NEW.success IS NOT NULL
    ON CONFLICT (site, version) DO UPDATE SET trajectories = trajectories + 1,
      successes = successes + excluded.successes, rewarded = rewarded + excluded.rewarded,
      reward = reward + excluded.reward, tokens = tokens + excluded.tokens;
END;

CREATE TRIGGER trajectoriesDeleted AFTER DELETE ON trajectories BEGIN
  UPDATE tallies SET count = count - 1 WHERE site = OLD.site AND name = 'status' AND key = OLD.status;
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = OLD.status AND key = COALESCE(OLD.reason, 'unknown');
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = 'visitors' AND key = ''
      AND NOT EXISTS (SELECT 1 FROM trajectories WHERE site = OLD.site AND visitorId = OLD.visitorId);
  UPDATE taskGroups SET uploads = uploads - 1,
      readyAt = (SELECT MIN(+t.receivedAt) FROM trajectories t
                 WHERE t.site = OLD.site AND t.groupId = OLD.groupId AND +t.status = 'ready')
    WHERE site = OLD.site AND id = OLD.groupId;
  UPDATE versionTallies SET trajectories = trajectories - 1, successes = successes - OLD.success,
      rewarded = rewarded - (OLD.reward IS NOT NULL), reward = reward - COALESCE(OLD.reward, 0),
      tokens = tokens - OLD.tokens
    WHERE site = OLD.site AND version = OLD.policyVersion
      AND OLD.assignmentId IS NOT NULL AND OLD.success IS NOT NULL;
END;

CREATE TRIGGER trajectoriesStatusChanged AFTER UPDATE OF status, reason ON trajectories
WHEN OLD.status != NEW.status OR OLD.reason IS NOT NEW.reason BEGIN
  UPDATE tallies SET count = count - 1 WHERE site = OLD.site AND name = 'status' AND key = OLD.status;
  INSERT INTO tallies VALUES (NEW.site, 'status', NEW.status, 1)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = OLD.status AND key = COALESCE(OLD.reason, 'unknown');
  INSERT INTO tallies SELECT NEW.site, NEW.status, COALESCE(NEW.reason, 'unknown'), 1
    WHERE NEW.status IN ('rejected', 'skipped')
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER trajectoriesPlaced AFTER UPDATE OF status, groupId ON trajectories
WHEN OLD.groupId IS NOT NEW.groupId OR (OLD.status = 'ready') != (NEW.status = 'ready') BEGIN
  UPDATE taskGroups SET uploads = uploads - 1 WHERE site = OLD.site AND id = OLD.groupId;
  UPDATE taskGroups SET uploads = uploads + 1 WHERE site = NEW.site AND id = NEW.groupId;
  UPDATE taskGroups
    SET readyAt = (SELECT MIN(+t.receivedAt) FROM trajectories t
                   WHERE t.site = NEW.site AND t.groupId = taskGroups.id AND +t.status = 'ready')
    WHERE site = NEW.site AND id IN (OLD.groupId, NEW.groupId);
END;

CREATE TRIGGER trajectoriesJudged AFTER UPDATE OF success, reward ON trajectories
WHEN NEW.assignmentId IS NOT NULL
  AND (OLD.success IS NOT NEW.success OR OLD.reward IS NOT NEW.reward) BEGIN
  UPDATE versionTallies SET trajectories = trajectories - 1, successes = successes - OLD.success,
      rewarded = rewarded - (OLD.reward IS NOT NULL), reward = reward - COALESCE(OLD.reward, 0),
      tokens = tokens - OLD.tokens
    WHERE site = OLD.site AND version = OLD.policyVersion AND OLD.success IS NOT NULL;
  INSERT INTO versionTallies
    SELECT NEW.site, NEW.policyVersion, 1, NEW.success, NEW.reward IS NOT NULL, COALESCE(NEW.reward, 0), NEW.tokens
    WHERE NEW.success IS NOT NULL
    ON CONFLICT (site, version) DO UPDATE SET trajectories = trajectories + 1,
      successes = successes + excluded.successes, rewarded = rewarded + excluded.rewarded,
      reward = reward + excluded.reward, tokens = tokens + excluded.tokens;
END;

CREATE TRIGGER feedbackInserted AFTER INSERT ON feedback BEGIN
  INSERT INTO tallies VALUES (NEW.site, 'feedback', NEW.kind, 1)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER feedbackDeleted AFTER DELETE ON feedback BEGIN
  UPDATE tallies SET count = count - 1 WHERE site = OLD.site AND name = 'feedback' AND key = OLD.kind;
END;

CREATE TRIGGER assignmentsExpired AFTER UPDATE OF state ON assignments
WHEN OLD.state = 'open' AND NEW.state = 'expired' BEGIN
  UPDATE taskGroups SET assigned = assigned - 1 WHERE site = NEW.site AND id = NEW.groupId AND state = 'open';
END;

-- A late answer whose slot was already given away makes the group larger by one.
CREATE TRIGGER assignmentsAnsweredLate AFTER UPDATE OF state ON assignments
WHEN OLD.state = 'expired' AND NEW.state = 'answered' BEGIN
  UPDATE taskGroups SET assigned = assigned + 1 WHERE site = NEW.site AND id = NEW.groupId AND state = 'open';
END;

CREATE TRIGGER assignmentsAnswered AFTER UPDATE OF state ON assignments
WHEN OLD.state != 'answered' AND NEW.state = 'answered' BEGIN
  UPDATE assignmentBudgets SET level = MAX(least, level - 2)
    WHERE site = NEW.site AND holder IN (NEW.visitorId, NEW.addressPrefix);
END;

CREATE TRIGGER assignmentsDeleted AFTER DELETE ON assignments
WHEN OLD.state != 'expired' BEGIN
  UPDATE taskGroups SET assigned = assigned - 1 WHERE site = OLD.site AND id = OLD.groupId AND state = 'open';
END;
