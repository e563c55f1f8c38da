// @vitest-environment happy-dom
import type {
  Comparison,
  Operations,
  OperationsClient,
  Problem,
  ProjectionVersion,
  Subscription,
} from '@gatebook/js/admin';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { OperationsPage } from './operations-page.tsx';

afterEach(() => {
  vi.useRealTimers();
  setVisibility('visible');
});

const subscription = (change: Partial<Subscription> = {}): Subscription => ({
  name: 'main',
  projectionVersion: 'main_g3',
  position: 1_000n,
  lag: 0n,
  state: 'live',
  error: null,
  ...change,
});
const projectionVersion = (change: Partial<ProjectionVersion> = {}): ProjectionVersion => ({
  group: 'main',
  id: 'main_g3',
  version: 3,
  state: 'live',
  isStandby: false,
  isReady: true,
  error: null,
  position: 1_000n,
  shards: [1_000n],
  createdAt: new Date(),
  ...change,
});
const state = (change: Partial<Operations> = {}): Operations => ({
  head: 1_000n,
  subscriptions: [subscription()],
  projectionVersions: [
    projectionVersion(),
    projectionVersion({ id: 'main_g4', version: 4, state: 'building', isReady: false, position: 400n }),
  ],
  checks: [],
  quarantines: [],
  problems: [],
  log: { adapter: 'postgres', fellBackAt: null },
  lastBackup: null,
  rejectionsExpiredAt: null,
  ...change,
});
/** Every call that a test does not override fails. */
const client = (overrides: Partial<OperationsClient>): OperationsClient => ({
  find: async () => state(),
  rebuild: never,
  compare: never,
  promoteStandby: never,
  drop: never,
  release: never,
  ...overrides,
});

