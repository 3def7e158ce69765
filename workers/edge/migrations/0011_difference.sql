-- The tool call whose results differ in page and environment, as JSON; NULL for all other outcomes.
ALTER TABLE trajectories ADD COLUMN difference TEXT;
