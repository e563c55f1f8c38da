// @vitest-environment happy-dom
import type { ConsistencyCheck } from '@gatebook/js/admin';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ConsistencyChecks } from './consistency-checks.tsx';

const check = (change: Partial<ConsistencyCheck> = {}): ConsistencyCheck => ({
  group: 'main',
  projectionVersion: 'main_g3',
  position: 1_000n,
  kind: 'sample',
  checkedAt: new Date(),
  tookMs: 40,
  rowsChecked: 240,
  checksumsOff: [],
  differing: 0,
  differences: [],
  ...change,
});
const changed = { table: 'users', key: { id: 'u1' }, kind: 'changed', columns: ['display_name', 'is_anonymous'] };
const missing = { table: 'team_members', key: { team_id: 't1', user_id: 'u1' }, kind: 'missing', columns: [] };

test('the list of integrity checks has an empty state', () => {
  renderPage(<ConsistencyChecks checks={[]} />);
  expect(screen.getByText(/No checks yet/)).toBeTruthy();
});

test('a check without differences says that the rows match the log', () => {
  renderPage(<ConsistencyChecks checks={[check()]} />);
  const row = within(screen.getByRole('listitem'));
  expect(row.getByText('main')).toBeTruthy();
  expect(row.getByText('240 rows')).toBeTruthy();
  expect(row.getByText('at position 1,000')).toBeTruthy();
  expect(row.getByText('Matches the log')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('differing rows are listed by table and key with the difference', () => {
  renderPage(
    <ConsistencyChecks
      checks={[check({ differing: 30, differences: [changed, missing], checksumsOff: ['users', 'team_members'] })]}
    />,
  );
  expect(screen.getByText('30 rows differ')).toBeTruthy();
  const alert = screen.getByRole('alert');
  expect(alert.textContent).toContain('users u1 display_name, is_anonymous differ');
  expect(alert.textContent).toContain('team_members t1,u1 is in the log but not in the table');
  expect(alert.textContent).toContain('users, team_members: the checksum does not match the rows');
  expect(alert.textContent).toContain('and 28 more');
});

test('a checksum mismatch is an alert and a repair is not', () => {
  renderPage(
    <ConsistencyChecks
      checks={[
        check({ checksumsOff: ['users'] }),
        check({ kind: 'repair', differing: 1, differences: [changed], rowsChecked: 1 }),
      ]}
    />,
  );
  expect(screen.getByText('Checksum mismatch')).toBeTruthy();
  expect(screen.getByText('1 row repaired')).toBeTruthy();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
});
