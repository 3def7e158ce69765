-- Outcomes of conversations, by metrics that a site declares, and the credential of the site's own server.

-- sha256; empty until the credential is made. No credential has an empty hash.
ALTER TABLE sites ADD COLUMN outcomesCredential TEXT NOT NULL DEFAULT '';

-- One value per trajectory, metric and sender; a later one replaces it.
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
  PRIMARY KEY (trajectoryId, metric, sender, site)
);
CREATE UNIQUE INDEX outcomesId ON outcomes (id, sender, site);
CREATE INDEX outcomesVisitor ON outcomes (visitorId, site);
CREATE INDEX outcomesSender ON outcomes (sender, site);
CREATE INDEX outcomesWaiting ON outcomes (site, receivedAt) WHERE visitorId IS NULL;

-- Outcomes that are joined with their trajectory.
CREATE TABLE outcomeTallies (
  site TEXT NOT NULL,
  metric TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,                      -- page or server
  count INTEGER NOT NULL,
  total REAL NOT NULL,                       -- sum of the values
  squares REAL NOT NULL,                     -- sum of their squares
  PRIMARY KEY (site, metric, type, source)
) WITHOUT ROWID;

-- Two more tallies. live: trajectories of visitors' own requests; liveWithOutcome: those with at least one outcome.
INSERT INTO tallies (site, name, key, count)
  SELECT site, 'live', '', COUNT(*) FROM trajectories WHERE assignmentId IS NULL GROUP BY site;

-- Outcomes join only visitors' own requests, and a page's outcome only those of its own visitor.
CREATE TRIGGER trajectoriesJoined AFTER INSERT ON trajectories WHEN NEW.assignmentId IS NULL BEGIN
  INSERT INTO tallies (site, name, key, count) VALUES (NEW.site, 'live', '', 1)
    ON CONFLICT (site, name, key) DO UPDATE SET count = count + 1;
  UPDATE outcomes SET visitorId = NEW.visitorId
    WHERE trajectoryId = NEW.id AND site = NEW.site AND visitorId IS NULL
      AND sender IN ('', NEW.visitorId);
END;

CREATE TRIGGER trajectoriesParted AFTER DELETE ON trajectories BEGIN
  DELETE FROM outcomes WHERE trajectoryId = OLD.id AND site = OLD.site;
  UPDATE tallies SET count = count - 1
    WHERE site = OLD.site AND name = 'live' AND key = '' AND OLD.assignmentId IS NULL;
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
END;
