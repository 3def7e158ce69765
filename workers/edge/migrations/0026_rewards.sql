-- Rewards of perturbed policies, for sites that collect rewards only.

ALTER TABLE assignments ADD COLUMN perturbation TEXT;        -- JSON, Perturbation; NULL if the task is for the version itself
ALTER TABLE assignments ADD COLUMN perturbedVersion INTEGER; -- its policyVersion
ALTER TABLE assignments ADD COLUMN reward REAL;              -- in [0, 1], as the page computed it; NULL until it answers
ALTER TABLE assignments ADD COLUMN rewardedAt INTEGER;
ALTER TABLE assignments ADD COLUMN network TEXT;             -- keyed hash of the reward's network, as in trajectories

CREATE INDEX assignmentsRewarded ON assignments (site, perturbedVersion, rewardedAt) WHERE rewardedAt IS NOT NULL;
CREATE INDEX assignmentsRewardedAt ON assignments (site, rewardedAt) WHERE rewardedAt IS NOT NULL;
