import type { MetricsView } from '@gatebook/contract/metrics';
import type { Send } from './transport.ts';
import { toUser, type User } from './users.ts';

/** `date` is a UTC day, `YYYY-MM-DD`. */
export type DayCount = { date: string; count: number };
export type Metrics = {
  totalUsers: number;
  /** 31 days, oldest first, today last. */
  dailyUsers: readonly DayCount[];
  dailyActiveUsers: readonly DayCount[];
  /** By country code, most users first. */
  usersByCountry: readonly { country: string; count: number }[];
  recentlyRegistered: readonly User[];
  recentlyActive: readonly User[];
  /** Most used first. */
  loginMethods: readonly { method: string; count: number }[];
};
export type MetricsClient = { find(): Promise<Metrics> };

export const metricsClient = (send: Send): MetricsClient => ({
  find: async () => fromWire(await send<MetricsView>('GET', '/internal/metrics')),
});

function fromWire(view: MetricsView): Metrics {
  return {
    totalUsers: view.total_users,
    dailyUsers: view.daily_users.map(toDayCount),
    dailyActiveUsers: view.daily_active_users.map(toDayCount),
    usersByCountry: Object.entries(view.users_by_country).map(([country, count]) => ({ country, count })),
    recentlyRegistered: view.recently_registered.map(toUser),
    recentlyActive: view.recently_active.map(toUser),
    loginMethods: view.login_methods.toSorted((a, b) => b.count - a.count || a.method.localeCompare(b.method)),
  };
}

function toDayCount({ date, activity }: MetricsView['daily_users'][number]): DayCount {
  return { date, count: activity };
}
