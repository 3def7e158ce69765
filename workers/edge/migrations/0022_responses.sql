-- Outcomes of single turns and of conversations, and which requests get feedback.

-- Claimed by the page; NULL for rows stored before this migration.
ALTER TABLE trajectories ADD COLUMN backend TEXT;

-- One value per trajectory, turn, metric and sender; a later one replaces it.
CREATE TABLE outcomesBefore AS SELECT * FROM outcomes;
DROP TABLE outcomes;
CREATE TABLE outcomes (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  trajectoryId TEXT NOT NULL,
  metric TEXT NOT NULL,
  sender TEXT NOT NULL,                      -- visitor id of the page; empty: the site's own server
  visitorId TEXT,                            -- the visitor of the trajectory; NULL until the two are joined
  type TEXT NOT NULL CHECK (type IN ('boolean', 'number')),
  value REAL NOT NULL,                       -- of a boolean: 0 or 1
  occurredAt INTEGER NOT NULL,
  receivedAt INTEGER NOT NULL,
  turn INTEGER NOT NULL DEFAULT 0,           -- from 1; 0: it is about no single turn
  PRIMARY KEY (trajectoryId, metric, sender, turn, site)
);
INSERT INTO outcomes
    (site, id, trajectoryId, metric, sender, visitorId, type, value, occurredAt, receivedAt)
  SELECT site, id, trajectoryId, metric, sender, visitorId, type, value, occurredAt, receivedAt
  FROM outcomesBefore;
DROP TABLE outcomesBefore;
CREATE UNIQUE INDEX outcomesId ON outcomes (id, sender, site);
CREATE INDEX outcomesVisitor ON outcomes (visitorId, site);
CREATE INDEX outcomesSender ON outcomes (sender, site);
CREATE INDEX outcomesWaiting ON outcomes (site, receivedAt) WHERE visitorId IS NULL;

-- Earlier requests of a conversation, as the sender of an outcome named them.
CREATE TABLE conversationLinks (
  site TEXT NOT NULL,
  trajectoryId TEXT NOT NULL,                -- the earlier request
  outcomeOf TEXT NOT NULL,                   -- the trajectory of the outcome
  sender TEXT NOT NULL,                      -- of the outcome
  place INTEGER NOT NULL,                    -- 1: the request before that of the outcome
  PRIMARY KEY (trajectoryId, outcomeOf, sender, site)
) WITHOUT ROWID;
CREATE UNIQUE INDEX conversationLinksOutcome ON conversationLinks (outcomeOf, sender, place, site);

-- Visitors' own requests that wait for feedback.
CREATE TABLE responses (
  site TEXT NOT NULL,
  trajectoryId TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  stratum TEXT NOT NULL,                     -- what was known of the request before it was answered
  answered INTEGER NOT NULL,                 -- 1: it has feedback that teaches
  PRIMARY KEY (trajectoryId, site)
) WITHOUT ROWID;
CREATE INDEX responsesVisitor ON responses (visitorId, site, answered);

-- Three more tallies. asked and replied: responses by stratum, and those with feedback; heard: visitors' own requests
-- by signal.
CREATE TRIGGER responsesInserted AFTER INSERT ON responses BEGIN
  INSERT INTO tallies (site, name, key, count) VALUES (NEW.site, 'asked', NEW.stratum, 1)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies (site, name, key, count)
    SELECT NEW.site, 'replied', NEW.stratum, 1 WHERE NEW.answered = 1
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER responsesAnswered AFTER UPDATE OF answered ON responses
WHEN OLD.answered = 0 AND NEW.answered = 1 BEGIN
  INSERT INTO tallies (site, name, key, count) VALUES (NEW.site, 'replied', NEW.stratum, 1)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER responsesDeleted AFTER DELETE ON responses BEGIN
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND key = OLD.stratum
      AND (name = 'asked' OR (name = 'replied' AND OLD.answered = 1));
END;

