-- What visitors agreed to, with the receipts that the edge gave back.
CREATE TABLE consents (
  site TEXT NOT NULL,
  visitorId TEXT NOT NULL,
  consent TEXT NOT NULL,                     -- canonical JSON, as in the visitor's trajectories
  textSha256 TEXT,                           -- of the text that was shown; NULL if the page did not say
  language TEXT,
  recordedAt INTEGER NOT NULL,
  signature TEXT NOT NULL,
  withdrawnAt INTEGER,
  PRIMARY KEY (visitorId, consent, site)
) WITHOUT ROWID;
CREATE INDEX consentsRecorded ON consents (site, recordedAt);
