import { membershipDecider } from '../membership/decide.ts';
import type { MembershipState } from '../membership/state.ts';
import { projectDecider } from '../project/decide.ts';
import type { ProjectState } from '../project/state.ts';
import { userDecider } from '../user/decide.ts';
import { existingUser, type UserState } from '../user/state.ts';
import { type PermissionDefinition, type PermissionScope, systemPermissions } from './definition.ts';
import { defaultPermissions } from './effective.ts';
import { builtIn, type Fact, type Facts, never, trackFacts } from './facts.ts';

/** What decides about the permissions of a user in a scope, with the events behind it. Grants are by key. */
export type PermissionHistory = {
  scope: PermissionScope;
  /** The membership; null in the scope of the project. */
  membership: Fact | null;
  grants: ReadonlyMap<string, Grant>;
  /** Keys that the user would be granted by joining; empty for a member and in the scope of the project. */
  grantedByJoining: readonly string[];
  /** Current definitions of the project. */
  definitions: readonly PermissionDefinition[];
  /** Every definition that ever was, by key and ID. */
  named: readonly NamedDefinition[];
  /** By container and contained key. */
  contained: ReadonlyMap<string, Facts>;
};
/** `isDefault`: the grant came with the sign-up or the membership. */
export type Grant = Fact & { isDefault: boolean };
export type NamedDefinition = { key: string; id: string; scope: PermissionScope; fact: Fact };

const definitionsOf = (state: ProjectState) => (state.status === 'active' ? state.permissions : none);
const none: readonly PermissionDefinition[] = [];
const nobody: ReadonlySet<string> = new Set();
const isMember: ReadonlySet<string> = new Set(['membership']);
const isUser: ReadonlySet<string> = new Set(['user']);

const membershipIn = (state: MembershipState) => (state.status === 'member' ? isMember : nobody);
const grantsIn = (state: MembershipState) => (state.status === 'member' ? state.permissions : nobody);
const existenceIn = (state: UserState) => (state.status === 'absent' ? nobody : isUser);
const projectGrantsIn = (state: UserState) => existingUser(state)?.permissions ?? nobody;

/** Follows the definitions in a project's stream. */
export const trackDefinitions = () =>
  trackFacts(projectDecider, {
    named: {
      partOf: definitionsOf,
      namesIn: (state) => definitionsOf(state).map(({ key, id, scope }) => JSON.stringify([key, id, scope])),
    },
    contained: {
      partOf: definitionsOf,
      namesIn: (state) =>
        definitionsOf(state).flatMap(({ key, contained }) => contained.map((other) => JSON.stringify([key, other]))),
    },
  });

/** Follows a membership and its grants in its stream. */
export const trackMembership = () =>
  trackFacts(membershipDecider, {
    membership: { partOf: membershipIn, namesIn: membershipIn },
    grants: { partOf: grantsIn, namesIn: grantsIn },
  });

/** Follows a user's grants in the user's stream. */
export const trackUser = () =>
  trackFacts(userDecider, {
    existence: { partOf: existenceIn, namesIn: existenceIn },
    grants: { partOf: projectGrantsIn, namesIn: projectGrantsIn },
  });

type Definitions = ReturnType<typeof trackDefinitions>;

export function teamPermissionHistory(
  project: Definitions,
  membership: ReturnType<typeof trackMembership>,
): PermissionHistory {
  const { facts } = membership;
  const isDefault = ({ since }: Fact) => since?.type === 'TeamMemberAdded';
  const state = project.state();
  const isOutside = membership.state().status === 'none' && state.status === 'active';
  return {
    scope: 'team',
    membership: facts.membership.get('membership') ?? never,
    grants: markDefaults(facts.grants, isDefault),
    grantedByJoining: isOutside ? defaultPermissions(state, 'teamMemberDefaultPermissions') : [],
    ...definitionHistory(project, 'team'),
  };
}

export function projectPermissionHistory(project: Definitions, user: ReturnType<typeof trackUser>): PermissionHistory {
  const { facts } = user;
  const signUp = facts.existence.get('user')?.since;
  return {
    scope: 'project',
    membership: null,
    grants: markDefaults(facts.grants, ({ since }) => since !== null && since.requestId === signUp?.requestId),
    grantedByJoining: [],
    ...definitionHistory(project, 'project'),
  };
}

const markDefaults = (grants: Facts, isDefault: (fact: Fact) => boolean): PermissionHistory['grants'] =>
  new Map([...grants].map(([key, fact]) => [key, { ...fact, isDefault: isDefault(fact) }]));

function definitionHistory(
  { state, facts }: Definitions,
  scope: PermissionScope,
): Pick<PermissionHistory, 'definitions' | 'named' | 'contained'> {
  const contained = new Map<string, Map<string, Fact>>();
  for (const [name, fact] of facts.contained) {
    const [container, other] = JSON.parse(name) as [string, string];
    contained.set(container, (contained.get(container) ?? new Map()).set(other, fact));
  }
  const own = [...facts.named].map(([name, fact]) => {
    const [key, id, ofScope] = JSON.parse(name) as [string, string, PermissionScope];
    return { key, id, scope: ofScope, fact };
  });
  const system = systemPermissions.map(({ key, id, scope: ofScope }) => {
    return { key, id, scope: ofScope, fact: builtIn };
  });
  const named = [...system, ...own].filter((definition) => definition.scope === scope);
  return { definitions: definitionsOf(state()), named, contained };
}
