import { expect, test } from 'vitest';
import { whyKeyInvalid } from './api-keys.ts';
import { fakeOwner, sampleUser } from './testing.ts';

test('users are listed by page, in camelCase', async () => {
  const { client, requests } = fakeOwner(() => ({
    json: { items: [sampleUser('u1')], is_paginated: true, pagination: { next_cursor: 'u2' } },
  }));
  const page = await client.admin('p1').users.list({ cursor: 'u1', limit: 25, desc: true, query: 'ann & co' });
  expect(new URL(requests[0]?.url ?? '').search).toBe(
    '?order_by=signed_up_at&cursor=u1&limit=25&desc=true&query=ann+%26+co',
  );
  expect(requests[0]?.headers).toMatchObject({ 'x-stack-project-id': 'p1', 'x-stack-access-type': 'admin' });
  expect(page.nextCursor).toBe('u2');
  expect(page.items[0]).toMatchObject({
    displayName: 'Ann',
    signedUpAt: new Date(1_000),
    lastActiveAt: new Date(2_000),
    serverMetadata: { plan: 'pro' },
  });
});

test('an incomplete page of users is filled up from its cursor', async () => {
  const pages = [['u1'], [], ['u2', 'u3']];
  const { client, requests } = fakeOwner(() => {
    const items = (pages[requests.length - 1] ?? []).map(sampleUser);
    const next_cursor = requests.length < 3 ? `c${requests.length}` : null;
    return { json: { items, is_paginated: true, pagination: { next_cursor } } };
  });
  const { items, nextCursor } = await client.admin('p1').users.list({ query: 'xq', limit: 3 });
  expect(items.map(({ id }) => id)).toEqual(['u1', 'u2', 'u3']);
  expect(nextCursor).toBeNull();
  const asked = requests.map(({ url }) => new URL(url).searchParams);
  expect(asked.map((search) => [search.get('cursor'), search.get('limit')])).toEqual([
    [null, '3'],
    ['c1', '2'],
    ['c2', '2'],
  ]);
});

test('a search sends its filters, and the place before a page by activity contains a time', async () => {
  const { client, requests } = fakeOwner(({ url }) => ({
    json: url.includes('/count')
      ? { count: 7, is_complete: false }
      : { items: ['u2', 'u1'].map(sampleUser), pagination: { next_cursor: 'c' } },
  }));
  const { users } = client.admin('p1');
  const filters = { methods: ['otp', 'google'], isVerified: false, countryCodes: ['SE'], activeFrom: new Date(5) };
  const page = { cursor: '9.u3', limit: 1, orderBy: 'lastActiveAt', desc: true } as const;
  expect(await users.findPreviousPage({ ...filters, ...page })).toEqual({ cursor: '2000.u1' });
  expect(await users.count(filters)).toEqual({ count: 7, isComplete: false });
  const sent = 'method=otp%2Cgoogle&verified=false&country_code=SE&active_from_millis=5';
  expect(requests.map(({ url }) => url.split('/internal')[1])).toEqual([
    `/users?${sent}&order_by=last_active_at&cursor=9.u3&limit=2&desc=false`,
    `/users/count?${sent}`,
  ]);
});

test('the previous page of users is found in reverse order', async () => {
  const ids = ['u5', 'u4', 'u3', 'u2', 'u1'];
  const { client } = fakeOwner(({ url }) => {
    const search = new URL(url).searchParams;
    const ordered = search.get('desc') === 'true' ? ids : ids.toReversed();
    const from = ordered.indexOf(search.get('cursor') ?? '');
    const limit = Number(search.get('limit'));
    return {
      json: {
        items: ordered.slice(from, from + limit).map(sampleUser),
        pagination: { next_cursor: ordered[from + limit] ?? null },
      },
    };
  });
  const { users } = client.admin('p1');
  expect(await users.findPreviousPage({ cursor: 'u1', limit: 2, desc: true })).toEqual({ cursor: 'u3' });
  expect(await users.findPreviousPage({ cursor: 'u3', limit: 2, desc: true })).toEqual({ cursor: null });
  expect(await users.findPreviousPage({ cursor: 'u4', limit: 2, desc: true })).toEqual({ cursor: null });
});

