// @vitest-environment happy-dom
import type { ConsistencyCheck } from '@gatebook/js/operations';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ConsistencyChecks } from './consistency-checks.tsx';

const check = (change: Partial<ConsistencyCheck> = {}): ConsistencyCheck => ({
  ...{ set: 'main', projectionVersion: 'main_g3', position: 1_000n, kind: 'sample', checkedAt: new Date() },
  ...{ tookMs: 40, rowsChecked: 240, checksumsOff: [], differing: 0, differences: [] },
  ...change,
});
const changed = { table: 'users', key: { id: 'u1' }, kind: 'changed', columns: ['display_name', 'is_anonymous'] };
const gone = { table: 'team_members', key: { team_id: 't1', user_id: 'u1' }, kind: 'missing', columns: [] };

test('before the first one it is said that there was none', () => {
  renderPage(<ConsistencyChecks checks={[]} />);
  expect(screen.getByText(/Nothing has been held against the log yet/)).toBeTruthy();
});

test('sound rows are said to be what the log says', () => {
  renderPage(<ConsistencyChecks checks={[check()]} />);
  const row = within(screen.getByRole('listitem'));
  expect(row.getByText('main')).toBeTruthy();
  expect(row.getByText('240 rows')).toBeTruthy();
  expect(row.getByText('at position 1,000')).toBeTruthy();
  expect(row.getByText('As the log says')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('wrong rows are named by table and key, with what is wrong', () => {
  renderPage(
    <ConsistencyChecks
      checks={[check({ differing: 30, differences: [changed, gone], checksumsOff: ['users', 'team_members'] })]}
    />,
  );
  expect(screen.getByText('30 rows wrong')).toBeTruthy();
  const alert = screen.getByRole('alert');
  expect(alert.textContent).toContain('users u1 display_name, is_anonymous differ');
  expect(alert.textContent).toContain('team_members t1,u1 is in the log and not in the table');
  expect(alert.textContent).toContain('users, team_members: the rows do not add up');
  expect(alert.textContent).toContain('and 28 more');
});

test('a checksum that is off is told alone, a repair is no alarm', () => {
  renderPage(
    <ConsistencyChecks
      checks={[
        check({ checksumsOff: ['users'] }),
        check({ kind: 'repair', differing: 1, differences: [changed], rowsChecked: 1 }),
      ]}
    />,
  );
  expect(screen.getByText('Checksum off')).toBeTruthy();
  expect(screen.getByText('1 row repaired')).toBeTruthy();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
});
