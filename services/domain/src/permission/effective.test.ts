import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { initialPermissions, type PermissionDefinition, systemPermissionIds } from './definition.ts';
import { defaultPermissions, expandPermissions, findDefinition, idsOf } from './effective.ts';

const definition = (key: string, contained: readonly string[]): PermissionDefinition => {
  return { key, id: key, scope: 'team', description: null, contained };
};

describe('expanding a permission', () => {
  test('includes itself and everything that it contains', () => {
    expect([...expandPermissions(initialPermissions, ['team_member'])].sort()).toEqual([
      '$invite_members',
      '$read_members',
      'team_member',
    ]);
    expect(expandPermissions(initialPermissions, ['team_admin']).size).toBe(systemPermissionIds.length + 1);
  });
  test('yields nothing once its definition is deleted', () => {
    expect(expandPermissions([], ['team_admin', '$update_team'])).toEqual(new Set(['$update_team']));
    expect(expandPermissions([definition('a', ['gone'])], ['a'])).toEqual(new Set(['a']));
  });
  test('ends with definitions that contain each other', () => {
    const loop = [definition('a', ['b']), definition('b', ['a', 'b'])];
    expect(expandPermissions(loop, ['b'])).toEqual(new Set(['a', 'b']));
  });

  test('equals a naive closure for any definitions and grants', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', '$update_team', '$read_members', 'gone'];
    const contained = fc.array(fc.constantFrom(...keys), { maxLength: 4 });
    const definitions = fc.tuple(contained, contained, contained, contained, contained);
    fc.assert(
      fc.property(definitions, contained, (lists, granted) => {
        const defined = lists.map((list, index) => definition('abcde'[index] ?? '', list));
        expect(expandPermissions(defined, granted)).toEqual(naiveClosure(defined, granted));
      }),
    );
  });
});

/** Adds what is contained until nothing new comes. */
function naiveClosure(definitions: readonly PermissionDefinition[], granted: readonly string[]): Set<string> {
  const known = new Set([...systemPermissionIds, ...definitions.map(({ key }) => key)]);
  let held = new Set(granted.filter((key) => known.has(key)));
  for (;;) {
    const more = definitions.filter(({ key }) => held.has(key)).flatMap(({ contained }) => contained);
    const next = new Set([...held, ...more.filter((key) => known.has(key))]);
    if (next.size === held.size) return held;
    held = next;
  }
}

test('a definition is found by id in its own scope', () => {
  expect(findDefinition(initialPermissions, 'team', 'team_admin')?.key).toBe('team_admin');
  expect(findDefinition(initialPermissions, 'team', '$update_team')?.key).toBe('$update_team');
  expect(findDefinition(initialPermissions, 'project', 'team_admin')).toBeUndefined();
});

test('keys are shown as their current IDs, sorted in upper case', () => {
  const renamed = [{ ...definition('k1', []), id: 'zoo' }, definition('_x', []), definition('b', [])];
  expect(idsOf(renamed, ['k1', 'b', '_x', 'gone', '$delete_team'])).toEqual(['$delete_team', 'b', 'zoo', '_x']);
});

test('defaults are granted by key, and only those that are defined', () => {
  const config = {
    teamCreatorDefaultPermissions: ['team_admin'],
    teamMemberDefaultPermissions: ['member', 'gone'],
    userDefaultPermissions: ['team_admin'],
  };
  const permissions = [...initialPermissions, { ...definition('k1', []), id: 'member' }];
  expect(defaultPermissions({ config, permissions }, 'teamCreatorDefaultPermissions')).toEqual(['team_admin']);
  expect(defaultPermissions({ config, permissions }, 'teamMemberDefaultPermissions')).toEqual(['k1']);
  expect(defaultPermissions({ config, permissions }, 'userDefaultPermissions')).toEqual([]);
});
