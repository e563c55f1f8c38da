import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandPermissions } from '../permission/effective.ts';
import { given } from '../spec.ts';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from './config.ts';
import { type ProjectCommand, projectDecider } from './decide.ts';
import type { ProjectEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = '00000000-0000-4000-8000-000000000001';
const subjectId = '00000000-0000-4000-8000-000000000002';
const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
const created: ProjectEvent = {
  type: 'ProjectCreated',
  data: { projectId, subjectId, displayName: 'Shop', description: '', isProductionMode: false, ...parts, at },
};
type Scope = 'team' | 'project';
const define = (id: string, contained: readonly string[] = [], scope: Scope = 'team') =>
  ({ type: 'DefinePermission', key: `key-${id}`, scope, id, description: null, contained, at }) as const;
const defined = (id: string, contained: string[] = [], scope: Scope = 'team'): ProjectEvent => ({
  type: 'PermissionDefinitionCreated',
  data: { projectId, key: `key-${id}`, id, scope, description: null, contained, at },
});
const redefine = (id: string, change: object, scope: Scope = 'team') =>
  ({ type: 'RedefinePermission', scope, id, change, at }) as const;
const changed = (key: string, id: string, contained: string[] = []): ProjectEvent => ({
  type: 'PermissionDefinitionChanged',
  data: { projectId, key, id, scope: 'team', description: null, contained, at },
});
const remove = (id: string, scope: Scope = 'team') => ({ type: 'DeletePermission', scope, id, at }) as const;
const removed = (key: string): ProjectEvent => ({ type: 'PermissionDefinitionDeleted', data: { projectId, key, at } });

describe('a permission', () => {
  test('is defined with the keys of what it contains', () =>
    given(projectDecider, created, defined('a'))
      .when(define('b', ['a', '$read_members', 'team_member', 'a']))
      .then(defined('b', ['key-a', '$read_members', 'team_member'])));
  test('has an ID that is unique across both scopes', () => {
    const taken = ['PERMISSION_ID_ALREADY_EXISTS', { permission_id: 'a' }] as const;
    given(projectDecider, created, defined('a'))
      .when(define('a'))
      .thenRejected(...taken);
    given(projectDecider, created, defined('a'))
      .when(define('a', [], 'project'))
      .thenRejected(...taken);
    given(projectDecider, created, defined('a'), removed('key-a')).when(define('a')).then(defined('a'));
  });
  test('comes back after a deletion under its key, as long as its ID is free', () => {
    const { type: _, data } = defined('a', ['key-b']) as Extract<ProjectEvent, { type: 'PermissionDefinitionCreated' }>;
    const { projectId: __, ...definition } = data;
    const restore = { type: 'RestorePermission', ...definition } as const;
    const deleted = [created, defined('b'), defined('a', ['key-b']), removed('key-a')] as const;
    given(projectDecider, ...deleted)
      .when(restore)
      .then(defined('a', ['key-b']));
    given(projectDecider, created, defined('b'), defined('a', ['key-b']))
      .when(restore)
      .then();
    const other = { ...defined('a'), data: { ...data, key: 'key-other' } } as ProjectEvent;
    given(projectDecider, ...deleted, other)
      .when(restore)
      .thenRejected('PERMISSION_ID_ALREADY_EXISTS', { permission_id: 'a' });
    // `b` contains `c` since, which still contains `a`.
    given(projectDecider, ...deleted, defined('c', ['key-a']), changed('key-b', 'b', ['key-c']))
      .when(restore)
      .thenRejected('PERMISSION_CYCLE', { permission_id: 'a' });
    const settings = { ...defaultProjectSettings, quotas: { permissionDefinitions: 3 } };
    const limited: ProjectEvent = {
      type: 'ProjectSettingsChanged',
      data: { projectId, settings, changed: ['quotas'], at },
    };
    given(projectDecider, ...deleted, limited)
      .when(restore)
      .thenRejected('QUOTA_EXCEEDED', { quota: 'permissionDefinitions', limit: 3 });
  });
  test('contains only permissions of its own scope', () => {
    const missing = (id: string) => ['CONTAINED_PERMISSION_NOT_FOUND', { permission_id: id }] as const;
    given(projectDecider, created)
      .when(define('a', ['nobody']))
      .thenRejected(...missing('nobody'));
    given(projectDecider, created)
      .when(define('a', ['a']))
      .thenRejected(...missing('a'));
    given(projectDecider, created)
      .when(define('a', ['$read_members'], 'project'))
      .thenRejected(...missing('$read_members'));
    given(projectDecider, created)
      .when(define('a', ['team_admin'], 'project'))
      .thenRejected(...missing('team_admin'));
  });
  test('changes only the given fields', () => {
    const past = [created, defined('a'), defined('b', ['key-a'])];
    given(projectDecider, ...past)
      .when(redefine('b', { id: 'c' }))
      .then(changed('key-b', 'c', ['key-a']));
    given(projectDecider, ...past)
      .when(redefine('b', { contained: [] }))
      .then(changed('key-b', 'b'));
    given(projectDecider, ...past)
      .when(redefine('b', { id: 'b', description: '', contained: ['a'] }))
      .then();
    given(projectDecider, ...past)
      .when(redefine('b', { id: 'a' }))
      .thenRejected('PERMISSION_ID_ALREADY_EXISTS', { permission_id: 'a' });
  });
  test("can't contain itself, directly or indirectly", () => {
    const past = [created, defined('a'), defined('b', ['key-a']), defined('c', ['key-b'])];
    for (const contained of [['a'], ['b'], ['$read_members', 'c']]) {
      given(projectDecider, ...past)
        .when(redefine('a', { contained }))
        .thenRejected('PERMISSION_CYCLE', { permission_id: 'a' });
    }
  });
  test.each([remove('nobody'), remove('$read_members'), remove('a', 'project'), redefine('a', {}, 'project')])(
    'that is not of the scope, or of the system, can not be touched: $type $id',
    (command) =>
      given(projectDecider, created, defined('a'))
        .when(command)
        .thenRejected('PERMISSION_NOT_FOUND', { permission_id: command.id }),
  );
  test('updates the default lists when it is renamed or deleted', () => {
    const config = (teamMemberDefaultPermissions: string[]): ProjectEvent => ({
      type: 'ProjectConfigChanged',
      data: {
        projectId,
        subjectId,
        secrets: noProjectSecrets,
        changed: ['teamMemberDefaultPermissions'],
        at,
        config: { ...defaultProjectConfig, teamMemberDefaultPermissions },
      },
    });
    const [renamed] = projectDecider.decide(
      redefine('team_member', { id: 'crew' }),
      projectDecider.evolve({ status: 'absent' }, created),
    );
    expect(renamed).toMatchObject({ type: 'PermissionDefinitionChanged', data: { key: 'team_member', id: 'crew' } });
    const after = (command: ProjectCommand) =>
      projectDecider.decide(command, projectDecider.evolve({ status: 'absent' }, created)).slice(1);
    expect(after(redefine('team_member', { id: 'crew' }))).toEqual([config(['crew'])]);
    expect(after(remove('team_member'))).toEqual([config([])]);
  });
  test('is a default under its ID', () => {
    const lists = { teamMemberDefaultPermissions: ['$invite_members', 'a'], userDefaultPermissions: ['p'] };
    const command = { type: 'ChangeConfig', config: lists, secrets: {}, at } as const;
    const state = [created, defined('a'), defined('p', [], 'project')].reduce(projectDecider.evolve, {
      status: 'absent',
    } as const);
    expect(projectDecider.decide(command, state)).toMatchObject([
      { type: 'ProjectConfigChanged', data: { config: lists } },
    ]);
  });
});

test('any sequence of definitions leaves no cycles, unique IDs and defined defaults', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'team_admin');
  const lists = fc.array(ids, { maxLength: 3 });
  const commands = fc.oneof(
    fc.record({ id: ids, contained: lists }).map(({ id, contained }) => define(id, contained)),
    fc
      .record({ id: ids, to: ids, contained: lists })
      .map(({ id, to, contained }) => redefine(id, { id: to, contained })),
    ids.map((id) => remove(id)),
  );
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 30 }), (tried) => {
      let state = projectDecider.evolve({ status: 'absent' }, created);
      let made = 0;
      for (const command of tried) {
        const unique = command.type === 'DefinePermission' ? { ...command, key: `key-${made++}` } : command;
        try {
          state = projectDecider.decide(unique, state).reduce(projectDecider.evolve, state);
        } catch {
          // Rejected: nothing changed.
        }
      }
      if (state.status !== 'active') return expect.fail('the project is there');
      const { permissions, config } = state;
      expect(new Set(permissions.map(({ id }) => id)).size).toBe(permissions.length);
      for (const { key, contained } of permissions)
        expect(expandPermissions(permissions, contained).has(key)).toBe(false);
      const known = permissions.map(({ id }) => id);
      for (const id of [...config.teamCreatorDefaultPermissions, ...config.teamMemberDefaultPermissions]) {
        expect(known).toContain(id);
      }
    }),
  );
});
