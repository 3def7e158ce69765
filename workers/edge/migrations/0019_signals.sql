-- Signals from which the trainer of a site must not learn.
CREATE TABLE signalSwitches (
  site TEXT NOT NULL,
  signal TEXT NOT NULL,
  isStopped INTEGER NOT NULL,                -- 0: it was stopped, and started again at `at`
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (site, signal)
) WITHOUT ROWID;

-- Counts the visitors that a version learned from.
CREATE INDEX trajectoriesLearned ON trajectories (site, learnedAtStep, visitorId)
  WHERE learnedAtStep IS NOT NULL;