CREATE TRIGGER outcomesInserted AFTER INSERT ON outcomes WHEN NEW.visitorId IS NOT NULL BEGIN
  INSERT INTO outcomeTallies VALUES (NEW.site, NEW.metric, NEW.type,
      CASE NEW.sender WHEN '' THEN 'server' ELSE 'page' END, 1, NEW.value, NEW.value * NEW.value)
    ON CONFLICT (site, metric, type, source) DO UPDATE SET count = count + 1,
      total = total + excluded.total, squares = squares + excluded.squares;
  INSERT INTO tallies (site, name, key, count) SELECT NEW.site, 'liveWithOutcome', '', 1
    WHERE (SELECT COUNT(*) FROM outcomes o WHERE o.trajectoryId = NEW.trajectoryId
             AND o.site = NEW.site AND o.visitorId IS NOT NULL) = 1
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies (site, name, key, count) SELECT NEW.site, 'heard', 'outcome:' || NEW.metric, 1
    WHERE (SELECT COUNT(*) FROM outcomes o WHERE o.trajectoryId = NEW.trajectoryId
             AND o.metric = NEW.metric AND o.site = NEW.site AND o.visitorId IS NOT NULL) = 1
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

-- Joins, or replaces the value. An outcome that is joined stays so.
CREATE TRIGGER outcomesChanged AFTER UPDATE ON outcomes WHEN NEW.visitorId IS NOT NULL BEGIN
  UPDATE outcomeTallies SET count = count - 1, total = total - OLD.value,
      squares = squares - OLD.value * OLD.value
    WHERE site = OLD.site AND metric = OLD.metric AND type = OLD.type
      AND source = CASE OLD.sender WHEN '' THEN 'server' ELSE 'page' END
      AND OLD.visitorId IS NOT NULL;
  INSERT INTO outcomeTallies VALUES (NEW.site, NEW.metric, NEW.type,
      CASE NEW.sender WHEN '' THEN 'server' ELSE 'page' END, 1, NEW.value, NEW.value * NEW.value)
    ON CONFLICT (site, metric, type, source) DO UPDATE SET count = count + 1,
      total = total + excluded.total, squares = squares + excluded.squares;
  INSERT INTO tallies (site, name, key, count) SELECT NEW.site, 'liveWithOutcome', '', 1
    WHERE OLD.visitorId IS NULL
      AND (SELECT COUNT(*) FROM outcomes o WHERE o.trajectoryId = NEW.trajectoryId
             AND o.site = NEW.site AND o.visitorId IS NOT NULL) = 1
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  INSERT INTO tallies (site, name, key, count) SELECT NEW.site, 'heard', 'outcome:' || NEW.metric, 1
    WHERE OLD.visitorId IS NULL
      AND (SELECT COUNT(*) FROM outcomes o WHERE o.trajectoryId = NEW.trajectoryId
             AND o.metric = NEW.metric AND o.site = NEW.site AND o.visitorId IS NOT NULL) = 1
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER outcomesDeleted AFTER DELETE ON outcomes WHEN OLD.visitorId IS NOT NULL BEGIN
  UPDATE outcomeTallies SET count = count - 1, total = total - OLD.value,
      squares = squares - OLD.value * OLD.value
    WHERE site = OLD.site AND metric = OLD.metric AND type = OLD.type
      AND source = CASE OLD.sender WHEN '' THEN 'server' ELSE 'page' END;
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = 'liveWithOutcome' AND key = ''
      AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.trajectoryId = OLD.trajectoryId
                        AND o.site = OLD.site AND o.visitorId IS NOT NULL);
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = 'heard' AND key = 'outcome:' || OLD.metric
      AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.trajectoryId = OLD.trajectoryId
                        AND o.metric = OLD.metric AND o.site = OLD.site AND o.visitorId IS NOT NULL);
END;

CREATE TRIGGER conversationEnded AFTER DELETE ON outcomes BEGIN
  DELETE FROM conversationLinks WHERE outcomeOf = OLD.trajectoryId AND site = OLD.site
    AND sender = OLD.sender AND NOT EXISTS (SELECT 1 FROM outcomes o
      WHERE o.trajectoryId = OLD.trajectoryId AND o.sender = OLD.sender AND o.site = OLD.site);
END;

CREATE TRIGGER releaseOutcomes AFTER INSERT ON outcomes WHEN NEW.visitorId IS NOT NULL BEGIN
  UPDATE releaseVisitors SET state = 'stale'
    WHERE visitorId = NEW.visitorId AND site = NEW.site AND state = 'counted';
END;

CREATE TRIGGER releaseOutcomesChanged AFTER UPDATE ON outcomes WHEN NEW.visitorId IS NOT NULL BEGIN
  UPDATE releaseVisitors SET state = 'stale'
    WHERE visitorId = NEW.visitorId AND site = NEW.site AND state = 'counted';
END;

