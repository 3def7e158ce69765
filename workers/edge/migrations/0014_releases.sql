-- Releases: a candidate serves a growing share of visitors and is compared with the stable version.

CREATE TABLE releases (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,                  -- the candidate
  stable INTEGER NOT NULL,                   -- the version that it is compared with
  plan TEXT NOT NULL,                        -- JSON, as it was at the start
  stage INTEGER NOT NULL,                    -- index of the plan's stage
  share REAL NOT NULL,                       -- of visitors on the canary channel
  state TEXT NOT NULL CHECK (state IN ('running', 'promoted', 'rolled-back')),
  startedAt INTEGER NOT NULL,
  endedAt INTEGER,                           -- NULL while it is running
  decision TEXT,                             -- JSON, the last one
  PRIMARY KEY (site, version)
);
CREATE UNIQUE INDEX releasesRunning ON releases (site) WHERE state = 'running';

-- Requests that each version served, at most ten of a visitor in a stage.
CREATE TABLE releaseArms (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  arm TEXT NOT NULL CHECK (arm IN ('candidate', 'stable')),
  requests INTEGER NOT NULL,
  PRIMARY KEY (site, version, stage, arm)
) WITHOUT ROWID;

-- Sums over the visitors of an arm. They name no visitor, and stay if one is forgotten.
CREATE TABLE releaseSums (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  arm TEXT NOT NULL,
  metric TEXT NOT NULL,
  visitors INTEGER NOT NULL,                 -- with at least one value
  "values" INTEGER NOT NULL,                 -- sum of n, the number of a visitor's values
  total REAL NOT NULL,                       -- sum of y, the sum of a visitor's values
  squaredValues INTEGER NOT NULL,            -- sum of n * n
  products REAL NOT NULL,                    -- sum of n * y
  squaredTotals REAL NOT NULL,               -- sum of y * y
  PRIMARY KEY (site, version, stage, arm, metric)
) WITHOUT ROWID;

-- The rows of visitors are deleted when the release has ended.

-- A visitor counts in the stage and the arm of the first request.
CREATE TABLE releaseVisitors (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  visitorId TEXT NOT NULL,
  stage INTEGER NOT NULL,
  arm TEXT NOT NULL,
  requests INTEGER NOT NULL,                 -- in this arm
  -- stale: values have to be counted again; closed: a trajectory was deleted, and the values stay as they are
  state TEXT NOT NULL CHECK (state IN ('stale', 'counted', 'closed')),
  PRIMARY KEY (visitorId, version, site)
);
CREATE INDEX releaseVisitorsState ON releaseVisitors (site, version, state, visitorId);

CREATE TABLE releaseRequests (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  trajectoryId TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  stage INTEGER NOT NULL,
  arm TEXT NOT NULL,
  ordinal INTEGER,                           -- among the visitor's requests in the visitor's arm; NULL in the other arm
  PRIMARY KEY (trajectoryId, site)
);
CREATE INDEX releaseRequestsVisitor ON releaseRequests (visitorId, version, site, stage);

-- What a visitor adds to the sums.
CREATE TABLE releaseValues (
  site TEXT NOT NULL,
  version INTEGER NOT NULL,
  visitorId TEXT NOT NULL,
  metric TEXT NOT NULL,
  stage INTEGER NOT NULL,
  arm TEXT NOT NULL,
  n INTEGER NOT NULL,
  y REAL NOT NULL,
  PRIMARY KEY (visitorId, version, site, metric)
) WITHOUT ROWID;

