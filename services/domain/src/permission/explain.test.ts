import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import type { Recorded } from '../event.ts';
import { membershipDecider } from '../membership/decide.ts';
import { projectDecider } from '../project/decide.ts';
import type { PermissionDefinition } from './definition.ts';
import { expandPermissions, findDefinition } from './effective.ts';
import { type Explanation, explainPermission, type PermissionPath, type Step } from './explain.ts';
import {
  type PermissionHistory,
  projectPermissionHistory,
  teamPermissionHistory,
  trackDefinitions,
  trackMembership,
  trackUser,
} from './history.ts';
import {
  createdProject,
  histories,
  historiesWithConstantIds,
  permissionIds,
  recorded,
  signUp,
} from './testing/histories.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '00000000-0000-4000-8000-000000000001';
const definition = (key: string, contained: readonly string[], scope = 'project') =>
  recorded(
    {
      type: 'PermissionDefinitionCreated',
      data: { projectId: 'shop', key, id: key, scope, description: null, contained, at },
    },
    'project',
    2,
  );

function historyOf(log: readonly Recorded[]): PermissionHistory {
  const [project, membership] = [trackDefinitions(), trackMembership()];
  for (const event of log) (event.stream === 'project' ? project : membership).apply(event);
  return teamPermissionHistory(project, membership);
}

/** The state of the same events, folded by the deciders alone. */
function stateOf(log: readonly Recorded[]) {
  const of = (stream: string) => log.filter((event) => event.stream === stream) as never[];
  const project = of('project').reduce(projectDecider.evolve, projectDecider.initialState);
  const member = of('membership').reduce(membershipDecider.evolve, membershipDecider.initialState);
  return {
    definitions: project.status === 'active' ? project.permissions : [],
    granted: member.status === 'member' ? member.permissions : null,
  };
}
type State = ReturnType<typeof stateOf>;

/** The check of `requireTeamPermission`, for an ID. */
function isAllowed({ definitions, granted }: State, id: string): boolean {
  const target = findDefinition(definitions, 'team', id);
  return target !== undefined && granted !== null && expandPermissions(definitions, granted).has(target.key);
}

const isInState = ({ kind, permissionId, containedPermissionId }: Step, state: State): boolean => {
  const { definitions, granted } = state;
  const keyOf = (id: string | null) => findDefinition(definitions, 'team', id ?? '')?.key ?? id ?? '';
  if (kind === 'membership') return granted !== null;
  if (kind === 'definition') return findDefinition(definitions, 'team', permissionId ?? '') !== undefined;
  if (kind === 'containment') {
    const container = definitions.find(({ key }) => key === keyOf(permissionId));
    return container?.contained.includes(keyOf(containedPermissionId)) === true;
  }
  return granted?.has(keyOf(permissionId)) === true;
};

/** The state without what one step stands for. */
function without({ definitions, granted }: State, step: Step): State {
  const keyOf = (id: string | null) => findDefinition(definitions, 'team', id ?? '')?.key ?? '';
  const [key, other] = [keyOf(step.permissionId), keyOf(step.containedPermissionId)];
  const change = (update: (definition: PermissionDefinition) => PermissionDefinition[]) => ({
    definitions: definitions.flatMap((one) => (one.key === key ? update(one) : [one])),
    granted,
  });
  switch (step.kind) {
    case 'membership':
      return { definitions, granted: null };
    case 'definition':
      return change(() => []);
    case 'containment':
      return change((one) => [{ ...one, contained: one.contained.filter((contained) => contained !== other) }]);
    default:
      return { definitions, granted: granted && new Set([...granted].filter((one) => one !== key)) };
  }
}

/** The state in which nothing holds but the steps of one path. */
function reducedTo(path: PermissionPath, state: State): State {
  const keyOf = (id: string | null) => findDefinition(state.definitions, 'team', id ?? '')?.key ?? '';
  const edges = new Set(path.map((step) => `${keyOf(step.permissionId)} ${keyOf(step.containedPermissionId)}`));
  const grant = path.find(({ kind }) => kind === 'grant' || kind === 'default_grant');
  return {
    definitions: state.definitions.map((one) => ({
      ...one,
      contained: one.contained.filter((other) => edges.has(`${one.key} ${other}`)),
    })),
    granted: new Set([keyOf(grant?.permissionId ?? null)]),
  };
}

const isBuiltIn = (step: Step) => step.kind === 'definition' && step.permissionId?.startsWith('$');

