import type { Readiness } from '@gatebook/projections/operations/readiness';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const main = { name: 'main', kind: 'projection', isStopped: false, lag: 7, oldestMs: 1_500 } as const;
const ready: Readiness = {
  isReady: true,
  database: 'ok',
  log: 'ok',
  readModels: 'ok',
  lag: 7,
  oldestUnprojectedMs: 1_500,
  problems: [],
  subscriptions: [main],
  leaders: ['projector', 'worker'],
  quarantinedProjects: 2,
  history: { installedAt: 0, fellBackAt: 5_000, lastBackup: { finishedAt: 2_000, verifiedAt: null }, backupDueDays: 7 },
};
const databaseDown: Readiness = {
  ...ready,
  isReady: false,
  problems: [
    { severity: 'critical', code: 'database_unavailable', part: null, message: 'The database does not respond.' },
  ],
  subscriptions: [],
  leaders: null,
  quarantinedProjects: null,
  history: null,
};

/** Lines of the page that begin with one of `names`. */
async function linesOf(metrics: ReturnType<typeof createMetrics>, readiness: Readiness, ...names: string[]) {
  const { text } = await metrics.page(readiness, []);
  return text.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
}

test('a page has the state of the installation', async () => {
  const metrics = createMetrics({ role: 'projector' });
  const names = [
    ...['gatebook_subscription', 'gatebook_leader', 'gatebook_quarantined', 'gatebook_ready'],
    ...['gatebook_last_backup', 'gatebook_log_fell_back'],
  ];
  expect(await linesOf(metrics, { ...ready, leaders: ['worker'] }, ...names)).toEqual([
    'gatebook_ready 1',
    'gatebook_leader_present{role="projector"} 0',
    'gatebook_leader_present{role="worker"} 1',
    'gatebook_subscription_lag_events{subscription="main",kind="projection"} 7',
    'gatebook_subscription_lag_seconds{subscription="main",kind="projection"} 1.5',
    'gatebook_subscription_stopped{subscription="main",kind="projection"} 0',
    'gatebook_quarantined_projects 2',
    'gatebook_last_backup_timestamp_seconds 2',
    'gatebook_log_fell_back_timestamp_seconds 5',
  ]);
});

test('state that was known earlier but is unknown now is absent', async () => {
  const metrics = createMetrics({ role: 'projector' });
  await metrics.page(ready, []);
  const names = [
    'gatebook_subscription',
    'gatebook_leader',
    'gatebook_quarantined',
    'gatebook_ready',
    'gatebook_problems',
    'gatebook_last_backup',
    'gatebook_log_fell_back',
  ];
  expect(await linesOf(metrics, databaseDown, ...names)).toEqual([
    'gatebook_ready 0',
    'gatebook_problems{code="database_unavailable",severity="critical"} 1',
  ]);
  expect(await linesOf(metrics, ready, 'gatebook_problems')).toEqual([]);
});

test('unknown methods and paths share a label', async () => {
  const metrics = createMetrics({ role: 'api' });
  const response = { route: null, status: 404, seconds: 0.1, rejectedBy: null };
  for (const method of ['PROPFIND', 'MKCOL', 'GET']) metrics.meters.responded({ ...response, method });
  expect(await linesOf(metrics, ready, 'gatebook_http_request_duration_seconds_count')).toEqual([
    'gatebook_http_request_duration_seconds_count{method="other",route="unknown",status="4xx"} 2',
    'gatebook_http_request_duration_seconds_count{method="GET",route="unknown",status="4xx"} 1',
  ]);
});
