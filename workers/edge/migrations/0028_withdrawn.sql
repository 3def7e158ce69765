-- Finds the next consent that can be deleted: a withdrawn one is kept for as long as records, another one longer.
CREATE INDEX consentsWithdrawn ON consents (site, recordedAt) WHERE withdrawnAt IS NOT NULL;
