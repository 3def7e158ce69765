-- What the staff of a site write about trajectories.
CREATE TABLE staffNotes (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  digest TEXT NOT NULL,                      -- of the trajectory
  visitorId TEXT NOT NULL,                   -- of the trajectory
  kind TEXT NOT NULL CHECK (kind IN ('answer', 'comment')),
  text TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  isPending INTEGER NOT NULL,                -- 1: an answer that the site teaches, and that no lease has had yet
  PRIMARY KEY (id, site)
);
CREATE INDEX staffNotesTrajectory ON staffNotes (digest, site);
CREATE INDEX staffNotesVisitor ON staffNotes (visitorId, site);

CREATE TRIGGER trajectoriesUnnoted AFTER DELETE ON trajectories BEGIN
  DELETE FROM staffNotes WHERE digest = OLD.digest AND site = OLD.site;
END;
