-- The uses that a visitor agreed to, separated by commas: collect, train, feedback. NULL for earlier rows: all three.
ALTER TABLE trajectories ADD COLUMN consentScopes TEXT;
