-- Signature of a version by the site's publisher, as JSON; NULL if it is not signed.
ALTER TABLE policies ADD COLUMN signature TEXT;
