-- What must stay true after a visitor is forgotten: which steps learned from them, and that what was
-- still on its way is not stored. No visitor id, no content: digests and a hash of the id.

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

-- Open assignments of a visitor are counted.
CREATE INDEX assignmentsRecent ON assignments (visitorId, createdAt);
