import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import { type Published, publishedEvents } from '@gatebook/domain/public-events/published';
import { type PublicEventType, typesOfKind } from '@gatebook/domain/public-events/types';
import { evolveTeam, initialState as noTeam, type TeamState } from '@gatebook/domain/team/state';
import {
  type ToldUser,
  toAccountData,
  toChannelData,
  toTeamData,
  toUserData,
  userFold,
} from '@gatebook/readmodel/events/user-data';
import { expect, test } from 'vitest';
import { sampleEvents } from '../recorded-logs/samples.ts';

/* Whatever changes what events show of a user or a team is told. */

const [userId, teamId, channelId, otherChannelId] = ['user', 'team', 'channel', 'other channel'];
const account = { id: 'account', accountRef: 'ref', provider: 'github' };
const names: Readonly<Record<string, unknown>> = { userId, teamId, channelId, permissionKey: 'key' };

const samples = sampleEvents() as readonly GatebookEvent[];
const isAccount = (data: object) => 'accountRef' in data && 'provider' in data;
/** About the same user, team, address and account. */
const ofOne = (event: DomainEvent): DomainEvent => {
  const own = Object.entries(event.data).map(([name, value]) => [name, value === null ? null : (names[name] ?? value)]);
  return { type: event.type, data: { ...Object.fromEntries(own), ...(isAccount(event.data) && account) } };
};
const sampleOf = (type: string, more: object = {}, nth = 0): DomainEvent => {
  const found = samples.filter((event) => event.type === type)[nth];
  if (!found) throw new Error(`no sample of ${type}`);
  const { data } = ofOne(found);
  return { type, data: { ...data, ...more } };
};
const record = (event: DomainEvent, position: number) =>
  ({ ...event, position: BigInt(position), metadata: { actor: { kind: 'system', id: null } } }) as unknown as Recorded;
const foldUser = (events: readonly DomainEvent[]): ToldUser =>
  events.reduce((state, event, position) => userFold.evolve(state, record(event, position)), userFold.initialState);

const team: TeamState = evolveTeam(noTeam, sampleOf('TeamCreated') as never);
if (team.status !== 'active') throw new Error('the sample is not a team');

/** By type, what the events of a user show. */
function shownOf(told: ToldUser): Record<string, string> {
  const user = told.user.status === 'active' ? told.user : null;
  const selected = user?.selectedTeamId === teamId && team.status === 'active' ? team : null;
  const { last_active_at_millis: _, ...shown } = toUserData(told, selected, { emailVerificationRequired: true }) ?? {};
  const ofEach = <Item>(items: Iterable<Item> | undefined, toData: (item: Item) => unknown) =>
    JSON.stringify([...(items ?? [])].map(toData));
  return {
    user: JSON.stringify(shown),
    contact_channel: ofEach(user?.channels, ({ id }) => toChannelData(told, id)),
    connected_account: ofEach(user?.oauthAccounts, ({ id }) => toAccountData(told, id)),
    project_permission: ofEach(user?.permissions, (key) => key),
  };
}

/** A user who has everything, and one with little. */
const plain = [sampleOf('UserCreated', { isAnonymous: false })];
const rich = [
  ...plain,
  sampleOf('ContactChannelAdded', { isPrimary: false, isVerified: false, usedForAuth: false }),
  sampleOf('ContactChannelAdded', { channelId: otherChannelId, isPrimary: true, isVerified: true }),
  ...['UserPasswordSet', 'TotpSecretChanged', 'PasskeyRegistered', 'OtpAuthChanged', 'UserRestricted'].map((type) =>
    sampleOf(type),
  ),
  sampleOf('OAuthAccountLinked', { email: 'before@example.com' }),
  sampleOf('ProjectPermissionGranted'),
  sampleOf('TeamSelected'),
];
const awaiting = [...rich, sampleOf('UserDeletionScheduled')];

const isWithin = ({ data }: DomainEvent, isAwaiting: boolean) =>
  data.wasScheduled === undefined || data.wasScheduled === isAwaiting;

const typesToldBy = (event: DomainEvent): PublicEventType[] => {
  const publish = publishedEvents[event.type as GatebookEvent['type']] as
    | ((data: unknown) => readonly { kind: Parameters<typeof typesOfKind>[0] }[])
    | null;
  return (publish?.(event.data) ?? []).flatMap(({ kind }) => typesOfKind(kind));
};

const candidates = [...samples, ...samples.map((event) => sampleOf(event.type, { isPrimary: true }))]
  .map(ofOne)
  // Nobody sees a user before, and `UserCreated` tells everything.
  .filter(({ type }) => type !== 'UserCreated');

test.each(['plain', 'rich', 'awaiting'])('each event that changes what is shown of a %s user is told', (name) => {
  const before = { plain, rich, awaiting }[name] ?? [];
  const untold: string[] = [];
  let changes = 0;
  for (const event of candidates.filter((one) => isWithin(one, name === 'awaiting'))) {
    const [shown, after] = [shownOf(foldUser(before)), shownOf(foldUser([...before, event]))];
    const told = typesToldBy(event);
    // With the user, everything of theirs goes, and comes back.
    const isWhole = told.includes('user.deleted');
    for (const subject of Object.keys(shown)) {
      if (shown[subject] === after[subject]) continue;
      changes += 1;
      if (!isWhole && !told.some((type) => type.startsWith(`${subject}.`))) untold.push(`${event.type}: ${subject}`);
    }
  }
  expect(untold).toEqual([]);
  expect(changes).toBeGreaterThan(name === 'rich' ? 25 : 0);
});

test('each event that changes what is shown of a team is told', () => {
  const awaitingDeletion = evolveTeam(team, sampleOf('TeamDeletionScheduled') as never);
  const textOf = (state: TeamState) => (state.status === 'active' ? JSON.stringify(toTeamData(state)) : '');
  const isOfTeam = ({ type }: DomainEvent) => type.startsWith('Team') && !/Member|Profile|Permission|Select/.test(type);
  const changed = [team, awaitingDeletion].flatMap((before) =>
    candidates
      .filter((event) => isOfTeam(event) && isWithin(event, before !== team))
      .filter((event) => textOf(evolveTeam(before, event as never)) !== textOf(before)),
  );
  expect(new Set(changed.map(({ type }) => type)).size).toBeGreaterThan(4);
  const untold = changed.filter((event) => !typesToldBy(event).some((type) => type.startsWith('team.')));
  expect(untold.map(({ type }) => type)).toEqual([]);
});

/** Their events are about no user and no team. */
const ofProject = /^(project|project_key|permission_definition|webhook_endpoint)\./;

test('each event names the user or the team that it is about, or an API key of theirs', () => {
  const told = samples.flatMap((event) => {
    const publish = publishedEvents[event.type] as ((data: unknown) => readonly Published[]) | null;
    return publish?.(event.data).map((one) => ({ from: event.type, ...one })) ?? [];
  });
  expect(told.length).toBeGreaterThan(100);
  const without = told.filter(({ userId, teamId, apiKeyId }) => [userId, teamId, apiKeyId].every((id) => !id));
  expect(without.filter(({ kind }) => !ofProject.test(kind))).toEqual([]);
});