function expectPaths({ paths }: Explanation, state: State, id: string): void {
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) {
    const reduced = reducedTo(path, state);
    expect(isAllowed(reduced, id)).toBe(true);
    for (const step of path) {
      expect(step.fact.holds).toBe(true);
      expect(isInState(step, state)).toBe(true);
      if (isBuiltIn(step)) continue;
      expect(isAllowed(without(reduced, step), id)).toBe(false);
      expect(isAllowed(without(state, step), id)).toBe(!step.isDecisive);
    }
  }
  const texts = paths.map((path) => path.map(({ permissionId }) => permissionId).join());
  expect(new Set(texts).size).toBe(paths.length);
}

function expectMiss({ nearestMiss, wouldGrant }: Explanation, state: State, id: string): void {
  const { definitions, granted } = state;
  expect(nearestMiss?.filter(({ fact }) => !fact.holds).length).toBeGreaterThan(0);
  for (const { key, id: one } of definitions) {
    const isEnough = granted !== null && isAllowed({ definitions, granted: new Set([...granted, key]) }, id);
    expect(wouldGrant.includes(one)).toBe(isEnough);
  }
  const decisive = nearestMiss?.filter(({ isDecisive }) => isDecisive) ?? [];
  for (const step of decisive) {
    expect(step.fact.holds).toBe(false);
    if (step.kind === 'grant' || step.kind === 'default_grant') expect(wouldGrant).toContain(step.permissionId);
  }
}

/** The last event with which the step began or ended, found by evaluating the state after every event. */
function lastTurn(step: Step, log: readonly Recorded[], to: boolean): string | null {
  let last: string | null = null;
  let before = false;
  for (const [index, event] of log.entries()) {
    const now = isInState(step, stateOf(log.slice(0, index + 1)));
    if (now !== before && now === to) last = event.id;
    before = now;
  }
  return last;
}

/** The fewest steps that do not hold on any path, found by trying all. */
function countFewestMissing({ grants, contained, grantedByJoining, named }: PermissionHistory, id: string): number {
  const missingFrom = (key: string, seen: readonly string[]): number => {
    const direct = grants.get(key)?.holds || grantedByJoining.includes(key) ? 0 : 1;
    const possible = key === id || grants.has(key) || grantedByJoining.includes(key);
    const others = [...contained].flatMap(([container, edges]) => {
      const edge = edges.get(key);
      if (!edge || seen.includes(container)) return [];
      return missingFrom(container, [...seen, container]) + Number(!edge.holds);
    });
    return Math.min(possible ? direct : Number.POSITIVE_INFINITY, ...others);
  };
  const isDefined = named.some((one) => one.id === id && one.fact.holds);
  return missingFrom(id, [id]) + Number(!isDefined);
}

