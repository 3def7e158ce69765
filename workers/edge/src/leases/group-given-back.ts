/** What a group becomes when no lease holds it. */

/** Assignments of an UPDATE of `taskGroups`: a group is open if a row of it is ready. */
export const GROUP_GIVEN_BACK: string = `leaseId = NULL,
           state = CASE WHEN EXISTS (SELECT 1 FROM trajectories t
                                     WHERE t.site = ?site AND t.groupId = taskGroups.id
                                       AND t.status = 'ready')
                   THEN 'open' ELSE 'done' END`;
