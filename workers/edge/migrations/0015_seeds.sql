-- Sampling seeds that the edge gives, and what the trainer found when it drew the tokens again.

ALTER TABLE assignments ADD COLUMN samplingSeed INTEGER;     -- NULL if an earlier release assigned the task
ALTER TABLE trajectories ADD COLUMN samplingSeed INTEGER;    -- NULL if the page chose the seed
ALTER TABLE trajectories ADD COLUMN drawMismatches INTEGER;  -- NULL if the tokens were not drawn again