describe('an explanation of a permission', () => {
  test('agrees with the real check, by paths that suffice and steps that are needed (check 21)', () => {
    const outcomes = { granted: 0, notGranted: 0, severalPaths: 0 };
    fc.assert(
      fc.property(histories, permissionIds, fc.nat(), (log, id, moment) => {
        const past = log.slice(0, log.length - (moment % 5));
        const state = stateOf(past);
        const history = historyOf(past);
        if (!history.named.some((definition) => definition.id === id)) {
          expect(() => explainPermission(history, id)).toThrow(DomainError);
          return;
        }
        const explanation = explainPermission(history, id);
        expect(explanation.isGranted).toBe(isAllowed(state, id));
        if (explanation.isGranted) expectPaths(explanation, state, id);
        else expectMiss(explanation, state, id);
        outcomes[explanation.isGranted ? 'granted' : 'notGranted'] += 1;
        if (explanation.paths.length > 1) outcomes.severalPaths += 1;
      }),
      { numRuns: 3_500, seed: 20 },
    );
    expect(outcomes.granted + outcomes.notGranted).toBeGreaterThan(2_000);
    expect(Math.min(outcomes.granted, outcomes.notGranted)).toBeGreaterThan(200);
    expect(outcomes.severalPaths).toBeGreaterThan(50);
  });

  test('names the latest event with which each step began and ended (check 22)', () => {
    let ended = 0;
    fc.assert(
      fc.property(historiesWithConstantIds, permissionIds, (log, id) => {
        const history = historyOf(log);
        if (!history.named.some((definition) => definition.id === id)) return;
        const { paths, nearestMiss } = explainPermission(history, id);
        for (const step of [...paths, nearestMiss ?? []].flat()) {
          const { since, until, holds } = step.fact;
          expect(holds).toBe(isInState(step, stateOf(log)));
          if (isBuiltIn(step)) continue;
          expect(since?.id ?? null).toBe(lastTurn(step, log, true));
          expect(until?.id ?? null).toBe(holds ? null : lastTurn(step, log, false));
          if (until) ended += 1;
        }
      }),
      { numRuns: 500, seed: 22 },
    );

    expect(ended).toBeGreaterThan(50);
  });

  test('finds the path with the fewest missing steps', () => {
    fc.assert(
      fc.property(historiesWithConstantIds, permissionIds, (log, id) => {
        const history = historyOf(log);
        if (!history.named.some((definition) => definition.id === id)) return;
        const { nearestMiss } = explainPermission(history, id);
        if (!nearestMiss) return;
        const missing = nearestMiss.filter(({ kind, fact, permissionId }) => {
          const follows = kind === 'default_grant' && history.grantedByJoining.includes(permissionId ?? '');
          return kind !== 'membership' && !fact.holds && !follows;
        });
        expect(missing).toHaveLength(countFewestMissing(history, id));
      }),
      { numRuns: 500, seed: 23 },
    );
  });

  test('names sign-up, grant and revocation for a permission of the project', () => {
    const created = [
      { type: 'UserCreated', data: { ...signUp, at } },
      { type: 'ProjectPermissionGranted', data: { userId, permissionKey: 'reader', at } },
    ].map((event) => ({ ...recorded(event, 'user', 1), id: event.type }));
    const revoked = recorded(
      { type: 'ProjectPermissionRevoked', data: { userId, permissionKey: 'reader', at } },
      'user',
      3,
    );
    const granted = recorded(
      { type: 'ProjectPermissionGranted', data: { userId, permissionKey: 'reader', at } },
      'user',
      4,
    );
    const explainAfter = (events: readonly Recorded[]) => {
      const [project, user] = [trackDefinitions(), trackUser()];
      for (const event of [createdProject, definition('reader', [])]) project.apply(event);
      for (const event of events) user.apply(event);
      return explainPermission(projectPermissionHistory(project, user), 'reader');
    };
    const stepOf = (kind: string, since: string, until: string | null) =>
      expect.objectContaining({
        kind,
        fact: expect.objectContaining({
          since: expect.objectContaining({ id: since }),
          until: until === null ? null : expect.objectContaining({ id: until }),
        }),
      });
    const { id } = definition('reader', []);
    expect(explainAfter(created).paths).toEqual([
      [stepOf('default_grant', 'ProjectPermissionGranted', null), stepOf('definition', id, null)],
    ]);
    expect(explainAfter([...created, revoked])).toMatchObject({ isGranted: false, wouldGrant: ['reader'] });
    expect(explainAfter([...created, revoked]).nearestMiss?.[0]).toEqual(
      stepOf('default_grant', 'ProjectPermissionGranted', revoked.id),
    );
    expect(explainAfter([...created, revoked, granted]).paths[0]?.[0]).toEqual(stepOf('grant', granted.id, null));
  });

  test('says that joining the team is enough where new members get the permission', () => {
    const [project, membership] = [trackDefinitions(), trackMembership()];
    project.apply(createdProject);
    const explanation = explainPermission(teamPermissionHistory(project, membership), '$read_members');
    expect(explanation).toMatchObject({ isGranted: false, wouldGrant: [] });
    expect(explanation.nearestMiss?.map(({ kind, fact, isDecisive }) => [kind, fact.holds, isDecisive])).toEqual([
      ['membership', false, true],
      ['default_grant', false, false],
      ['containment', true, false],
      ['definition', true, false],
    ]);
  });

  test('ends with a bounded number of paths', () => {
    const [project, membership] = [trackDefinitions(), trackMembership()];
    const layers = Array.from({ length: 12 }, (_, depth) => Array.from({ length: 8 }, (_, nth) => `l${depth}_${nth}`));
    project.apply(createdProject);
    for (const [depth, layer] of layers.entries()) {
      for (const key of layer) project.apply(definition(key, layers[depth + 1] ?? ['$update_team'], 'team'));
    }
    const joined = { teamId: userId, userId, projectId: 'shop', permissionKeys: layers[0], how: 'added', at };
    membership.apply(recorded({ type: 'TeamMemberAdded', data: joined }, 'membership', 200));
    const { paths, hasMorePaths } = explainPermission(teamPermissionHistory(project, membership), '$update_team');
    expect(paths).toHaveLength(50);
    expect(hasMorePaths).toBe(true);
    expect(
      paths
        .flat()
        .filter(({ isDecisive }) => isDecisive)
        .map(({ kind }) => kind),
    ).not.toContain('containment');
  });
});
