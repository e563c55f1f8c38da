import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { deviceOf, nameDevice } from './device.ts';
import { findKnownDevices, isFirstSessionFromDevice } from './queries.ts';

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const edge = `${chrome} Edg/140.0.0.0`;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0';

describe('a device', () => {
  test.each([
    [chrome, 'Chrome on Windows'],
    [safari, 'Safari on iOS'],
    [edge, 'Edge on Windows'],
    [firefox, 'Firefox on Linux'],
    ['node', 'Unknown browser on unknown system'],
    [null, 'Unknown browser on unknown system'],
  ])('is named after browser and system: %s', (userAgent, name) => {
    expect(nameDevice(userAgent)).toBe(name);
  });

  const device = deviceOf({ ip: '203.0.113.7', userAgent: chrome });
  test('stays the same after a browser update and within its network', () => {
    expect(device).toMatch(/^[\w-]{22}$/);
    expect(deviceOf({ ip: '203.0.113.200', userAgent: chrome.replace('140', '141') })).toBe(device);
    expect(deviceOf({ ip: '::ffff:203.0.113.7', userAgent: chrome })).toBe(device);
    expect(deviceOf({ ip: '2001:db8:1::1', userAgent: chrome })).toBe(
      deviceOf({ ip: '2001:0DB8:0001:ff::', userAgent: chrome }),
    );
  });
  test('differs for another browser or another network', () => {
    expect(deviceOf({ ip: '203.0.113.7', userAgent: firefox })).not.toBe(device);
    expect(deviceOf({ ip: '203.0.114.7', userAgent: chrome })).not.toBe(device);
    expect(deviceOf({ ip: '2001:db8:2::1', userAgent: chrome })).not.toBe(
      deviceOf({ ip: '2001:db8:1::1', userAgent: chrome }),
    );
  });
  test('is unknown without an IP address or a user agent', () => {
    expect(deviceOf({ ip: null, userAgent: 'node' })).toBeNull();
    expect(deviceOf({ ip: '203.0.113.7', userAgent: null })).toBeNull();
  });
});

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const facts = { displayName: null, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
const created = (userId: string): UserEvent => ({
  type: 'UserCreated',
  data: { ...unknownSignIn, userId, projectId: 'internal', ...facts, ...metadata, at },
});
type Started = Extract<SessionEvent, { type: 'SessionStarted' }>['data'];
async function start(userId: string, n: number, change: Partial<Started>) {
  const sessionId = idOf(n);
  const data = {
    sessionId,
    userId,
    projectId: 'internal',
    userRevision: 0,
    refreshTokenHash: `hash ${n}`,
    at,
    expiresAt: '2099-01-01T00:00:00.000Z',
    isImpersonation: false,
    method: 'password' as const,
    ip: null,
    userAgent: null,
    ...change,
  };
  const position = await side.record(`session-${sessionId}`, { type: 'SessionStarted', data });
  await side.readModels.reached(position);
  return sessionId;
}
const isFirst = (sessionId: string, projectId = 'internal') => isFirstSessionFromDevice(side.db, projectId, sessionId);
type Origin = { ip: string; userAgent: string };
const lookupOf = (userId: string, origin: Origin) => ({ userId, device: deviceOf(origin) ?? 'no device' });
const isKnown = async (userId: string, origin: Origin, projectId = 'internal') =>
  (await findKnownDevices(side.db, projectId, [lookupOf(userId, origin)])).has(0);

const home = { ip: '203.0.113.7', userAgent: chrome };
const cafe = { ip: '198.51.100.7', userAgent: safari };

test('a device is known for its user only, from the first sign-in on, even after the session ends', async () => {
  const [userId, other] = [idOf(1), idOf(2)];
  for (const id of [userId, other]) await side.record(`user-${id}`, created(id));
  expect(await isKnown(userId, home)).toBe(false);
  const sessionId = await start(userId, 101, home);
  expect(await isKnown(userId, home)).toBe(true);
  expect(await isKnown(userId, home, 'another')).toBe(false);
  expect(await isKnown(userId, cafe)).toBe(false);
  expect(await isKnown(other, home)).toBe(false);
  const lookups = [lookupOf(userId, cafe), lookupOf(userId, home), lookupOf(other, home), lookupOf(userId, home)];
  expect(await findKnownDevices(side.db, 'internal', lookups)).toEqual(new Set([1, 3]));
  const end: SessionEvent = { type: 'SessionEnded', data: { sessionId, userId, reason: 'sign_out', at } };
  await side.readModels.reached(await side.record(`session-${sessionId}`, end));
  expect(await isKnown(userId, home)).toBe(true);
});

test('only the first session from an additional device counts as one from a new device', async () => {
  const userId = idOf(3);
  await side.record(`user-${userId}`, created(userId));
  const [first, again] = [await start(userId, 110, home), await start(userId, 111, home)];
  const [elsewhere, back] = [await start(userId, 112, cafe), await start(userId, 113, cafe)];
  const [program, programAgain] = [await start(userId, 114, {}), await start(userId, 115, {})];
  expect(await Promise.all([first, again, elsewhere, back, program, programAgain].map((id) => isFirst(id)))).toEqual([
    false,
    false,
    true,
    false,
    true,
    false,
  ]);
  expect(await isFirst(elsewhere, 'another')).toBe(false);
  expect(await isFirst(idOf(999))).toBe(false);
});

test('a session started by a server or an administrator does not make its device known', async () => {
  const userId = idOf(4);
  await side.record(`user-${userId}`, created(userId));
  await start(userId, 120, home);
  const sessions = [
    await start(userId, 121, { ...cafe, isImpersonation: true }),
    await start(userId, 122, { ...cafe, method: 'server' }),
  ];
  expect(await isKnown(userId, cafe)).toBe(false);
  expect(await Promise.all(sessions.map((id) => isFirst(id)))).toEqual([false, false]);
});

test('erasing a user forgets their devices', async () => {
  const userId = idOf(5);
  await side.record(`user-${userId}`, created(userId));
  await start(userId, 130, home);
  const deleted: UserEvent = {
    type: 'UserDeleted',
    data: { userId, projectId: 'internal', wasScheduled: false, addressRefs: [], at },
  };
  await side.readModels.reached(await side.record(`user-${userId}`, deleted));
  expect(await isKnown(userId, home)).toBe(false);
});
