-- The text of a correction or of an edited answer; NULL for all other feedback.
ALTER TABLE feedback ADD COLUMN text TEXT;