-- A request counts once for each signal, however much feedback of that signal its visitor gives.
CREATE TRIGGER trajectoriesHeard AFTER INSERT ON trajectories WHEN NEW.assignmentId IS NULL BEGIN
  INSERT INTO tallies (site, name, key, count)
    SELECT DISTINCT NEW.site, 'heard', CASE WHEN f.kind LIKE 'thumb-%' THEN 'thumb'
        WHEN f.kind IN ('edit', 'abandon', 'undo') THEN f.kind ELSE 'message' END, 1
    FROM feedback f
    WHERE f.trajectoryId = NEW.id AND f.site = NEW.site AND +f.visitorId = NEW.visitorId
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER trajectoriesUnheard AFTER DELETE ON trajectories WHEN OLD.assignmentId IS NULL BEGIN
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = 'heard' AND key IN
      (SELECT CASE WHEN f.kind LIKE 'thumb-%' THEN 'thumb'
         WHEN f.kind IN ('edit', 'abandon', 'undo') THEN f.kind ELSE 'message' END
       FROM feedback f
       WHERE f.trajectoryId = OLD.id AND f.site = OLD.site AND +f.visitorId = OLD.visitorId);
  DELETE FROM responses WHERE trajectoryId = OLD.id AND site = OLD.site;
  DELETE FROM conversationLinks WHERE trajectoryId = OLD.id AND site = OLD.site;
END;

CREATE TRIGGER feedbackHeard AFTER INSERT ON feedback
WHEN EXISTS (SELECT 1 FROM trajectories t WHERE t.id = NEW.trajectoryId AND t.site = NEW.site
    AND +t.visitorId = NEW.visitorId AND t.assignmentId IS NULL) BEGIN
  INSERT INTO tallies (site, name, key, count)
    SELECT NEW.site, 'heard', CASE WHEN NEW.kind LIKE 'thumb-%' THEN 'thumb'
        WHEN NEW.kind IN ('edit', 'abandon', 'undo') THEN NEW.kind ELSE 'message' END, 1
    WHERE NOT EXISTS (SELECT 1 FROM feedback f
      WHERE f.trajectoryId = NEW.trajectoryId AND f.site = NEW.site AND +f.visitorId = NEW.visitorId
        AND f.id <> NEW.id AND CASE WHEN f.kind LIKE 'thumb-%' THEN 'thumb'
          WHEN f.kind IN ('edit', 'abandon', 'undo') THEN f.kind ELSE 'message' END =
        CASE WHEN NEW.kind LIKE 'thumb-%' THEN 'thumb'
          WHEN NEW.kind IN ('edit', 'abandon', 'undo') THEN NEW.kind ELSE 'message' END)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER feedbackUnheard AFTER DELETE ON feedback
WHEN EXISTS (SELECT 1 FROM trajectories t WHERE t.id = OLD.trajectoryId AND t.site = OLD.site
    AND +t.visitorId = OLD.visitorId AND t.assignmentId IS NULL) BEGIN
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = 'heard'
      AND key = CASE WHEN OLD.kind LIKE 'thumb-%' THEN 'thumb'
        WHEN OLD.kind IN ('edit', 'abandon', 'undo') THEN OLD.kind ELSE 'message' END
      AND NOT EXISTS (SELECT 1 FROM feedback f
        WHERE f.trajectoryId = OLD.trajectoryId AND f.site = OLD.site AND +f.visitorId = OLD.visitorId
          AND CASE WHEN f.kind LIKE 'thumb-%' THEN 'thumb'
            WHEN f.kind IN ('edit', 'abandon', 'undo') THEN f.kind ELSE 'message' END = key);
END;

INSERT INTO tallies (site, name, key, count)
  SELECT t.site, 'heard', CASE WHEN f.kind LIKE 'thumb-%' THEN 'thumb'
      WHEN f.kind IN ('edit', 'abandon', 'undo') THEN f.kind ELSE 'message' END AS signal, COUNT(DISTINCT t.id)
  FROM feedback f JOIN trajectories t
    ON t.id = f.trajectoryId AND t.site = f.site AND t.visitorId = f.visitorId
  WHERE t.assignmentId IS NULL GROUP BY t.site, signal;
INSERT INTO tallies (site, name, key, count)
  SELECT site, 'heard', 'outcome:' || metric, COUNT(DISTINCT trajectoryId)
  FROM outcomes WHERE visitorId IS NOT NULL GROUP BY site, metric;
