-- Assigns version numbers, counts policy changes, and records descendants of rolled-back versions.

ALTER TABLE policies ADD COLUMN publicationId TEXT;  -- idempotency key of the publisher
ALTER TABLE policies ADD COLUMN changedAt INTEGER NOT NULL DEFAULT 0; -- epoch of its last change
ALTER TABLE policies ADD COLUMN displacedBy INTEGER; -- the newer canary that took its place; it was not judged
ALTER TABLE policies ADD COLUMN descendsFrom INTEGER; -- the rolled-back version that it was trained from

CREATE UNIQUE INDEX policiesPublication ON policies (publicationId) WHERE publicationId IS NOT NULL;
CREATE INDEX policiesChanged ON policies (changedAt);
CREATE INDEX policiesParent ON policies (parent);

INSERT INTO counters (name, value) VALUES ('policyEpoch', 0);

-- Last known step of each trainer state, to recognize a state that was lost or restored from a backup.
CREATE TABLE lineages (
  stateId TEXT PRIMARY KEY,
  step INTEGER NOT NULL
);
CREATE INDEX lineagesStep ON lineages (step);
