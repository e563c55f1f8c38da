// @vitest-environment happy-dom
import type { Operations } from '@gatebook/sdk/operations';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { never, showPage } from '../../testing/render.tsx';
import { OperationsPage } from './operations-page.tsx';

const operations: Operations = {
  head: 12_345n,
  followers: [
    { name: 'main', generation: 'main_g1', position: 12_345n, lag: 0n, state: 'following', error: null },
    { name: 'metrics', generation: 'metrics_g2', position: 345n, lag: 12_000n, state: 'following', error: null },
    {
      name: 'erasures',
      generation: null,
      position: 5n,
      lag: 12_340n,
      state: 'stopped',
      error: 'the key store is away',
    },
  ],
  generations: [{ set: 'main', id: 'main_g1', version: 1, state: 'live', position: 12_345n, createdAt: new Date() }],
};

test('loading shows that it loads', () => {
  showPage(<OperationsPage operations={{ find: never }} />);
  expect(screen.getByRole('status', { name: 'Loading the state' })).toBeTruthy();
});

test('a failure says so and offers to try again', async () => {
  showPage(<OperationsPage operations={{ find: async () => Promise.reject(new Error('not for you')) }} />);
  expect(await screen.findByText('not for you')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});

test('the head, each follower’s place, lag and state, and what stopped one', async () => {
  showPage(<OperationsPage operations={{ find: async () => operations }} />);
  expect(await screen.findAllByText('12,345')).toHaveLength(3);
  expect(screen.getByText('up to date')).toBeTruthy();
  expect(screen.getByText('12,000 events behind')).toBeTruthy();
  expect(screen.getByText('Catching up')).toBeTruthy();
  expect(screen.getByText('Stopped')).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toBe('the key store is away');
  expect(screen.getByText('12,340 events')).toBeTruthy();
});
