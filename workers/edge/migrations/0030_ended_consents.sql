-- The consent that a trajectory was recorded under: canonical JSON, as in consents. NULL for rows of earlier releases.
ALTER TABLE trajectories ADD COLUMN consent TEXT;
