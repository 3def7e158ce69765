-- Tombstones of forgotten visitors: which steps learned from them, and which late uploads to refuse.
-- They contain digests and a hash of the visitor id, but no id and no content.

CREATE TABLE forgottenVisitors (
  visitor TEXT PRIMARY KEY,                  -- sha256 of the visitor id
  forgottenAt INTEGER NOT NULL
);

CREATE TABLE forgottenTrajectories (
  digest TEXT PRIMARY KEY,
  visitor TEXT NOT NULL,                     -- sha256 of the visitor id
  leaseId TEXT,                              -- the lease it was forgotten under, until that has ended
  learnedAtStep INTEGER
);
CREATE INDEX forgottenTrajectoriesVisitor ON forgottenTrajectories (visitor);
CREATE INDEX forgottenTrajectoriesLease ON forgottenTrajectories (leaseId) WHERE leaseId IS NOT NULL;

-- Counts the open assignments of a visitor.
CREATE INDEX assignmentsRecent ON assignments (visitorId, createdAt);
