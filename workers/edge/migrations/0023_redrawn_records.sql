-- A record counts as verified only if its tokens were drawn again. Records of other runtimes cannot be, and would
-- otherwise lift a quarantine.

DROP TRIGGER trajectoriesWeighed;
CREATE TRIGGER trajectoriesWeighed AFTER UPDATE OF status, reason ON trajectories
WHEN OLD.status != NEW.status OR OLD.reason IS NOT NEW.reason BEGIN
  INSERT INTO reputations
    SELECT NEW.site, sender.holder, sender.kind, sender.network, d.verified, d.forged, d.dropped,
      IIF(d.forged > 0, NEW.reason, NULL), NEW.receivedAt
    FROM
      (SELECT NEW.visitorId AS holder, 'visitor' AS kind, NEW.network AS network
       UNION ALL SELECT NEW.network, 'network', NULL WHERE NEW.network IS NOT NULL) AS sender,
      (SELECT SUM(e.sign * (e.status IN ('learned', 'skipped') AND e.isRedrawn
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
            NEW.drawMismatches IS NOT NULL AS isRedrawn
          UNION ALL SELECT -1, OLD.status, COALESCE(OLD.reason, ''), OLD.drawMismatches IS NOT NULL) AS e) AS d
    WHERE d.verified != 0 OR d.forged != 0 OR d.dropped != 0
    ON CONFLICT (holder, site) DO UPDATE SET network = COALESCE(excluded.network, network),
      verified = MAX(0, verified + excluded.verified), forged = MAX(0, forged + excluded.forged),
      dropped = MAX(0, dropped + excluded.dropped), reason = COALESCE(excluded.reason, reason),
      changedAt = MAX(changedAt, excluded.changedAt);
END;
