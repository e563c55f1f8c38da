import {
  appendsBlocked,
  databaseReadOnly,
  databaseUnavailable,
  historyProblems,
  logUnavailable,
  missingLeaders,
  quarantineProblems,
  queueStuck,
  queueUnavailable,
  subscriptionProblems,
} from '@gatebook/projections/operations/problems';
import { expect, test } from 'vitest';
import { germanProblem } from './problems.ts';

type Subscription = Parameters<typeof subscriptionProblems>[0]['subscriptions'][number];
type Quarantine = Parameters<typeof quarantineProblems>[0]['quarantines'][number];

const dayMs = 86_400_000;
const history = { installedAt: 0, fellBackAt: null, lastBackup: null, backupDueDays: 1 };

/** A projection and a reactor in a state. */
const subscriptionsIn = (state: Partial<Subscription>): Subscription[] =>
  [
    { name: 'main', projectionVersion: 'main_g1' },
    { name: 'emails', projectionVersion: null },
  ].map((one) => ({ state: 'running', isCheckpointLost: false, ...one, ...state }) as Subscription);
const problemsIn = (state: Partial<Subscription>) =>
  subscriptionProblems({ subscriptions: subscriptionsIn(state) }, [], () => 999_000);
const quarantineOf = (fields: Partial<Quarantine>) =>
  quarantineProblems({
    quarantines: [{ projectId: 'p1', subscription: 'main', isLive: true, isKeyLost: false, ...fields } as Quarantine],
  });

const problems = [
  ...[databaseUnavailable, logUnavailable, appendsBlocked, databaseReadOnly],
  ...[queueUnavailable('emails'), queueStuck('emails', 9_000)],
  ...subscriptionProblems({ subscriptions: [] }, ['main'], () => 0),
  ...problemsIn({ isCheckpointLost: true }),
  ...problemsIn({ state: 'stopped' }),
  ...problemsIn({}),
  ...quarantineOf({}),
  ...quarantineOf({ isKeyLost: true }),
  ...quarantineOf({ subscription: 'erasures' }),
  ...historyProblems(history, 3 * dayMs),
  ...historyProblems({ ...history, fellBackAt: 3 * dayMs, lastBackup: { finishedAt: 0, verifiedAt: null } }, 3 * dayMs),
  ...missingLeaders([], ['projector', 'worker']),
];

test('each problem of an installation has a German text', () => {
  expect(new Set(problems.map(({ code }) => code)).size).toBe(20);
  expect(problems.filter(({ message }) => germanProblem(message) === message)).toEqual([]);
});

test('names, times and commands stay as they are', () => {
  const textOf = (code: string, part: string) =>
    germanProblem(problems.find((one) => one.code === code && one.part === part)?.message ?? '');
  expect(textOf('projection_stopped', 'main')).toBe(
    'Die Projektion main wurde gestoppt. Ihren Fehler finden Sie auf der Seite „Betrieb“. Beheben Sie die Ursache, und starten Sie den Projektor neu.',
  );
  expect(textOf('reactor_checkpoint_lost', 'emails')).toBe(
    'Der Reaktor emails hat Ereignisse verarbeitet, die das Log verloren hat. Führen Sie gatebook reactors reset emails aus.',
  );
  expect(textOf('queue_stuck', 'emails')).toContain('wartet seit 9 s.');
});
