import type { Analytics } from '@gatebook/js/admin';
import { expect, test } from 'vitest';
import { groupNames } from './analytics-text.ts';
import { countriesCsvOf, csvOf, funnelCsvOf, retentionCsvOf } from './chart-csv.ts';

const interval = (day: number) => ({
  start: new Date(Date.UTC(2026, 2, day)),
  end: new Date(Date.UTC(2026, 2, day + 1)),
  people: null,
});
const analytics: Analytics = {
  unit: 'day',
  intervals: [interval(1), interval(2)],
  total: 3,
  counts: [1, 2],
  groups: [
    { value: '=cmd, "x"', counts: [1, 0] },
    { value: null, counts: [0, 2] },
  ],
  before: { start: new Date(0), end: new Date(0), intervals: [], total: 5, counts: [4, 1] },
  countedSince: null,
};

test('a CSV file has a row per interval and a column per group, and no field is a formula', () => {
  expect(csvOf(analytics, groupNames('device')).split('\r\n')).toEqual([
    `\ufeffstart,end,count,period_before,"'=cmd, ""x""",Others and unknown`,
    '2026-03-01T00:00:00.000Z,2026-03-02T00:00:00.000Z,1,4,1,0',
    '2026-03-02T00:00:00.000Z,2026-03-03T00:00:00.000Z,2,1,0,2',
    '',
  ]);
});

test('a CSV file without groups has the counts alone', () => {
  expect(csvOf({ ...analytics, before: null }, null).split('\r\n')[0]).toBe('\ufeffstart,end,count');
});

test('the CSV file of countries has a row per country, and one for users of unknown countries', () => {
  expect(countriesCsvOf([{ country: 'SE', count: 4 }], 3).split('\r\n')).toEqual([
    '\ufeffcode,country,users',
    'SE,Sweden,4',
    ',Unknown,3',
    '',
  ]);
});

test('the CSV file of retention has a row per week, and an empty field where nothing is known', () => {
  const cohorts = [
    { start: new Date('2026-03-02'), users: 4, active: [4, null, 1] },
    { start: new Date('2026-03-16'), users: 10, active: [3] },
  ];
  expect(retentionCsvOf(cohorts).split('\r\n')).toEqual([
    '\ufeffstart,users,week_0,week_1,week_2',
    '2026-03-02T00:00:00.000Z,4,4,,1',
    '2026-03-16T00:00:00.000Z,10,3,,',
    '',
  ]);
});

test('the CSV file of the funnel has a row per step', () => {
  const funnel = { start: new Date(0), signedUp: 20, verified: 10, returned: 4, isComplete: true };
  expect(funnelCsvOf(funnel).split('\r\n')).toEqual([
    '\ufeffstep,users',
    'signed_up,20',
    'verified,10',
    'returned,4',
    '',
  ]);
});
