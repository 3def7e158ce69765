-- Counters, updated by triggers in the transaction that changes the counted rows, so that reads need no scan.

-- status: by status; rejected, skipped: by reason; feedback: by kind; visitors: those with a trajectory.
CREATE TABLE tallies (
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (name, key)
) WITHOUT ROWID;

-- Assigned trajectories with an outcome. A waiting trajectory would count as a failure.
CREATE TABLE versionTallies (
  version INTEGER PRIMARY KEY,
  trajectories INTEGER NOT NULL,
  successes INTEGER NOT NULL,
  rewarded INTEGER NOT NULL,                 -- trajectories with a reward
  reward REAL NOT NULL,                      -- their sum
  tokens INTEGER NOT NULL
);

INSERT INTO tallies
  SELECT 'status', status, COUNT(*) FROM trajectories GROUP BY status;
INSERT INTO tallies
  SELECT status, COALESCE(reason, 'unknown'), COUNT(*) FROM trajectories
  WHERE status IN ('rejected', 'skipped') GROUP BY 1, 2;
INSERT INTO tallies
  SELECT 'visitors', '', COUNT(DISTINCT visitorId) FROM trajectories;
INSERT INTO tallies
  SELECT 'feedback', kind, COUNT(*) FROM feedback GROUP BY kind;
INSERT INTO versionTallies
  SELECT policyVersion, COUNT(*), SUM(success), COUNT(reward), COALESCE(SUM(reward), 0), SUM(tokens)
  FROM trajectories WHERE assignmentId IS NOT NULL AND success IS NOT NULL GROUP BY policyVersion;

-- Columns that leases and new groups filter by. "+" keeps the planner away from the index of all ready rows.
ALTER TABLE taskGroups ADD COLUMN uploads INTEGER NOT NULL DEFAULT 0; -- trajectories of this group
ALTER TABLE taskGroups ADD COLUMN readyAt INTEGER;  -- arrival of its oldest ready trajectory
UPDATE taskGroups SET
  uploads = (SELECT COUNT(*) FROM trajectories t WHERE t.groupId = taskGroups.id),
  readyAt = (SELECT MIN(t.receivedAt) FROM trajectories t
             WHERE t.groupId = taskGroups.id AND +t.status = 'ready');
UPDATE taskGroups SET state = 'done'
  WHERE state = 'open' AND uploads = 0 AND deadlineAt <= unixepoch() * 1000;

-- open: the visitor works on it; answered: uploaded; expired: its slot was given to another visitor.
ALTER TABLE assignments ADD COLUMN state TEXT NOT NULL DEFAULT 'open';
ALTER TABLE assignments ADD COLUMN addressPrefix TEXT NOT NULL DEFAULT ''; -- keyed hash
UPDATE assignments SET state = 'answered'
  WHERE EXISTS (SELECT 1 FROM trajectories t WHERE t.assignmentId = assignments.id);
UPDATE assignments SET state = 'expired'
  WHERE state = 'open' AND groupId NOT IN
    (SELECT id FROM taskGroups WHERE state = 'open' AND deadlineAt > unixepoch() * 1000);

-- Unanswered assignments of a visitor or an address prefix. The level falls with time; each answer
-- lowers it by two, down to `least`.
CREATE TABLE assignmentBudgets (
  holder TEXT PRIMARY KEY,                   -- visitor id, or keyed hash of an address prefix
  level REAL NOT NULL,
  least REAL NOT NULL,
  at INTEGER NOT NULL                        -- when the level was last raised
) WITHOUT ROWID;
CREATE INDEX assignmentBudgetsOldest ON assignmentBudgets (at);

CREATE INDEX assignmentsOpen ON assignments (createdAt) WHERE state = 'open';
CREATE INDEX assignmentsGroup ON assignments (groupId, visitorId);
CREATE INDEX taskGroupsRoom ON taskGroups (environment, split, deadlineAt)
  WHERE state = 'open' AND lateOf IS NULL AND assigned < capacity;
