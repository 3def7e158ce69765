-- Where a trajectory came from, and what is known of those who send trajectories.

ALTER TABLE trajectories ADD COLUMN network TEXT;   -- keyed hash of the /24 (IPv4) or /48 (IPv6); NULL if unknown
ALTER TABLE trajectories ADD COLUMN siteKey TEXT;   -- hash of the key that opened the session; NULL if unknown

-- Counts of what visitors and networks sent. They stay when trajectories are deleted after the site's retention.
CREATE TABLE reputations (
  site TEXT NOT NULL,
  holder TEXT NOT NULL,                      -- visitor id, or the hash of a network
  kind TEXT NOT NULL CHECK (kind IN ('visitor', 'network')),
  network TEXT,                              -- of a visitor: where the last trajectory came from
  verified INTEGER NOT NULL,                 -- passed every check
  forged INTEGER NOT NULL,                   -- rejected for what no honest page sends
  dropped INTEGER NOT NULL,                  -- aborted, unanswered, ended by a claimed failure, or different when replayed
  reason TEXT,                               -- of the last forged one
  changedAt INTEGER NOT NULL,                -- when the last of these was received or assigned
  PRIMARY KEY (holder, site)
) WITHOUT ROWID;
CREATE INDEX reputationsForged ON reputations (site, forged DESC) WHERE forged > 0;
CREATE INDEX reputationsOldest ON reputations (site, changedAt);

-- The first change of a count can take back what happened before counts were kept.
CREATE TRIGGER reputationsStarted AFTER INSERT ON reputations
WHEN MIN(NEW.verified, NEW.forged, NEW.dropped) < 0 BEGIN
  UPDATE reputations SET verified = MAX(0, verified), forged = MAX(0, forged), dropped = MAX(0, dropped)
  WHERE holder = NEW.holder AND site = NEW.site;
END;

CREATE TRIGGER trajectoriesWeighed AFTER UPDATE OF status, reason ON trajectories
WHEN OLD.status != NEW.status OR OLD.reason IS NOT NEW.reason BEGIN
  INSERT INTO reputations
    SELECT NEW.site, sender.holder, sender.kind, sender.network, d.verified, d.forged, d.dropped,
      IIF(d.forged > 0, NEW.reason, NULL), NEW.receivedAt
    FROM
      (SELECT NEW.visitorId AS holder, 'visitor' AS kind, NEW.network AS network
       UNION ALL SELECT NEW.network, 'network', NULL WHERE NEW.network IS NOT NULL) AS sender,
      (SELECT SUM(e.sign * (e.status IN ('learned', 'skipped') AND e.hasGap
           AND e.reason != 'page-tool-failed')) AS verified,
         SUM(e.sign * (e.status = 'rejected' AND e.reason IN
           ('not-drawn-from-seed', 'log-prob-gap', 'kept-set-mismatch', 'replayed', 'digest-mismatch',
            'assignment-mismatch', 'version-mismatch', 'unknown-token'))) AS forged,
         SUM(e.sign * ((e.status = 'skipped' AND e.reason IN ('aborted', 'timeout', 'reward-unavailable'))
           OR (e.status IN ('learned', 'skipped') AND e.reason = 'page-tool-failed')
           OR (e.status = 'rejected' AND (e.reason LIKE 'replay-mismatch%' OR e.reason IN
             ('call-mismatch', 'stop-mismatch', 'tool-wording', 'grammar-mismatch'))))) AS dropped
       FROM
         (SELECT 1 AS sign, NEW.status AS status, COALESCE(NEW.reason, '') AS reason,
            NEW.logProbGapMean IS NOT NULL AS hasGap
          UNION ALL SELECT -1, OLD.status, COALESCE(OLD.reason, ''), OLD.logProbGapMean IS NOT NULL) AS e) AS d
    WHERE d.verified != 0 OR d.forged != 0 OR d.dropped != 0
    ON CONFLICT (holder, site) DO UPDATE SET network = COALESCE(excluded.network, network),
      verified = MAX(0, verified + excluded.verified), forged = MAX(0, forged + excluded.forged),
      dropped = MAX(0, dropped + excluded.dropped), reason = COALESCE(excluded.reason, reason),
      changedAt = MAX(changedAt, excluded.changedAt);
END;

-- A task that was not answered in time counts until it is answered late.
CREATE TRIGGER assignmentsWeighed AFTER UPDATE OF state ON assignments
WHEN NEW.samplingSeed IS NOT NULL
  AND ((OLD.state = 'open' AND NEW.state = 'expired') OR (OLD.state = 'expired' AND NEW.state = 'answered')) BEGIN
  INSERT INTO reputations
    SELECT NEW.site, NEW.visitorId, 'visitor', NULL, 0, 0, IIF(NEW.state = 'expired', 1, -1), NULL, NEW.createdAt
    WHERE true
    ON CONFLICT (holder, site) DO UPDATE SET dropped = MAX(0, dropped + excluded.dropped),
      changedAt = MAX(changedAt, excluded.changedAt);
END;

-- Seeds of own requests that a later one passed over count until they are used.
CREATE TRIGGER requestSeedsWeighed AFTER UPDATE OF digest ON requestSeeds
WHEN OLD.digest IS NULL AND NEW.digest IS NOT NULL BEGIN
  INSERT INTO reputations
    SELECT NEW.site, NEW.visitorId, 'visitor', NULL, 0, 0, d.dropped, NULL, NEW.givenAt
    FROM
      (SELECT CASE
         WHEN EXISTS (SELECT 1 FROM requestSeeds s WHERE s.visitorId = NEW.visitorId AND s.site = NEW.site
                        AND s.number > NEW.number AND s.digest IS NOT NULL) THEN -1
         ELSE (SELECT COUNT(*) FROM requestSeeds s WHERE s.visitorId = NEW.visitorId AND s.site = NEW.site
                 AND s.digest IS NULL AND s.number < NEW.number AND s.number > COALESCE(
                   (SELECT u.number FROM requestSeeds u WHERE u.visitorId = NEW.visitorId AND u.site = NEW.site
                      AND u.number < NEW.number AND u.digest IS NOT NULL ORDER BY u.number DESC LIMIT 1), 0))
         END AS dropped) AS d
    WHERE d.dropped != 0
    ON CONFLICT (holder, site) DO UPDATE SET dropped = MAX(0, dropped + excluded.dropped),
      changedAt = MAX(changedAt, excluded.changedAt);
END;