test('the previous page by name begins at the place that the server tells', async () => {
  const { client, requests } = fakeOwner(({ url }) => {
    const limit = Number(new URL(url).searchParams.get('limit'));
    const items = ['u3', 'u2', 'u1'].slice(0, limit).map(sampleUser);
    return { json: { items, pagination: { next_cursor: `place-after-${limit}` } } };
  });
  const query = { cursor: '61.u3', limit: 2, orderBy: 'displayName' } as const;
  expect(await client.admin('p1').users.findPreviousPage(query)).toEqual({ cursor: 'place-after-2' });
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?order_by=display_name&cursor=61.u3&limit=3&desc=true',
    '?order_by=display_name&cursor=61.u3&limit=2&desc=true',
  ]);
});

test('the previous page begins where a search in reverse order got to, if it found too few users', async () => {
  const { client, requests } = fakeOwner(() => ({
    json: {
      items: requests.length === 1 ? [sampleUser('u1')] : [],
      pagination: { next_cursor: `c${requests.length}` },
    },
  }));
  const { users } = client.admin('p1');
  expect(await users.findPreviousPage({ cursor: 'u1', limit: 2, desc: true })).toEqual({ cursor: 'c11' });
});

test('an update sends only the given fields', async () => {
  const { client, requests } = fakeOwner(() => ({ json: sampleUser('u1') }));
  await client.admin('p1').users.update('u1', { displayName: null });
  expect(requests[0]?.body).toEqual({ display_name: null });
});

test('contact channels and API keys send only the given fields', async () => {
  const channel = {
    id: 'c1',
    user_id: 'u1',
    type: 'email',
    value: 'a@b.example',
    is_primary: true,
    is_verified: false,
    used_for_auth: true,
  };
  const key = { id: 'k1', description: 'x', is_public: false, created_at_millis: 1, type: 'team', team_id: 't1' };
  const { client, requests } = fakeOwner(({ url, method }) => {
    const one = url.includes('api-keys')
      ? { ...key, value: method === 'POST' ? 'sk_1' : { last_four: 'ab12' } }
      : channel;
    return { json: method === 'GET' ? { items: [one], is_paginated: false } : one };
  });
  const { contactChannels, apiKeys } = client.admin('p1');
  const [found] = await contactChannels.list('u1');
  if (!found) return expect.fail('there is a channel');
  expect(found).toMatchObject({ value: 'a@b.example', isPrimary: true, isVerified: false, usedForAuth: true });
  await contactChannels.create('u1', { value: 'a@b.example', usedForAuth: false });
  await contactChannels.update(found, { isVerified: true });
  await contactChannels.delete(found);
  const inTeam = { type: 'team', id: 't1' } as const;
  expect(await apiKeys.list(inTeam)).toMatchObject([{ lastFour: 'ab12', expiresAt: null, manuallyRevokedAt: null }]);
  expect(await apiKeys.create(inTeam, { description: 'x', expiresAt: null })).toBe('sk_1');
  const rotation = { expiresAt: null, oldExpiresAt: new Date(5) };
  expect(await apiKeys.rotate(inTeam, 'k1', rotation)).toBe('sk_1');
  await apiKeys.revoke(inTeam, 'k1');
  expect(requests.map(({ method, url, body }) => [method, url.split('/api/v1')[1], body])).toEqual([
    ['GET', '/contact-channels?user_id=u1', undefined],
    ['POST', '/contact-channels', { user_id: 'u1', type: 'email', value: 'a@b.example', used_for_auth: false }],
    ['PATCH', '/contact-channels/u1/c1', { is_verified: true }],
    ['DELETE', '/contact-channels/u1/c1', {}],
    ['GET', '/team-api-keys?team_id=t1', undefined],
    ['POST', '/team-api-keys', { team_id: 't1', description: 'x', expires_at_millis: null }],
    ['POST', '/team-api-keys/k1/rotate?team_id=t1', { expires_at_millis: null, old_expires_at_millis: 5 }],
    ['PATCH', '/team-api-keys/k1?team_id=t1', { revoked: true }],
  ]);
  const past = { expiresAt: new Date(1), manuallyRevokedAt: new Date(1) };
  expect(whyKeyInvalid(past, new Date(2))).toBe('manually-revoked');
  expect(whyKeyInvalid({ ...past, manuallyRevokedAt: null }, new Date(2))).toBe('expired');
});
