-- Which trajectory answers a request again; NULL unless the kind is retry and the page says so.
ALTER TABLE feedback ADD COLUMN retryId TEXT;
-- A visitor's trajectory is retried by one, and retries one.
CREATE UNIQUE INDEX feedbackRetry ON feedback (retryId, visitorId, site) WHERE retryId IS NOT NULL;
CREATE UNIQUE INDEX feedbackRetried ON feedback (trajectoryId, visitorId, site) WHERE retryId IS NOT NULL;
