-- A request that a trainer has learned from is leased again if it gets other feedback. offeredAt: feedback until then was in the
-- last lease. taughtAt: the same of the last lease that taught something; NULL if none did, or under an earlier release.
-- lateLeases: how often it was leased again.
ALTER TABLE trajectories ADD COLUMN offeredAt INTEGER;
ALTER TABLE trajectories ADD COLUMN taughtAt INTEGER;
ALTER TABLE trajectories ADD COLUMN lateLeases INTEGER NOT NULL DEFAULT 0;
