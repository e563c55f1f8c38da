import { describe, expect, test } from 'vitest';
import type { Recorded } from '../event.ts';
import type { UserEvent } from './events.ts';
import { noticeLimits, searchSecurityNotice } from './security-notice.ts';

const userId = '00000000-0000-4000-8000-000000000001';
const start = Date.parse('2026-01-15T12:00:00.000Z');
type Data = UserEvent['data'];

/** A stream, append by append: `[type, data]` of each event, and how many minutes after the start it was. */
function historyOf(
  ...appends: readonly { minute?: number; events: readonly (readonly [UserEvent['type'], Partial<Data>])[] }[]
) {
  const history: Recorded<UserEvent>[] = [];
  for (const [nth, { minute = nth, events }] of appends.entries()) {
    const at = new Date(start + minute * 60_000).toISOString();
    for (const [type, data] of events) {
      const revision = BigInt(history.length);
      const metadata = {
        projectId: 'shop',
        actor: { kind: 'server' as const, id: null },
        causationId: null,
        sessionId: null,
        basis: {},
        origin: null,
        at,
        requestId: `request ${nth}`,
        correlationId: `request ${nth}`,
      } as const;
      const event = { type, data: { userId, at, ...data } } as UserEvent;
      history.push({
        ...event,
        id: `event ${revision}`,
        stream: `user-${userId}`,
        revision,
        committedAt: at,
        position: revision,
        metadata,
      });
    }
  }
  return history;
}
const channelOf = (n: number) => `00000000-0000-4000-8000-00000000010${n}`;
const address = (n: number, value: string | null, isVerified: boolean, isPrimary = n === 1) =>
  [
    'ContactChannelAdded',
    { channelId: channelOf(n), channelType: 'email', value, isVerified, isPrimary, usedForAuth: true },
  ] as const;
const created = ['UserCreated', { projectId: 'shop', isAnonymous: false, displayName: 'Ann' }] as const;
const password = (origin: 'sign_up' | 'set' | 'update' | 'reset' | 'server' | 'rehash') =>
  ['UserPasswordSet', { passwordHash: 'hash', origin }] as const;
const totp = (isEnabled: boolean) => ['TotpSecretChanged', { secret: isEnabled ? 's' : null, isEnabled }] as const;
const passkey = ['PasskeyRegistered', { passkey: { credentialId: 'c' } as never }] as const;
const ann = { events: [created, address(1, 'ann@example.com', true), password('sign_up')] };
const toAnn = [{ channelId: channelOf(1), address: 'ann@example.com' }];

/** Whatever the size of the parts in which the history is read. */
function findSecurityNotice(history: Recorded<UserEvent>[], eventId: string) {
  const found = [1, 2, 3, history.length].map((size) => {
    const search = searchSecurityNotice(eventId);
    for (let from = 0; from < history.length; from += size) if (search.see(history.slice(from, from + size))) break;
    return search.end();
  });
  for (const notice of found) expect(notice).toEqual(found[0]);
  return found[0] ?? null;
}

/** The notice that each event calls for, in order; those without one left out. */
function noticesOf(history: Recorded<UserEvent>[]) {
  return history.flatMap(({ id }) => {
    const notice = findSecurityNotice(history, id);
    if (notice === null) return [];
    const changes = Object.fromEntries(Object.entries(notice.changes).filter(([, value]) => value));
    return [{ id, changes, recipients: notice.recipients }];
  });
}

