-- Text that a version says beside its adapter, or in place of one.

ALTER TABLE policies ADD COLUMN guidance TEXT; -- JSON, GuidanceReference
