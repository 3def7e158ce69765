-- Signature of a version by the site's publisher, as JSON; NULL if it is not signed.
ALTER TABLE policies ADD COLUMN signature TEXT;

-- Credentials of a site that were replaced, as JSON by role: {"trainer": {"hash": sha256, "until": ms}}.
ALTER TABLE sites ADD COLUMN previousCredentials TEXT NOT NULL DEFAULT '{}';

-- Who used the operator's routes, and from where.
CREATE TABLE operatorLogins (
  site TEXT NOT NULL,
  actor TEXT NOT NULL,
  network TEXT NOT NULL,                     -- keyed hash of the address prefix
  firstAt INTEGER NOT NULL,
  lastAt INTEGER NOT NULL,
  PRIMARY KEY (site, actor, network)
) WITHOUT ROWID;
