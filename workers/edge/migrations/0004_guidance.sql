-- Guidance text of a version, in addition to its adapter or instead of one.

ALTER TABLE policies ADD COLUMN guidance TEXT; -- JSON, GuidanceReference