CREATE TRIGGER releaseRequestsInserted AFTER INSERT ON releaseRequests BEGIN
  INSERT INTO releaseArms SELECT NEW.site, NEW.version, NEW.stage, NEW.arm, 1
    WHERE (SELECT COUNT(*) FROM
      (SELECT 1 FROM releaseRequests q WHERE q.visitorId = NEW.visitorId AND q.version = NEW.version
         AND q.site = NEW.site AND q.stage = NEW.stage LIMIT 11)) <= 10
    ON CONFLICT (site, version, stage, arm) DO UPDATE SET requests = requests + 1;
  INSERT INTO releaseVisitors
    VALUES (NEW.site, NEW.version, NEW.visitorId, NEW.stage, NEW.arm, 0, 'stale')
    ON CONFLICT (visitorId, version, site) DO NOTHING;
  UPDATE releaseVisitors SET requests = requests + 1,
      state = CASE state WHEN 'counted' THEN 'stale' ELSE state END
    WHERE visitorId = NEW.visitorId AND version = NEW.version AND site = NEW.site AND arm = NEW.arm;
  UPDATE releaseRequests SET ordinal =
      (SELECT v.requests FROM releaseVisitors v WHERE v.visitorId = NEW.visitorId
         AND v.version = NEW.version AND v.site = NEW.site AND v.arm = NEW.arm)
    WHERE trajectoryId = NEW.trajectoryId AND site = NEW.site;
END;

CREATE TRIGGER releaseValuesInserted AFTER INSERT ON releaseValues BEGIN
  INSERT INTO releaseSums VALUES (NEW.site, NEW.version, NEW.stage, NEW.arm, NEW.metric,
      NEW.n > 0, NEW.n, NEW.y, NEW.n * NEW.n, NEW.n * NEW.y, NEW.y * NEW.y)
    ON CONFLICT (site, version, stage, arm, metric) DO UPDATE SET
      visitors = visitors + excluded.visitors, "values" = "values" + excluded."values",
      total = total + excluded.total, squaredValues = squaredValues + excluded.squaredValues,
      products = products + excluded.products,
      squaredTotals = squaredTotals + excluded.squaredTotals;
END;

CREATE TRIGGER releaseValuesChanged AFTER UPDATE ON releaseValues BEGIN
  UPDATE releaseSums SET
      visitors = visitors + (NEW.n > 0) - (OLD.n > 0), "values" = "values" + NEW.n - OLD.n,
      total = total + NEW.y - OLD.y, squaredValues = squaredValues + NEW.n * NEW.n - OLD.n * OLD.n,
      products = products + NEW.n * NEW.y - OLD.n * OLD.y,
      squaredTotals = squaredTotals + NEW.y * NEW.y - OLD.y * OLD.y
    WHERE site = NEW.site AND version = NEW.version AND stage = NEW.stage AND arm = NEW.arm
      AND metric = NEW.metric;
END;

CREATE TRIGGER releaseVisitorsDeleted AFTER DELETE ON releaseVisitors BEGIN
  DELETE FROM releaseValues
    WHERE visitorId = OLD.visitorId AND version = OLD.version AND site = OLD.site;
  DELETE FROM releaseRequests
    WHERE visitorId = OLD.visitorId AND version = OLD.version AND site = OLD.site;
END;

-- Retention and forgetting a visitor delete trajectories. What is counted stays, and nothing more is counted.
CREATE TRIGGER releaseTrajectoriesDeleted AFTER DELETE ON trajectories
  WHEN OLD.assignmentId IS NULL BEGIN
  UPDATE releaseVisitors SET state = 'closed'
    WHERE visitorId = OLD.visitorId AND site = OLD.site AND version =
      (SELECT q.version FROM releaseRequests q
       WHERE q.trajectoryId = OLD.id AND q.site = OLD.site AND q.ordinal IS NOT NULL);
  DELETE FROM releaseRequests WHERE trajectoryId = OLD.id AND site = OLD.site;
END;

CREATE TRIGGER releaseThumbs AFTER INSERT ON feedback
  WHEN NEW.kind IN ('thumb-up', 'thumb-down') BEGIN
  UPDATE releaseVisitors SET state = 'stale'
    WHERE visitorId = NEW.visitorId AND site = NEW.site AND state = 'counted';
END;

CREATE TRIGGER releaseOutcomes AFTER INSERT ON outcomes WHEN NEW.visitorId IS NOT NULL BEGIN
  UPDATE releaseVisitors SET state = 'stale'
    WHERE visitorId = NEW.visitorId AND site = NEW.site AND state = 'counted';
END;

CREATE TRIGGER releaseOutcomesChanged AFTER UPDATE ON outcomes WHEN NEW.visitorId IS NOT NULL BEGIN
  UPDATE releaseVisitors SET state = 'stale'
    WHERE visitorId = NEW.visitorId AND site = NEW.site AND state = 'counted';
END;
