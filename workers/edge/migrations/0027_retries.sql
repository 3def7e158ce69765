-- Which trajectory answers a request again; NULL unless the kind is retry and the page says so.
ALTER TABLE feedback ADD COLUMN retryId TEXT;
CREATE INDEX feedbackRetry ON feedback (retryId, site) WHERE retryId IS NOT NULL;
