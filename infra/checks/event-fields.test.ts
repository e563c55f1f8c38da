import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import { evolveProject, initialState as noProject, type ProjectState } from '@gatebook/domain/project/state';
import { type Published, publishedEvents } from '@gatebook/domain/public-events/published';
import { publicEventTypes, typesOfKind } from '@gatebook/domain/public-events/types';
import { evolveTeam, initialState as noTeam, type TeamState } from '@gatebook/domain/team/state';
import { dataOf } from '@gatebook/readmodel/events/event-data';
import type { EventRow } from '@gatebook/readmodel/events/queries';
import { userFold } from '@gatebook/readmodel/events/user-data';
import { expect, test } from 'vitest';
import { sampleEvents } from '../recorded-logs/samples.ts';

/* Every field of every event of the log that public events contain. Each text of a sample names its field. */

const samples = (sampleEvents() as readonly GatebookEvent[]).filter((_, nth) => nth % 2 === 0);
const [userId, teamId, channelId, part] = ['the user', 'the team', 'the address', 'the part'];
const names: Readonly<Record<string, unknown>> = { userId, teamId, channelId };
/** Values on which it depends what an event of the log becomes. */
const variants = { isImpersonation: false, isEnabled: false, reason: 'revoked', purpose: 'team_invitation' };
const varied = Object.entries(variants).flatMap(([name, value]) =>
  samples.filter(({ data }) => name in data).map(({ type, data }) => ({ type, data: { ...data, [name]: value } })),
);
const recorded = [...samples, ...varied].map(({ type, data }, position) => {
  const own = Object.entries(data).map(([name, value]) => [name, names[name] ?? value]);
  return {
    ...{ type, data: Object.fromEntries(own), position: BigInt(position), committedAt: '2026-01-01T00:00:00.000Z' },
    ...{ id: 'event', stream: 'stream', revision: 0n },
    metadata: { projectId: 'shop', actor: { kind: 'system', id: null }, requestId: 'request' },
  } as unknown as Recorded<GatebookEvent>;
});

const ends = /Deleted|Erased|Scheduled|Removed|Unlinked|Closed|Revoked|Canceled/;
const lasting = recorded.filter(({ type }) => !ends.test(type));
const user = lasting.reduce((state, event) => userFold.evolve(state, event as never), userFold.initialState);
const team = lasting.reduce<TeamState>((state, event) => evolveTeam(state, event as never), noTeam);
const project = lasting.reduce<ProjectState>((state, event) => evolveProject(state, event as never), noProject);
const active = <State extends { status: string }>(state: State) =>
  state.status === 'active' ? (state as Extract<State, { status: 'active' }>) : null;

/** The data of all public events that the samples become, by type. */
function told(): [type: string, text: string][] {
  return recorded.flatMap((event) => {
    const publish = publishedEvents[event.type] as ((data: unknown) => readonly Published[]) | null;
    return (publish?.(event.data) ?? []).flatMap(({ kind }, index) =>
      typesOfKind(kind).flatMap((type) => {
        const row = { index, kind, position: event.position } as EventRow;
        const isPart = typesOfKind(kind).length > 1 && !type.startsWith('user.');
        const slot = { row, nth: 0, type, userId, teamId, ...(isPart && { part }), teamIds: [teamId] };
        const facts = { event, slot, user, team: active(team), teamSubjectId: teamId, project: active(project) };
        return [[type, JSON.stringify(dataOf(facts))] as [string, string]];
      }),
    );
  });
}

/** None of them is a secret. Of fields that replace each other, only those of the last event are there. */
const shown: Readonly<Record<string, readonly string[]>> = {
  ApiKeyChanged: ['description'],
  ApiKeyCreated: ['description', 'lastFour'],
  ApiKeyMoved: ['description'],
  CodeIssued: ['recipient'],
  ContactChannelValueChanged: ['value'],
  OAuthAccountChanged: ['accountId', 'email', 'provider'],
  OAuthAccountLinked: ['accountId', 'email', 'provider'],
  OAuthAccountUnlinked: ['provider'],
  PermissionDefinitionChanged: ['description', 'id'],
  PermissionDefinitionCreated: ['description', 'id'],
  PermissionDefinitionDeleted: ['key'],
  ProjectConfigChanged: ['projectId'],
  ProjectDetailsChanged: ['projectId'],
  ProjectKeyCreated: ['description'],
  ProjectKeyDescribed: ['description'],
  ProjectPasswordMigrationChanged: ['projectId'],
  ProjectPermissionGranted: ['permissionKey'],
  ProjectPermissionRevoked: ['permissionKey'],
  ProjectSettingsChanged: ['projectId'],
  SessionStarted: ['provider'],
  TeamImageChanged: ['profileImageUrl'],
  TeamPermissionGranted: ['permissionKey'],
  TeamPermissionRevoked: ['permissionKey'],
  TeamRenamed: ['displayName'],
  UserCountryCodeChanged: ['countryCode'],
  UserImageChanged: ['profileImageUrl'],
  UserRenamed: ['displayName'],
  UserRestrictionChanged: ['privateDetails'],
};

test('check 11: of all events of the log, public events contain only these texts', () => {
  const all = told();
  const found = new Set(all.flatMap(([, text]) => text.match(/\b[A-Z]\w+ full [^"\\]+/g) ?? []));
  expect(publicEventTypes.filter((type) => !all.some(([told]) => told === type))).toEqual([]);
  const expected = Object.entries(shown).flatMap(([type, fields]) => fields.map((field) => `${type} full ${field}`));
  expect([...found].sort()).toEqual(expected);
});
