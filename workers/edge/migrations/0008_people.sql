-- What an operator asks about visitors: consent by version, and the rows of one of them.

ALTER TABLE trajectories ADD COLUMN consentVersion TEXT; -- NULL for rows stored before this migration
CREATE INDEX trajectoriesConsent ON trajectories (consentVersion, visitorId);
CREATE INDEX trajectoriesVisitorDigest ON trajectories (visitorId, digest);
