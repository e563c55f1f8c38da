import type { MetricsView } from '@gatebook/contract/metrics';
import type { AnalyticsView, FunnelView, RetentionView } from '@gatebook/contract/project-analytics';
import type { Send } from './transport.ts';
import { toUser, type User } from './users.ts';

export type AnalyticsMeasure = 'sign_ups' | 'sign_ins' | 'active_users';
/** How long until now. */
export type AnalyticsRange = '24h' | '7d' | '30d' | '90d' | '1y';
export type AnalyticsUnit = 'hour' | 'day' | 'week' | 'month';
export type AnalyticsGrouping = 'method' | 'country' | 'device' | 'kind';

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

export type AnalyticsOptions = {
  measure: AnalyticsMeasure;
  range: AnalyticsRange;
  /** Absent: the usual one of the range. */
  unit?: AnalyticsUnit | undefined;
  groupBy?: AnalyticsGrouping | undefined;
  /** Also count the period before. */
  compare?: boolean | undefined;
};
/** An hour, day, week or month of UTC. `end` is exclusive, and after now for the present one. */
export type AnalyticsInterval = {
  start: Date;
  end: Date;
  /** By what a search of users finds the people; null: it is not known who they were. */
  people: { by: 'signedUp' | 'activeOn' | 'counted' } | null;
};
/** `counts`: one per interval, oldest first. */
export type Analytics = {
  unit: AnalyticsUnit;
  intervals: readonly AnalyticsInterval[];
  /** For active users: how many there were, each counted once. */
  total: number | null;
  counts: readonly number[];
  /** The largest first; value is null for what is unknown and all others. */
  groups: readonly { value: string | null; counts: readonly number[] }[];
  /** The period before; `total` is null if it is not known. */
  before: {
    start: Date;
    end: Date;
    intervals: readonly AnalyticsInterval[];
    total: number | null;
    counts: readonly number[];
  } | null;
  /** Active users are not known before; null: no limit. */
  countedSince: Date | null;
};
/** `active`: in the week of joining and each week since, this week last; null if it was not counted. */
export type Cohort = { start: Date; users: number; active: readonly (number | null)[] };
/** `isComplete`: false if only the newest 100,000 users were looked at. */
export type Funnel = { start: Date; signedUp: number; verified: number; returned: number; isComplete: boolean };

export type MetricsClient = {
  find(): Promise<Metrics>;
  /** Counts sign-ups, sign-ins or active users over time. */
  count(options: AnalyticsOptions): Promise<Analytics>;
  /** Twelve weeks, oldest first. */
  findRetention(): Promise<readonly Cohort[]>;
  findFunnel(range: AnalyticsRange): Promise<Funnel>;
};

export const metricsClient = (send: Send): MetricsClient => ({
  find: async () => fromWire(await send<MetricsView>('GET', '/internal/metrics')),
  count: async ({ measure, range, unit, groupBy, compare }) => {
    const query = new URLSearchParams({
      measure,
      range,
      ...(unit && { unit }),
      ...(groupBy && { group_by: groupBy }),
      ...(compare && { compare: 'true' }),
    });
    return toAnalytics(await send<AnalyticsView>('GET', `/internal/analytics?${query}`));
  },
  findRetention: async () => {
    const { cohorts } = await send<RetentionView>('GET', '/internal/analytics/retention');
    return cohorts.map(({ start_millis: start, users, active }) => ({ start: new Date(start), users, active }));
  },
  findFunnel: async (range) => {
    const view = await send<FunnelView>('GET', `/internal/analytics/funnel?range=${range}`);
    const { start_millis: start, signed_up: signedUp, is_complete: isComplete, verified, returned } = view;
    return { start: new Date(start), signedUp, verified, returned, isComplete };
  },
});

const toIntervals = (intervals: AnalyticsView['intervals']): AnalyticsInterval[] =>
  intervals.map(({ start_millis: start, end_millis: end, people }) => ({
    start: new Date(start),
    end: new Date(end),
    people: people && { by: wayOf(people) },
  }));

function toAnalytics({ intervals, before, counted_since_millis: since, ...view }: AnalyticsView): Analytics {
  return {
    ...view,
    intervals: toIntervals(intervals),
    before: before && {
      start: new Date(before.start_millis),
      end: new Date(before.end_millis),
      intervals: toIntervals(before.intervals),
      total: before.total,
      counts: before.counts,
    },
    countedSince: since === null ? null : new Date(since),
  };
}

const wayOf = (people: Record<string, string>) =>
  'signed_up_from_millis' in people ? 'signedUp' : 'active_on' in people ? 'activeOn' : 'counted';

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
