import { UserActivity, UserActivityQuery, UserCounts } from '@gatebook/contract/metrics';
import { findUserActivity } from '@gatebook/readmodel/activity/queries';
import { countUsers } from '@gatebook/readmodel/metrics/queries';
import { findUser } from '@gatebook/readmodel/users/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

const tags = ['Operations'];
const dayMs = 24 * 60 * 60_000;
const shownDays = 31;

/** (protocol, projects §3.2) */
export const userCountsRoute = defineRoute({
  method: 'GET',
  path: '/internal/metrics/user-counts',
  access: adminOnly,
  tags,
  summary: 'Count users',
  description: 'Users who are not anonymous, and anonymous users. The numbers can lag by a few seconds.',
  response: { 200: UserCounts },
  handle: async ({ deps, caller }) => {
    const { regularUsers, anonymousUsers } = await countUsers(deps.db, caller.projectId);
    return { total_users: regularUsers, anonymous_users: anonymousUsers };
  },
});

export const userActivityRoute = defineRoute({
  method: 'GET',
  path: '/internal/user-activity',
  access: adminOnly,
  errors: ['USER_NOT_FOUND'],
  tags,
  summary: 'Get the activity of a user',
  description: 'One entry per day of the last 31 days (UTC), oldest first.',
  query: UserActivityQuery,
  response: { 200: UserActivity },
  handle: async ({ deps, caller, query }) => {
    const { user_id: userId } = query;
    await findUser(deps.db, caller.projectId, userId);
    const { days } = await findUserActivity(deps.db, caller.projectId, userId);
    const today = Date.parse(deps.now());
    const data_points = Array.from({ length: shownDays }, (_, nth) => {
      const date = new Date(today - (shownDays - 1 - nth) * dayMs).toISOString().slice(0, 10);
      return { date, activity: days.includes(date) ? 1 : 0 };
    });
    return { data_points };
  },
});
