-- Indexes for operator queries about visitors: consent by version, and all rows of one visitor.

ALTER TABLE trajectories ADD COLUMN consentVersion TEXT; -- NULL for rows stored before this migration
CREATE INDEX trajectoriesConsent ON trajectories (consentVersion, visitorId);
CREATE INDEX trajectoriesVisitorDigest ON trajectories (visitorId, digest);
