import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { teamDecider } from './decide.ts';
import type { TeamEvent } from './events.ts';
import { defaultTeamName } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const teamId = '00000000-0000-4000-8000-000000000001';
const facts = {
  teamId,
  projectId: 'shop',
  subjectId: teamId,
  displayName: 'Crew',
  profileImageUrl: null,
  creatorId: null,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  serverMetadata: { plan: 'free' },
  at,
};
const created: TeamEvent = { type: 'TeamCreated', data: facts };
const schedule = { type: 'ScheduleDeletion', graceDays: 30, at } as const;
const scheduled: TeamEvent = {
  type: 'TeamDeletionScheduled',
  data: { teamId, projectId: 'shop', deleteAt: '2026-02-14T12:00:00.000Z', at },
};
const canceled: TeamEvent = { type: 'TeamDeletionCanceled', data: { teamId, projectId: 'shop', at } };
const deletedAfter = (wasScheduled: boolean): TeamEvent => ({
  type: 'TeamDeleted',
  data: { teamId, projectId: 'shop', wasScheduled, at },
});
const deleted = deletedAfter(false);

describe('a team', () => {
  test('is created', () =>
    given(teamDecider)
      .when({ type: 'CreateTeam', ...facts })
      .then(created));
  test('changes only the given fields', () => {
    given(teamDecider, created).when({ type: 'ChangeTeam', at }).then();
    given(teamDecider, created)
      .when({ type: 'ChangeTeam', displayName: '', profileImageUrl: null, clientMetadata: [1], at })
      .then(
        { type: 'TeamRenamed', data: { teamId, displayName: '', at } },
        { type: 'TeamImageChanged', data: { teamId, profileImageUrl: null, at } },
        { type: 'TeamMetadataChanged', data: { teamId, scope: 'client', value: [1], at } },
      );
    given(teamDecider, created)
      .when({ type: 'ChangeTeam', clientReadOnlyMetadata: null, serverMetadata: 'x', at })
      .then(
        { type: 'TeamMetadataChanged', data: { teamId, scope: 'client_read_only', value: null, at } },
        { type: 'TeamMetadataChanged', data: { teamId, scope: 'server', value: 'x', at } },
      );
  });
  test('is deleted once', () => {
    given(teamDecider, created).when({ type: 'DeleteTeam', at }).then(deleted);
    given(teamDecider, created, deleted).when({ type: 'DeleteTeam', at }).thenRejected('TEAM_NOT_FOUND');
    given(teamDecider).when({ type: 'ChangeTeam', at }).thenRejected('TEAM_NOT_FOUND');
  });
  test('that awaits deletion is like a deleted one, until it is restored', () => {
    given(teamDecider, created).when(schedule).then(scheduled);
    for (const command of [schedule, { type: 'ChangeTeam', displayName: 'x', at }] as const) {
      given(teamDecider, created, scheduled).when(command).thenRejected('TEAM_NOT_FOUND');
    }
    given(teamDecider, created, scheduled).when({ type: 'RestoreTeam', at }).then(canceled);
    given(teamDecider, created).when({ type: 'RestoreTeam', at }).then();
    const events = [created, scheduled, canceled];
    expect(events.reduce(teamDecider.evolve, teamDecider.initialState)).toEqual(
      teamDecider.evolve(teamDecider.initialState, created),
    );
  });
  test('that awaits deletion can be deleted for good, and then not restored', () => {
    given(teamDecider, created, scheduled).when({ type: 'DeleteTeam', at }).then(deletedAfter(true));
    given(teamDecider, created, scheduled, deleted).when({ type: 'RestoreTeam', at }).thenRejected('TEAM_NOT_FOUND');
    given(teamDecider, created, deleted).when(schedule).thenRejected('TEAM_NOT_FOUND');
    given(teamDecider).when({ type: 'RestoreTeam', at }).thenRejected('TEAM_NOT_FOUND');
  });
  test('whose name was erased has the default name', () => {
    const state = teamDecider.evolve(
      { status: 'absent' },
      { type: 'TeamCreated', data: { ...facts, displayName: null } },
    );
    expect(state).toMatchObject({ status: 'active', displayName: defaultTeamName });
  });
  test('keeps all its fields in its state', () => {
    const renamed: TeamEvent = { type: 'TeamRenamed', data: { teamId, displayName: 'Band', at } };
    const changed: TeamEvent = { type: 'TeamMetadataChanged', data: { teamId, scope: 'client', value: 7, at } };
    const state = [created, renamed, changed].reduce(teamDecider.evolve, teamDecider.initialState);
    expect(state).toMatchObject({ displayName: 'Band', clientMetadata: 7, serverMetadata: { plan: 'free' } });
  });
});