describe('a notice', () => {
  test.each([
    ['a set password', [password('set')], { isPasswordChanged: true }],
    ['an updated password', [password('update')], { isPasswordChanged: true }],
    ['a reset password', [password('reset')], { isPasswordChanged: true }],
    ['a password by a server', [password('server')], { isPasswordChanged: true }],
    ['a removed password', [['UserPasswordRemoved', {}]], { isPasswordRemoved: true }],
    ['a second factor', [totp(true)], { isSecondFactorOn: true }],
    ['a passkey', [passkey], { isPasskeyAdded: true }],
    ['a new address', [address(2, 'eve@evil.org', false)], { addedEmail: 'eve@evil.org' }],
    [
      'a new primary address',
      [address(2, 'eve@evil.org', false, true)],
      { addedEmail: 'eve@evil.org', newPrimaryEmail: 'eve@evil.org' },
    ],
    [
      'a replaced address',
      [['ContactChannelValueChanged', { channelId: channelOf(1), value: 'eve@evil.org', isVerified: true }]],
      { addedEmail: 'eve@evil.org', removedEmail: 'ann@example.com', newPrimaryEmail: 'eve@evil.org' },
    ],
    [
      'a removed address',
      [['ContactChannelRemoved', { channelId: channelOf(1) }]],
      { removedEmail: 'ann@example.com' },
    ],
    [
      'a provider account',
      [['OAuthAccountLinked', { provider: 'github', accountRef: 'r' }]],
      { linkedProvider: 'github' },
    ],
  ] as const)('goes to the previously verified address for %s', (_, events, changes) => {
    expect(noticesOf(historyOf(ann, { events }))).toEqual([{ id: 'event 3', changes, recipients: toAnn }]);
  });

  test('reports what was turned off', () => {
    const off = { events: [totp(false), ['PasskeyRemoved', {}] as const] };
    const [, notice] = noticesOf(historyOf(ann, { events: [totp(true), passkey] }, off));
    expect(notice?.changes).toEqual({ isSecondFactorOff: true, isPasskeyRemoved: true });
  });

  test('covers everything that one command changed', () => {
    const events = [password('reset'), ['UserSessionsEnded', { reason: 'password_reset' }] as const, totp(true)];
    expect(noticesOf(historyOf(ann, { events }))).toEqual([
      { id: 'event 3', changes: { isPasswordChanged: true, isSecondFactorOn: true }, recipients: toAnn },
    ]);
  });

  test('goes to each verified address once, the primary one first', () => {
    const addresses = [
      address(2, 'second@example.com', true),
      address(3, 'stranger@example.com', false),
      address(4, 'SECOND@example.com', true),
      address(1, 'ann@example.com', true),
    ];
    const [notice] = noticesOf(historyOf({ events: [created, ...addresses] }, { events: [password('set')] }));
    expect(notice?.recipients.map((recipient) => recipient.address)).toEqual(['ann@example.com', 'second@example.com']);
  });

  test('still goes to an address that is removed right after', () => {
    const removed = { events: [['ContactChannelRemoved', { channelId: channelOf(1) }] as const] };
    const [first] = noticesOf(historyOf(ann, { events: [password('update')] }, removed));
    expect(first).toMatchObject({ changes: { isPasswordChanged: true }, recipients: toAnn });
  });
});

describe('no notice is sent', () => {
  test.each([
    ['of signing up', []],
    ['of the same password under other parameters', [password('rehash')]],
    ['of a new name', [['UserRenamed', { displayName: 'Bob' }]]],
    [
      'of a further proof of a known address',
      [['ContactChannelVerificationChanged', { channelId: channelOf(1), isVerified: true }]],
    ],
    ['of email codes turned on', [['OtpAuthChanged', { isEnabled: true }]]],
    ['of an address that is erased', [address(2, null, false)]],
    [
      'to the user who reported the activity',
      [
        ['UserPasswordRemoved', {}],
        ['UserSessionsEnded', { reason: 'activity_report' }],
      ],
    ],
    [
      'of a deletion',
      [
        ['UserPasswordRemoved', {}],
        ['UserDeleted', { projectId: 'shop' }],
      ],
    ],
  ] as const)('%s', (_, events) => {
    expect(noticesOf(historyOf(ann, ...(events.length === 0 ? [] : [{ events }])))).toEqual([]);
  });

  test('to an unverified address', () => {
    const unproven = { events: [created, address(1, 'ann@example.com', false)] };
    expect(noticesOf(historyOf(unproven, { events: [password('set')] }))).toEqual([]);
  });
});

test('a burst of changes causes few notices, and later changes cause notices again', () => {
  const [short, long] = noticeLimits;
  const changes = (count: number, from: number, step: number) =>
    Array.from({ length: count }, (_, nth) => ({ minute: from + nth * step, events: [passkey] }));
  expect(noticesOf(historyOf(ann, ...changes(50, 1, 0.1)))).toHaveLength(short.max);
  const later = noticesOf(historyOf(ann, ...changes(50, 1, 0.1), ...changes(1, 30, 1)));
  expect(later).toHaveLength(short.max + 1);
  expect(noticesOf(historyOf(ann, ...changes(200, 1, 5)))).toHaveLength(long.max);
});
