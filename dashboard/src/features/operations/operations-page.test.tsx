// @vitest-environment happy-dom
import type {
  Comparison,
  Operations,
  OperationsClient,
  ProjectionVersion,
  Subscription,
} from '@gatebook/js/operations';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { never, open, renderPage } from '../../testing/render.tsx';
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
  ...{ set: 'main', id: 'main_g3', version: 3, state: 'live', isStandby: false, isReady: true, error: null },
  ...{ position: 1_000n, createdAt: new Date() },
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
  ...change,
});
/** What a test does not name must not be called. */
const client = (given: Partial<OperationsClient>): OperationsClient => ({
  ...{ find: async () => state(), rebuild: never, compare: never, promoteStandby: never, drop: never },
  ...given,
});

function setVisibility(value: 'visible' | 'hidden'): void {
  Object.defineProperty(document, 'visibilityState', { value, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

test('loading', () => {
  renderPage(<OperationsPage operations={client({ find: () => open<Operations>().promise })} />);
  expect(screen.getByRole('status', { name: 'Loading the state' })).toBeTruthy();
});

test('head, subscriptions and projection versions', async () => {
  renderPage(<OperationsPage operations={client({ find: async () => state({ head: 1_234_567n }) })} />);
  expect(await screen.findByText('1,234,567')).toBeTruthy();
  expect(screen.getByText('Following')).toBeTruthy();
  expect(screen.getByText('Building')).toBeTruthy();
  const progress = screen.getByRole('progressbar', { name: 'Progress of main_g4' });
  expect(progress.getAttribute('value')).toBe('400');
});

test('a subscription that stopped says why, one far behind that it is catching up', async () => {
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

test('asks each second while it can be seen, and not when it cannot', async () => {
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

test('a failure keeps the last state in view and polling goes on', async () => {
  vi.useFakeTimers();
  const find = vi
    .fn()
    .mockResolvedValueOnce(state())
    .mockRejectedValueOnce(new Error('down'))
    .mockResolvedValue(state({ head: 1_001n }));
  renderPage(<OperationsPage operations={client({ find })} />);
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.getByRole('alert').textContent).toContain('down');
  expect(screen.getByText('Head of the log')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByText('1,001')).toBeTruthy();
});

const waiting = projectionVersion({ id: 'main_g4', state: 'building', isStandby: true });
const rowOf = (id: string) => within(screen.getByText(id, { selector: 'strong' }).closest('li') as HTMLElement);
const click = (within_: { getByRole: typeof screen.getByRole }, name: string) =>
  fireEvent.click(within_.getByRole('button', { name }));

test('a rebuild is started for a set, unless one goes on', async () => {
  const rebuild = vi.fn(async () => 'metrics_g9');
  const projectionVersions = [projectionVersion(), waiting];
  renderPage(<OperationsPage operations={client({ find: async () => state({ projectionVersions }), rebuild })} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Rebuild' }));
  expect((await screen.findByRole('menuitem', { name: /main/ })).hasAttribute('disabled')).toBe(true);
  fireEvent.click(screen.getByRole('menuitem', { name: /metrics/ }));
  await waitFor(() => expect(rebuild).toHaveBeenCalledWith('metrics'));
});

test('a rebuild tells its share, its rate and the time it needs', async () => {
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
  expect(screen.getByText('10 %')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(screen.getByText(/^30 % · [\d,]+ events\/s · \d+ s left$/)).toBeTruthy();
  expect(screen.getByRole('progressbar', { name: 'Progress of main_g4' }).getAttribute('value')).toBe('3000');
  expect(screen.queryByRole('button', { name: 'Switch' })).toBeNull();
});

test('one that waits is switched to after asking once more; the kept one is switched back to', async () => {
  const promoteStandby = vi.fn(async () => undefined);
  const projectionVersions = [projectionVersion({ id: 'main_g2', state: 'previous' }), projectionVersion(), waiting];
  renderPage(
    <OperationsPage operations={client({ find: async () => state({ projectionVersions }), promoteStandby })} />,
  );
  expect(await screen.findByText('Waiting')).toBeTruthy();
  expect(rowOf('main_g3').queryByRole('button')).toBeNull();
  click(rowOf('main_g4'), 'Switch');
  expect(promoteStandby).not.toHaveBeenCalled();
  const dialog = within(await screen.findByRole('dialog', { name: 'Switch to main_g4' }));
  expect(dialog.getByText(/every answer of the API/)).toBeTruthy();
  click(dialog, 'Switch');
  await waitFor(() => expect(promoteStandby).toHaveBeenCalledWith('main_g4'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  click(rowOf('main_g2'), 'Switch back');
  click(within(await screen.findByRole('dialog', { name: 'Switch back to main_g2' })), 'Switch back');
  await waitFor(() => expect(promoteStandby).toHaveBeenLastCalledWith('main_g2'));
});

test('a rejection stays in the dialog', async () => {
  const drop = vi.fn().mockRejectedValue(new Error('it is in use'));
  const projectionVersions = [projectionVersion(), waiting];
  renderPage(<OperationsPage operations={client({ find: async () => state({ projectionVersions }), drop })} />);
  await screen.findByText('Waiting');
  click(rowOf('main_g4'), 'Drop');
  const dialog = within(await screen.findByRole('dialog', { name: 'Drop main_g4' }));
  click(dialog, 'Drop it');
  expect((await dialog.findByRole('alert')).textContent).toContain('it is in use');
});

const table = { table: 'teams', rowsLive: 5, rowsOther: 5, onlyLive: 0, onlyOther: 0, changed: 0, first: [] };
const same: Comparison = { live: 'main_g3', other: 'main_g4', position: 1_000n, isEqual: true, tables: [table] };

test('a comparison says that all is the same, or which rows are not', async () => {
  const first = [
    { key: { id: 'u1' }, how: 'changed', columns: ['display_name'] },
    { key: { id: 'u2' }, how: 'only_live', columns: [] },
  ];
  const users = { ...table, table: 'users', onlyLive: 1, changed: 1, first };
  const compare = vi
    .fn()
    .mockResolvedValueOnce(same)
    .mockResolvedValueOnce({ ...same, isEqual: false, tables: [table, users] });
  const projectionVersions = [projectionVersion(), waiting];
  renderPage(<OperationsPage operations={client({ find: async () => state({ projectionVersions }), compare })} />);
  await screen.findByText('Waiting');
  click(rowOf('main_g4'), 'Compare');
  expect(await screen.findByText('main_g4 is the same as main_g3')).toBeTruthy();
  expect(screen.getByText('5 rows of 1 table, at position 1,000')).toBeTruthy();
  click(rowOf('main_g4'), 'Compare');
  expect(await screen.findByText('users: 1 changed, 1 only in main_g3')).toBeTruthy();
  expect(screen.getByText('id=u1').closest('li')?.textContent).toContain('display_name');
});
