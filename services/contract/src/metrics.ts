import { z } from 'zod';
import { flag, userId } from './common.ts';
import { ServerUserView } from './users.ts';

/** 31 UTC days, oldest first, today last, zeros included. */
const Days = z.array(z.object({ date: z.iso.date(), activity: z.number().int() }));

export const MetricsQuery = z.strictObject({ include_anonymous: flag.optional() });

export const MetricsView = z
  .object({
    total_users: z.number().int(),
    daily_users: Days,
    daily_active_users: Days,
    users_by_country: z.record(z.string(), z.number().int()),
    recently_registered: z.array(ServerUserView),
    recently_active: z.array(ServerUserView),
    login_methods: z.array(z.object({ method: z.string(), count: z.number().int() })),
  })
  .meta({ id: 'Metrics' });
export type MetricsView = z.infer<typeof MetricsView>;

export const UserCounts = z
  .object({ total_users: z.number().int(), anonymous_users: z.number().int() })
  .meta({ id: 'UserCounts' });
export const UserActivityQuery = z.strictObject({ user_id: userId });
export const UserActivity = z
  .object({ data_points: Days })
  .meta({ id: 'UserActivity', description: 'activity is 1 on days on which the user was active, else 0.' });
