-- For the capacity check that runs before each new group.
CREATE INDEX taskGroupsUnfinished ON taskGroups (lateOf)
  WHERE state != 'done' AND environment IS NOT NULL AND lateOf IS NULL;
