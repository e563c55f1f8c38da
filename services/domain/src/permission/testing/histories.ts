import fc from 'fast-check';
import { DomainError } from '../../errors.ts';
import type { DomainEvent, Recorded } from '../../event.ts';
import { type MembershipCommand, membershipDecider } from '../../membership/decide.ts';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '../../project/config.ts';
import { type ProjectCommand, projectDecider } from '../../project/decide.ts';
import type { ProjectEvent } from '../../project/events.ts';
import { unknownSignIn } from '../../user/events.ts';
import { findDefinition } from '../effective.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '00000000-0000-4000-8000-000000000001';
const teamId = '00000000-0000-4000-8000-000000000002';
const ids = ['a', 'b', 'c', 'd', 'e'];

const projectCreated: ProjectEvent = {
  type: 'ProjectCreated',
  data: {
    projectId: 'shop',
    subjectId: teamId,
    displayName: 'Shop',
    description: '',
    isProductionMode: false,
    config: defaultProjectConfig,
    secrets: noProjectSecrets,
    settings: defaultProjectSettings,
    at,
  },
};

/** The event at a position of a log. The request of an event is its position. */
export function recorded(event: DomainEvent, stream: string, position: number): Recorded {
  const id = `00000000-0000-4000-9000-${String(position).padStart(12, '0')}`;
  const requestId = `request ${position}`;
  const actor = { kind: 'admin', id: null } as const;
  const of = { requestId, correlationId: requestId, causationId: null, sessionId: null, basis: {}, origin: null };
  const place = { position: BigInt(position), revision: 0n, committedAt: at };
  return { ...event, id, stream, ...place, metadata: { projectId: 'shop', actor, ...of } };
}

export const createdProject = recorded(projectCreated, 'project', 1);
/** Data of `UserCreated`, without its time. */
export const signUp = {
  userId,
  projectId: 'shop',
  displayName: null,
  profileImageUrl: null,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  serverMetadata: null,
  isAnonymous: false,
  method: 'password',
  ...unknownSignIn,
};

const someId = fc.constantFrom(...ids, '$update_team', 'team_admin', 'team_member');
const ownId = fc.constantFrom(...ids, 'team_member');
const someIds = fc.array(someId, { maxLength: 3 });
const operations = {
  define: fc.record({ kind: fc.constant('define' as const), id: ownId, contained: someIds }),
  contain: fc.record({ kind: fc.constant('contain' as const), id: ownId, contained: someIds }),
  rename: fc.record({ kind: fc.constant('rename' as const), id: ownId, to: ownId }),
  undefine: fc.record({ kind: fc.constant('undefine' as const), id: ownId }),
  joinOrLeave: fc.record({
    kind: fc.constantFrom('join' as const, 'join' as const, 'join' as const, 'leave' as const),
    granted: someIds,
  }),
  grantOrRevoke: fc.record({
    kind: fc.constantFrom('grant' as const, 'grant' as const, 'revoke' as const),
    id: someId,
  }),
};
const { define, contain, rename, undefine, joinOrLeave, grantOrRevoke } = operations;
const withoutRenames = fc.oneof(define, contain, undefine, joinOrLeave, grantOrRevoke, grantOrRevoke, grantOrRevoke);
type Operation = typeof withoutRenames extends fc.Arbitrary<infer O> ? O : never;
type Rename = typeof rename extends fc.Arbitrary<infer O> ? O : never;

const length = { minLength: 20, maxLength: 60, size: 'max' } as const;

/** Permission IDs that a history may have. */
export const permissionIds = someId;
/** The events of a project and a membership, after random commands. */
export const histories = fc.array(fc.oneof(withoutRenames, withoutRenames, rename), length).map((list) => {
  let keys = 0;
  return runAll(list, () => `key ${++keys}`);
});
/** The same, in which the key of each permission is its ID, also if it is defined again. */
export const historiesWithConstantIds = fc.array(withoutRenames, length).map((list) => runAll(list, (id) => id));

type NewKey = (id: string) => string;

function runAll(list: readonly (Operation | Rename)[], newKey: NewKey): Recorded[] {
  const log = [createdProject];
  let project = projectDecider.evolve(projectDecider.initialState, projectCreated);
  let membership = membershipDecider.initialState;
  const keyOf = (id: string) =>
    project.status === 'active' ? findDefinition(project.permissions, 'team', id)?.key : undefined;
  for (const one of list) {
    const command = commandOf(one, keyOf, newKey);
    try {
      if (command?.on === 'project') {
        for (const event of projectDecider.decide(command.command, project)) {
          log.push(recorded(event, 'project', log.length + 1));
          project = projectDecider.evolve(project, event);
        }
      } else if (command) {
        for (const event of membershipDecider.decide(command.command, membership)) {
          log.push(recorded(event, 'membership', log.length + 1));
          membership = membershipDecider.evolve(membership, event);
        }
      }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return log;
}

type Command = { on: 'project'; command: ProjectCommand } | { on: 'membership'; command: MembershipCommand } | null;

function commandOf(one: Operation | Rename, keyOf: (id: string) => string | undefined, newKey: NewKey): Command {
  const onProject = (command: ProjectCommand): Command => ({ on: 'project', command });
  const onMembership = (command: MembershipCommand): Command => ({ on: 'membership', command });
  switch (one.kind) {
    case 'define': {
      const { id, contained } = one;
      const definition = { key: newKey(id), scope: 'team' as const, id, description: null, contained };
      return onProject({ type: 'DefinePermission', ...definition, at });
    }
    case 'contain': {
      const change = { contained: one.contained };
      return onProject({ type: 'RedefinePermission', scope: 'team', id: one.id, change, at });
    }
    case 'rename':
      return onProject({ type: 'RedefinePermission', scope: 'team', id: one.id, change: { id: one.to }, at });
    case 'undefine':
      return onProject({ type: 'DeletePermission', scope: 'team', id: one.id, at });
    case 'join': {
      const permissionKeys = one.granted.flatMap((id) => keyOf(id) ?? []);
      const member = { teamId, userId, projectId: 'shop', permissionKeys, how: 'added' as const };
      return onMembership({ type: 'AddMember', ...member, at });
    }
    case 'leave':
      return onMembership({ type: 'RemoveMember', how: 'left', at });
    case 'grant': {
      const permissionKey = keyOf(one.id);
      return permissionKey === undefined ? null : onMembership({ type: 'GrantPermission', permissionKey, at });
    }
    case 'revoke': {
      const permissionKey = keyOf(one.id) ?? null;
      return onMembership({ type: 'RevokePermission', permissionKey, permissionId: one.id, at });
    }
  }
}
