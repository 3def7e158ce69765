-- Records that could not be processed, and upload limits.

-- Leases that ended without an outcome for this row.
ALTER TABLE trajectories ADD COLUMN failedLeases INTEGER NOT NULL DEFAULT 0;

-- Largest context in tokens; NULL if the trainer did not report it.
ALTER TABLE baseModel ADD COLUMN contextLength INTEGER;

CREATE TABLE deadLetters (
  digest TEXT PRIMARY KEY,
  visitorId TEXT NOT NULL,
  reason TEXT NOT NULL,
  failedLeases INTEGER NOT NULL,
  diedAt INTEGER NOT NULL
);
CREATE INDEX deadLettersNewest ON deadLetters (diedAt DESC, digest DESC);
CREATE INDEX deadLettersVisitor ON deadLetters (visitorId);

CREATE TABLE uploadBytes (
  hour INTEGER NOT NULL,                     -- hours since 1970
  name TEXT NOT NULL,                        -- hash of a visitor id or of an address prefix
  bytes INTEGER NOT NULL,
  PRIMARY KEY (hour, name)
) WITHOUT ROWID;
