/** Ranges of analytics that end now, and how they are divided. */
export const analyticsRanges = ['24h', '7d', '30d', '90d', '1y'] as const;
export type AnalyticsRange = (typeof analyticsRanges)[number];
export const analyticsUnits = ['hour', 'day', 'week', 'month'] as const;
export type AnalyticsUnit = (typeof analyticsUnits)[number];
export const analyticsMeasures = ['sign_ups', 'sign_ins', 'active_users'] as const;
export type AnalyticsMeasure = (typeof analyticsMeasures)[number];
export const analyticsGroupings = ['method', 'country', 'device', 'kind'] as const;
export type AnalyticsGrouping = (typeof analyticsGroupings)[number];

type Division = readonly [unit: AnalyticsUnit, intervals: number];

/** How many intervals of each unit a range has; the first unit is the usual one. */
export const divisions: Readonly<Record<AnalyticsRange, readonly [Division, ...Division[]]>> = {
  '24h': [['hour', 24]],
  '7d': [['day', 7]],
  '30d': [
    ['day', 30],
    ['week', 5],
  ],
  '90d': [
    ['day', 90],
    ['week', 13],
    ['month', 3],
  ],
  '1y': [
    ['month', 12],
    ['week', 53],
    ['day', 365],
  ],
};
