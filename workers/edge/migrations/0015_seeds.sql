-- Sampling seeds that the edge gives, and what the trainer found when it drew the tokens again.

ALTER TABLE assignments ADD COLUMN samplingSeed INTEGER;     -- NULL if an earlier release assigned the task
ALTER TABLE trajectories ADD COLUMN samplingSeed INTEGER;    -- NULL if the page chose the seed, or used it before
ALTER TABLE trajectories ADD COLUMN drawMismatches INTEGER;  -- NULL if the tokens were not drawn again

-- Seeds for visitors' own requests, given ahead with the session.
CREATE TABLE requestSeeds (
  site TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  number INTEGER NOT NULL,                                   -- the order in which a page uses them
  seed INTEGER NOT NULL,
  givenAt INTEGER NOT NULL,
  digest TEXT,                                               -- of the trajectory that used it; NULL for none
  PRIMARY KEY (visitorId, site, number)
) WITHOUT ROWID;
CREATE INDEX requestSeedsOldest ON requestSeeds (site, givenAt);
