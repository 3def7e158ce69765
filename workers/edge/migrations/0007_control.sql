-- Freeze and kill switch, and the audit log.

CREATE TABLE switches (
  name TEXT PRIMARY KEY CHECK (name IN ('freeze', 'kill')), -- a row = the switch is on
  mode TEXT,                                 -- of 'kill': base or silence
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
);

CREATE TABLE auditLog (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,                       -- name of the operator, or 'trainer'
  action TEXT NOT NULL,
  version INTEGER,
  reason TEXT NOT NULL
);
