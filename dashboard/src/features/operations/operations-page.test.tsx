// @vitest-environment happy-dom
import type { Follower, Operations } from '@gatebook/sdk/operations';
import { act, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { open, renderPage } from '../../testing/render.tsx';
import { OperationsPage } from './operations-page.tsx';

afterEach(() => {
  vi.useRealTimers();
  setVisibility('visible');
});

const follower = (change: Partial<Follower> = {}): Follower => ({
  name: 'main',
  generation: 'main_g3',
  position: 1_000n,
  lag: 0n,
  state: 'live',
  error: null,
  ...change,
});
const state = (change: Partial<Operations> = {}): Operations => ({
  head: 1_000n,
  followers: [follower()],
  generations: [
    { set: 'main', id: 'main_g3', version: 3, state: 'live', position: 1_000n, createdAt: new Date() },
    { set: 'main', id: 'main_g4', version: 4, state: 'building', position: 400n, createdAt: new Date() },
  ],
  ...change,
});

function setVisibility(value: 'visible' | 'hidden'): void {
  Object.defineProperty(document, 'visibilityState', { value, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

test('loading', () => {
  renderPage(<OperationsPage operations={{ find: () => open<Operations>().promise }} />);
  expect(screen.getByRole('status', { name: 'Loading the state' })).toBeTruthy();
});

test('head, followers and generations', async () => {
  renderPage(<OperationsPage operations={{ find: async () => state({ head: 1_234_567n }) }} />);
  expect(await screen.findByText('1,234,567')).toBeTruthy();
  expect(screen.getByText('Following')).toBeTruthy();
  expect(screen.getByText('Building')).toBeTruthy();
  const progress = screen.getByRole('progressbar', { name: 'Progress of main_g4' });
  expect(progress.getAttribute('value')).toBe('400');
});

test('a follower that stopped says why, one far behind that it is catching up', async () => {
  const followers = [
    follower({ name: 'main', state: 'stopped', error: 'event 17 cannot be applied', lag: 5n }),
    follower({ name: 'metrics', lag: 2_000n }),
  ];
  renderPage(<OperationsPage operations={{ find: async () => state({ followers }) }} />);
  expect((await screen.findByRole('alert')).textContent).toContain('event 17');
  expect(screen.getByText('Stopped')).toBeTruthy();
  expect(screen.getByText('Catching up')).toBeTruthy();
  expect(screen.getAllByText('2,000 events behind').length).toBeGreaterThan(0);
});

test('asks each second while it can be seen, and not when it cannot', async () => {
  vi.useFakeTimers();
  const find = vi.fn(async () => state());
  renderPage(<OperationsPage operations={{ find }} />);
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
  renderPage(<OperationsPage operations={{ find }} />);
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.getByRole('alert').textContent).toContain('down');
  expect(screen.getByText('Head of the log')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByText('1,001')).toBeTruthy();
});