function setVisibility(value: 'visible' | 'hidden'): void {
  Object.defineProperty(document, 'visibilityState', { value, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

test('shows a loading state', () => {
  renderPage(<OperationsPage operations={client({ find: () => pending<Operations>() })} />);
  expect(screen.getByRole('status', { name: 'Loading operations status' })).toBeTruthy();
});

test('shows the log head, projections and their versions', async () => {
  renderPage(<OperationsPage operations={client({ find: async () => state({ head: 1_234_567n }) })} />);
  expect(await screen.findByText('1,234,567')).toBeTruthy();
  expect(screen.getByText('Running')).toBeTruthy();
  expect(screen.getByText('Building')).toBeTruthy();
  const progress = screen.getByRole('progressbar', { name: 'Progress of main_g4' });
  expect(progress.getAttribute('value')).toBe('400');
});

test('a stopped projection shows its error and a lagging one that it is catching up', async () => {
  const subscriptions = [
    subscription({ name: 'main', state: 'stopped', error: 'event 17 cannot be applied', lag: 5n }),
    subscription({ name: 'metrics', lag: 2_000n }),
  ];
  renderPage(<OperationsPage operations={client({ find: async () => state({ subscriptions }) })} />);
  expect((await screen.findByRole('alert')).textContent).toContain('event 17');
  expect(screen.getByText('Stopped')).toBeTruthy();
  expect(screen.getByText('Catching up')).toBeTruthy();
  expect(screen.getAllByText('2,000 events behind').length).toBeGreaterThan(0);
});

const problem = (change: Partial<Problem>): Problem => ({
  severity: 'critical',
  code: 'projector_missing',
  part: null,
  message: 'No projector is running. Start one.',
  ...change,
});

test('shows each problem with what to do, critical ones first', async () => {
  const warning = problem({
    severity: 'warning',
    code: 'backup_old',
    message: 'The last backup is 9 days old. Run gatebook backup, and schedule it.',
  });
  renderPage(<OperationsPage operations={client({ find: async () => state({ problems: [warning, problem({})] }) })} />);
  expect((await screen.findByRole('alert')).textContent).toBe('No projector is running. Start one.');
  const shown = within(screen.getByRole('region', { name: 'Problems' })).getAllByRole('listitem');
  expect(shown.map(({ textContent }) => textContent)).toEqual([
    'ProjectorNo projector is running. Start one.',
    'BackupsThe last backup is 9 days old. Run gatebook backup, and schedule it.',
  ]);
});

/** The text of a row of the card about log and backups. */
const stateOf = async (name: string) => (await screen.findByText(name)).closest('li')?.textContent;

test('shows when the last backup was made and verified, and that the log has lost events', async () => {
  const past = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const lastBackup = { finishedAt: past(120), verifiedAt: past(60) };
  const log = { adapter: 'eventstoredb', fellBackAt: past(180) };
  renderPage(<OperationsPage operations={client({ find: async () => state({ lastBackup, log }) })} />);
  expect(await stateOf('Last backup')).toBe('Last backupVerified 1 hour ago2 hours agoVerified');
  expect(await stateOf('Event log')).toBe('Event logEventStoreDB3 hours agoEvents lost');
});

test('shows when old rejected calls were last deleted (#20 check 14)', async () => {
  const rejectionsExpiredAt = new Date(Date.now() - 60 * 60_000);
  renderPage(<OperationsPage operations={client({ find: async () => state({ rejectionsExpiredAt }) })} />);
  expect(await stateOf('Rejected calls')).toBe('Rejected callsOld ones are deleted every hour1 hour agoDone');
  cleanup();
  renderPage(<OperationsPage operations={client({})} />);
  expect(await stateOf('Rejected calls')).toBe('Rejected callsOld ones are deleted every hourNot yet');
});

test('says what to do if there is no backup or an unverified one', async () => {
  renderPage(<OperationsPage operations={client({})} />);
  expect(await stateOf('Last backup')).toBe('Last backupRun gatebook backupNo backup');
  expect(await stateOf('Event log')).toBe('Event logPostgresIntact');
  cleanup();
  const lastBackup = { finishedAt: new Date(), verifiedAt: null };
  renderPage(<OperationsPage operations={client({ find: async () => state({ lastBackup }) })} />);
  expect(await stateOf('Last backup')).toMatch(/^Last backupRun gatebook backup verify.*Not verified$/);
});

test('polls every second while the page is visible and pauses while it is hidden', async () => {
  vi.useFakeTimers();
  const find = vi.fn(async () => state());
  renderPage(<OperationsPage operations={client({ find })} />);
  await act(() => vi.advanceTimersByTimeAsync(3_100));
  expect(find).toHaveBeenCalledTimes(4);
  act(() => setVisibility('hidden'));
  expect(screen.getByText('Paused')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(find).toHaveBeenCalledTimes(4);
  act(() => setVisibility('visible'));
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(find).toHaveBeenCalledTimes(5);
});

test('a failed poll keeps the last status on screen and polling continues', async () => {
  vi.useFakeTimers();
  const find = vi
    .fn()
    .mockResolvedValueOnce(state())
    .mockRejectedValueOnce(new Error('down'))
    .mockResolvedValue(state({ head: 1_001n }));
  renderPage(<OperationsPage operations={client({ find })} />);
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.getByRole('alert').textContent).toContain('down');
  expect(screen.getByText('Log head (position)')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByText('1,001')).toBeTruthy();
});

const standby = projectionVersion({ id: 'main_g4', state: 'building', isStandby: true });
const rowOf = (id: string) => within(screen.getByText(id, { selector: 'strong' }).closest('li') as HTMLElement);
const click = (within_: { getByRole: typeof screen.getByRole }, name: string) =>
  fireEvent.click(within_.getByRole('button', { name }));

test('a projection group can be rebuilt unless a rebuild is running', async () => {
  const rebuild = vi.fn(async () => 'metrics_g9');
  const projectionVersions = [projectionVersion(), standby];
  renderPage(<OperationsPage operations={client({ find: async () => state({ projectionVersions }), rebuild })} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Rebuild' }));
  expect((await screen.findByRole('menuitem', { name: /main/ })).hasAttribute('disabled')).toBe(true);
  fireEvent.click(screen.getByRole('menuitem', { name: /metrics/ }));
  await waitFor(() => expect(rebuild).toHaveBeenCalledWith('metrics'));
});

test('a rebuild shows its progress, rate and remaining time', async () => {
  vi.useFakeTimers();
  const at = (position: bigint) =>
    state({
      head: 10_000n,
      projectionVersions: [
        projectionVersion({ id: 'main_g4', state: 'building', isStandby: true, isReady: false, position }),
      ],
    });
  const find = vi.fn().mockResolvedValueOnce(at(1_000n)).mockResolvedValue(at(3_000n));
  renderPage(<OperationsPage operations={client({ find })} />);
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(screen.getByText('10%')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(screen.getByText(/^30% · [\d,]+ events\/s · \d+ s left$/)).toBeTruthy();
  expect(screen.getByRole('progressbar', { name: 'Progress of main_g4' }).getAttribute('value')).toBe('3000');
  expect(screen.queryByRole('button', { name: 'Promote' })).toBeNull();
});

test('a standby version is promoted and the previous one rolled back to, each after confirmation', async () => {
  const promoteStandby = vi.fn(async () => undefined);
  const projectionVersions = [projectionVersion({ id: 'main_g2', state: 'previous' }), projectionVersion(), standby];
  renderPage(
    <OperationsPage operations={client({ find: async () => state({ projectionVersions }), promoteStandby })} />,
  );
  expect(await screen.findByText('Standby')).toBeTruthy();
  expect(rowOf('main_g3').queryByRole('button')).toBeNull();
  click(rowOf('main_g4'), 'Promote');
  expect(promoteStandby).not.toHaveBeenCalled();
  const dialog = within(await screen.findByRole('dialog', { name: 'Promote main_g4?' }));
  expect(dialog.getByText(/All API reads/)).toBeTruthy();
  click(dialog, 'Promote');
  await waitFor(() => expect(promoteStandby).toHaveBeenCalledWith('main_g4'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  click(rowOf('main_g2'), 'Roll back');
  click(within(await screen.findByRole('dialog', { name: 'Roll back to main_g2?' })), 'Roll back');
  await waitFor(() => expect(promoteStandby).toHaveBeenLastCalledWith('main_g2'));
});

test('an error while dropping a version is shown in the dialog', async () => {
  const drop = vi.fn().mockRejectedValue(new Error('it is in use'));
  const projectionVersions = [projectionVersion(), standby];
  renderPage(<OperationsPage operations={client({ find: async () => state({ projectionVersions }), drop })} />);
  await screen.findByText('Standby');
  click(rowOf('main_g4'), 'Drop');
  const dialog = within(await screen.findByRole('dialog', { name: 'Drop main_g4?' }));
  click(dialog, 'Drop version');
  expect((await dialog.findByRole('alert')).textContent).toContain('it is in use');
});

const table = { table: 'teams', rowsLive: 5, rowsOther: 5, onlyLive: 0, onlyOther: 0, changed: 0, first: [] };
const same: Comparison = { live: 'main_g3', other: 'main_g4', position: 1_000n, isEqual: true, tables: [table] };

test('a comparison shows that versions match or which rows differ', async () => {
  const first = [
    { key: { id: 'u1' }, how: 'changed', columns: ['display_name'] },
    { key: { id: 'u2' }, how: 'only_live', columns: [] },
  ];
  const users = { ...table, table: 'users', onlyLive: 1, changed: 1, first };
  const compare = vi
    .fn()
    .mockResolvedValueOnce(same)
    .mockResolvedValueOnce({ ...same, isEqual: false, tables: [table, users] });
  const projectionVersions = [projectionVersion(), standby];
  renderPage(<OperationsPage operations={client({ find: async () => state({ projectionVersions }), compare })} />);
  await screen.findByText('Standby');
  click(rowOf('main_g4'), 'Compare');
  expect(await screen.findByText('main_g4 matches main_g3')).toBeTruthy();
  expect(screen.getByText('5 rows of 1 table, at position 1,000')).toBeTruthy();
  click(rowOf('main_g4'), 'Compare');
  expect(await screen.findByText('users: 1 changed, 1 only in main_g3')).toBeTruthy();
  expect(screen.getByText('id=u1').closest('li')?.textContent).toContain('display_name');
});

test('shows quarantined projects with their errors and retries one', async () => {
  const quarantines = [
    {
      projectId: 'p1',
      subscription: 'main',
      projectionVersion: 'main_g3',
      position: 41n,
      error: 'event UserCreated at position 41 breaks its schema',
      since: new Date(),
      retryAt: null,
    },
  ];
  const release = vi.fn(async () => undefined);
  renderPage(<OperationsPage operations={client({ find: async () => state({ quarantines }), release })} />);
  expect(await screen.findByText('event UserCreated at position 41 breaks its schema')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Retry project p1' }));
  await waitFor(() => expect(release).toHaveBeenCalledWith('p1'));
});

test('does not mention quarantines without a quarantined project', async () => {
  renderPage(<OperationsPage operations={client({})} />);
  await screen.findByText('Building');
  expect(screen.queryByText('Quarantined projects')).toBeNull();
});
