import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from './config.ts';
import { projectDecider } from './decide.ts';
import type { ProjectEvent } from './events.ts';
import { mayActAs, projectRoles, strictestRole } from './roles.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = '00000000-0000-4000-8000-000000000001';
const ann = '00000000-0000-4000-8000-000000000003';
const bo = '00000000-0000-4000-8000-000000000004';
const teamId = '00000000-0000-4000-8000-000000000005';
const created: ProjectEvent = {
  type: 'ProjectCreated',
  data: {
    projectId,
    subjectId: '00000000-0000-4000-8000-000000000002',
    displayName: 'Shop',
    description: '',
    isProductionMode: false,
    config: defaultProjectConfig,
    secrets: noProjectSecrets,
    settings: defaultProjectSettings,
    at,
  },
};
const annOwns: ProjectEvent = { type: 'ProjectOwnerAdded', data: { projectId, userId: ann, at } };
const boOwns: ProjectEvent = { type: 'ProjectOwnerAdded', data: { projectId, userId: bo, at } };
const boSupports: ProjectEvent = {
  type: 'ProjectMemberRoleChanged',
  data: { projectId, userId: bo, role: 'support', at },
};
const set = (userId: string, role: (typeof projectRoles)[number], hasOtherOwner = true) =>
  ({ type: 'SetMemberRole', userId, role, hasOtherOwner, at }) as const;
const remove = (userId: string, hasOtherOwner = true) => ({ type: 'RemoveMember', userId, hasOtherOwner, at }) as const;

describe('a member', () => {
  const owned = given(projectDecider, created, annOwns);
  const supported = given(projectDecider, created, annOwns, boSupports);
  const shared = given(projectDecider, created, annOwns, boSupports, boOwns);

  test('gets a role', () => owned.when(set(bo, 'support')).then(boSupports));
  test('keeps the same role without an event', () => supported.when(set(bo, 'support')).then());
  test('becomes an owner', () => supported.when(set(bo, 'owner')).then(boOwns));
  test('who became an owner has one role only', () => shared.when(set(bo, 'support')).then(boSupports));
  test('is removed', () =>
    supported.when(remove(bo)).then({ type: 'ProjectMemberRemoved', data: { projectId, userId: bo, at } }));
  test('who owns the project is removed as an owner', () =>
    shared.when(remove(bo)).then({ type: 'ProjectOwnerRemoved', data: { projectId, userId: bo, at } }));
  test('who is the last owner stays the owner', () => {
    supported.when(set(ann, 'developer', false)).thenRejected('LAST_PROJECT_OWNER');
    supported.when(remove(ann, false)).thenRejected('LAST_PROJECT_OWNER');
  });
  test('a member who was demoted from owner is no longer an owner', () =>
    given(projectDecider, created, annOwns, boOwns, boSupports)
      .when(remove(bo))
      .then({
        type: 'ProjectMemberRemoved',
        data: { projectId, userId: bo, at },
      }));
  test('ends with a transfer', () =>
    supported
      .when({ type: 'TransferProject', teamId, at })
      .then(
        { type: 'ProjectOwnerTeamChanged', data: { projectId, teamId, at } },
        { type: 'ProjectOwnerRemoved', data: { projectId, userId: ann, at } },
        { type: 'ProjectMemberRemoved', data: { projectId, userId: bo, at } },
      ));
});

test('each role may do all that the ones before it may', () => {
  const allowed = projectRoles.map((role) => projectRoles.filter((least) => mayActAs(role, least)));
  expect(allowed).toEqual(projectRoles.map((_, nth) => projectRoles.slice(0, nth + 1)));
  expect(strictestRole(['support', 'owner', 'read_only'])).toBe('owner');
});
