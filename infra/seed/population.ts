import type { GatebookEvent } from '@gatebook/domain/catalog';
import { canonicalEmail } from '@gatebook/domain/user/email';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { NO_STREAM, type Write } from '@gatebook/eventlog/port';

const firstNames = [
  ...['Ann', 'Bo', 'Chidi', 'Dora', 'Emil', 'Farah', 'Goran', 'Hana', 'Ivo', 'Jana', 'Karim', 'Liam', 'Maya', 'Nils'],
  ...['Olga', 'Priya', 'Quentin', 'Rosa', 'Samir', 'Tove', 'Uma', 'Viktor', 'Wanda', 'Ximena', 'Yusuf', 'Zoë', 'Åsa'],
];
const lastNames = [
  ...['Achebe', 'Byrne', 'Castro', 'Dahl', 'Eriksen', 'Fontaine', 'Gupta', 'Haddad', 'Ito', 'Jansen', 'Kowalski'],
  ...['Lindgren', 'Müller', 'Novak', 'Okafor', 'Petrov', 'Quist', 'Rossi', 'Silva', 'Tanaka', 'Ueda', 'Vogel', 'Weiss'],
  ...['Xu', 'Yilmaz', 'Zielinski', 'Ødegård', 'Santos', 'Moreau'],
];
const dayMs = 86_400_000;

/** Settings shared by all generated users. */
export type Setting = {
  projectId: string;
  /** ISO time of the last sign-up; the first one was `days` before. */
  until: string;
  days: number;
  users: number;
  passwordHash: string;
  lookupHash: (kind: string, projectId: string, value: string) => string;
  newId: () => string;
};
export type Person = { userId: string; writes: Write[]; at: string };

/** The same numbers each time, from 0 to below 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The events of the nth of `setting.users` sign-ups, as a real sign-up writes them: reservation, user, session. */
export function personAt(n: number, setting: Setting, random: () => number): Person {
  const { projectId, users, passwordHash, lookupHash, newId } = setting;
  const [userId, channelId] = [newId(), newId()];
  const at = new Date(Date.parse(setting.until) - setting.days * dayMs * (1 - n / users)).toISOString();
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  const [first, last] = [pick(firstNames), pick(lastNames)];
  const value = `${toAscii(`${first}.${last}`)}.${n}@mail.example`;
  const profile = { displayName: `${first} ${last}`, profileImageUrl: null, isAnonymous: false };
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const flags = { isPrimary: true, isVerified: random() < 0.7, usedForAuth: true, channelType: 'email' as const };
  const user: GatebookEvent[] = [
    {
      type: 'UserCreated',
      data: { ...unknownSignIn, userId, projectId, ...profile, ...metadata, method: 'password', at },
    },
    { type: 'ContactChannelAdded', data: { userId, channelId, value, ...flags, at } },
    { type: 'UserPasswordSet', data: { userId, passwordHash, origin: 'sign_up', at } },
  ];
  const reservation = `reservation-email-${lookupHash('email', projectId, canonicalEmail(value))}`;
  const taken: GatebookEvent = { type: 'ValueReserved', data: { kind: 'email', projectId, holderId: userId, at } };
  return {
    userId,
    at,
    writes: [
      { stream: reservation, expected: NO_STREAM, events: [taken] },
      { stream: `user-${userId}`, expected: NO_STREAM, events: user },
    ],
  };
}

/** The parts of addresses before the @ that sign-in accepts are ASCII. */
function toAscii(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .replace(/[^a-z.]/g, '');
}

/** A team with its creator and up to seven other members. */
export function teamOf(
  { projectId, newId }: Pick<Setting, 'projectId' | 'newId'>,
  userIds: readonly string[],
  at: string,
  random: () => number,
): Write[] {
  const teamId = newId();
  const size = Math.min(userIds.length, 1 + Math.floor(random() * 8));
  const members = new Set<string>();
  while (members.size < size) members.add(userIds[Math.floor(random() * userIds.length)] ?? '');
  const [creatorId = null] = members;
  const place = lastNames[Math.floor(random() * lastNames.length)];
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const facts = { teamId, projectId, subjectId: teamId, displayName: `${place} & Co`, profileImageUrl: null };
  const created: GatebookEvent = { type: 'TeamCreated', data: { ...facts, ...metadata, creatorId, at } };
  const joined = [...members].map((userId): Write => {
    const isCreator = userId === creatorId;
    const permissionKeys = [isCreator ? 'team_admin' : 'team_member'];
    const how = isCreator ? ('created' as const) : ('added' as const);
    const added: GatebookEvent = {
      type: 'TeamMemberAdded',
      data: { teamId, userId, projectId, permissionKeys, how, at },
    };
    return { stream: `membership-${teamId}.${userId}`, expected: NO_STREAM, events: [added] };
  });
  return [{ stream: `team-${teamId}`, expected: NO_STREAM, events: [created] }, ...joined];
}