CREATE INDEX taskGroupsEmpty ON taskGroups (deadlineAt) WHERE state = 'open' AND uploads = 0;
CREATE INDEX taskGroupsReady ON taskGroups (readyAt, id) WHERE state = 'open' AND readyAt IS NOT NULL;
CREATE INDEX policiesStatus ON policies (status, promotedAt);
CREATE INDEX trajectoriesOfVersion ON trajectories (policyVersion, receivedAt DESC, digest DESC);
CREATE INDEX trajectoriesReason ON trajectories (reason, receivedAt DESC, digest DESC)
  WHERE reason IS NOT NULL;
CREATE INDEX trajectoriesSuccess ON trajectories (success, receivedAt DESC, digest DESC)
  WHERE success IS NOT NULL;

CREATE TRIGGER trajectoriesInserted AFTER INSERT ON trajectories BEGIN
  INSERT INTO tallies VALUES ('status', NEW.status, 1)
    ON CONFLICT (name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies SELECT 'visitors', '', 1
    WHERE NOT EXISTS (SELECT 1 FROM trajectories
                      WHERE visitorId = NEW.visitorId AND digest != NEW.digest)
    ON CONFLICT (name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies SELECT NEW.status, COALESCE(NEW.reason, 'unknown'), 1
    WHERE NEW.status IN ('rejected', 'skipped')
    ON CONFLICT (name, key) DO UPDATE SET count = count + 1;
  UPDATE assignments SET state = 'answered' WHERE id = NEW.assignmentId;
  UPDATE taskGroups SET uploads = uploads + 1,
      readyAt = (SELECT MIN(t.receivedAt) FROM trajectories t
                 WHERE t.groupId = NEW.groupId AND +t.status = 'ready')
    WHERE id = NEW.groupId;
  INSERT INTO versionTallies
    SELECT NEW.policyVersion, 1, NEW.success, NEW.reward IS NOT NULL, COALESCE(NEW.reward, 0), NEW.tokens
    WHERE NEW.assignmentId IS NOT NULL AND NEW.success IS NOT NULL
    ON CONFLICT (version) DO UPDATE SET trajectories = trajectories + 1,
      successes = successes + excluded.successes, rewarded = rewarded + excluded.rewarded,
      reward = reward + excluded.reward, tokens = tokens + excluded.tokens;
END;

CREATE TRIGGER trajectoriesDeleted AFTER DELETE ON trajectories BEGIN
  UPDATE tallies SET count = count - 1 WHERE name = 'status' AND key = OLD.status;
  UPDATE tallies SET count = count - 1
    WHERE name = OLD.status AND key = COALESCE(OLD.reason, 'unknown');
  UPDATE tallies SET count = count - 1
    WHERE name = 'visitors' AND key = ''
      AND NOT EXISTS (SELECT 1 FROM trajectories WHERE visitorId = OLD.visitorId);
  UPDATE taskGroups SET uploads = uploads - 1,
      readyAt = (SELECT MIN(t.receivedAt) FROM trajectories t
                 WHERE t.groupId = OLD.groupId AND +t.status = 'ready')
    WHERE id = OLD.groupId;
  UPDATE versionTallies SET trajectories = trajectories - 1, successes = successes - OLD.success,
      rewarded = rewarded - (OLD.reward IS NOT NULL), reward = reward - COALESCE(OLD.reward, 0),
      tokens = tokens - OLD.tokens
    WHERE version = OLD.policyVersion AND OLD.assignmentId IS NOT NULL AND OLD.success IS NOT NULL;
END;

CREATE TRIGGER trajectoriesStatusChanged AFTER UPDATE OF status, reason ON trajectories
WHEN OLD.status != NEW.status OR OLD.reason IS NOT NEW.reason BEGIN
  UPDATE tallies SET count = count - 1 WHERE name = 'status' AND key = OLD.status;
  INSERT INTO tallies VALUES ('status', NEW.status, 1)
    ON CONFLICT (name, key) DO UPDATE SET count = count + 1;
  UPDATE tallies SET count = count - 1
    WHERE name = OLD.status AND key = COALESCE(OLD.reason, 'unknown');
  INSERT INTO tallies SELECT NEW.status, COALESCE(NEW.reason, 'unknown'), 1
    WHERE NEW.status IN ('rejected', 'skipped')
    ON CONFLICT (name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER trajectoriesPlaced AFTER UPDATE OF status, groupId ON trajectories
WHEN OLD.groupId IS NOT NEW.groupId OR (OLD.status = 'ready') != (NEW.status = 'ready') BEGIN
  UPDATE taskGroups SET uploads = uploads - 1 WHERE id = OLD.groupId;
  UPDATE taskGroups SET uploads = uploads + 1 WHERE id = NEW.groupId;
  UPDATE taskGroups
    SET readyAt = (SELECT MIN(t.receivedAt) FROM trajectories t
                   WHERE t.groupId = taskGroups.id AND +t.status = 'ready')
    WHERE id IN (OLD.groupId, NEW.groupId);
END;

CREATE TRIGGER trajectoriesJudged AFTER UPDATE OF success, reward ON trajectories
WHEN NEW.assignmentId IS NOT NULL
  AND (OLD.success IS NOT NEW.success OR OLD.reward IS NOT NEW.reward) BEGIN
  UPDATE versionTallies SET trajectories = trajectories - 1, successes = successes - OLD.success,
      rewarded = rewarded - (OLD.reward IS NOT NULL), reward = reward - COALESCE(OLD.reward, 0),
      tokens = tokens - OLD.tokens
    WHERE version = OLD.policyVersion AND OLD.success IS NOT NULL;
  INSERT INTO versionTallies
    SELECT NEW.policyVersion, 1, NEW.success, NEW.reward IS NOT NULL, COALESCE(NEW.reward, 0), NEW.tokens
    WHERE NEW.success IS NOT NULL
    ON CONFLICT (version) DO UPDATE SET trajectories = trajectories + 1,
      successes = successes + excluded.successes, rewarded = rewarded + excluded.rewarded,
      reward = reward + excluded.reward, tokens = tokens + excluded.tokens;
END;

CREATE TRIGGER feedbackInserted AFTER INSERT ON feedback BEGIN
  INSERT INTO tallies VALUES ('feedback', NEW.kind, 1)
    ON CONFLICT (name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER feedbackDeleted AFTER DELETE ON feedback BEGIN
  UPDATE tallies SET count = count - 1 WHERE name = 'feedback' AND key = OLD.kind;
END;

CREATE TRIGGER assignmentsExpired AFTER UPDATE OF state ON assignments
WHEN OLD.state = 'open' AND NEW.state = 'expired' BEGIN
  UPDATE taskGroups SET assigned = assigned - 1 WHERE id = NEW.groupId AND state = 'open';
END;

-- A late answer whose slot was already given away makes the group larger by one.
CREATE TRIGGER assignmentsAnsweredLate AFTER UPDATE OF state ON assignments
WHEN OLD.state = 'expired' AND NEW.state = 'answered' BEGIN
  UPDATE taskGroups SET assigned = assigned + 1 WHERE id = NEW.groupId AND state = 'open';
END;

CREATE TRIGGER assignmentsAnswered AFTER UPDATE OF state ON assignments
WHEN OLD.state != 'answered' AND NEW.state = 'answered' BEGIN
  UPDATE assignmentBudgets SET level = MAX(least, level - 2)
    WHERE holder IN (NEW.visitorId, NEW.addressPrefix);
END;

CREATE TRIGGER assignmentsDeleted AFTER DELETE ON assignments
WHEN OLD.state != 'expired' BEGIN
  UPDATE taskGroups SET assigned = assigned - 1 WHERE id = OLD.groupId AND state = 'open';
END;

-- Requests that the edge refused, one row per day, operation and reason. No payload, no visitor.
CREATE TABLE refusals (
  day TEXT NOT NULL,                         -- 2026-11-23, UTC
  operation TEXT NOT NULL,                   -- operationId of the endpoint
  reason TEXT NOT NULL,                      -- error code
  count INTEGER NOT NULL,
  lastAt INTEGER NOT NULL,
  PRIMARY KEY (day, operation, reason)
) WITHOUT ROWID;

-- The latest heartbeat of each trainer process.
CREATE TABLE trainers (
  trainerId TEXT PRIMARY KEY,
  step INTEGER NOT NULL,
  activity TEXT NOT NULL,
  seenAt INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX trainersSeen ON trainers (seenAt);
