import { describe, expect, test } from 'vitest';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createProjectKey, describeProjectKey, revokeProjectKey, rotateProjectKey } from './project-key.ts';

const ctx = contextOf('shop');
const other = contextOf('bar');
const expiresAt = '2020-01-01T00:00:00.000Z';
const all = { hasPublishableClientKey: true, hasSecretServerKey: true, hasSuperSecretAdminKey: true };

async function withKey() {
  const world = await createWorld();
  return { ...world, ...(await createProjectKey(world.deps, ctx, { description: 'website', expiresAt, ...all })) };
}

describe('a project key', () => {
  test('shows its texts once and stores hashes and last characters', async () => {
    const { deps, keyId, texts, createdAt, eventsOf } = await withKey();
    const { publishableClientKey, secretServerKey, superSecretAdminKey } = texts;
    const form = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{45}$`));
    expect(texts).toEqual({
      publishableClientKey: form('pck'),
      secretServerKey: form('ssk'),
      superSecretAdminKey: form('sak'),
    });
    const kept = (text: string | null) => ({ hash: deps.sha256(text ?? ''), lastFour: text?.slice(-4) });
    const [created] = await eventsOf('ProjectKeyCreated');
    expect(created?.data).toEqual({
      keyId,
      projectId: 'shop',
      description: 'website',
      expiresAt,
      at: createdAt,
      publishableClientKey: kept(publishableClientKey),
      secretServerKey: kept(secretServerKey),
      superSecretAdminKey: kept(superSecretAdminKey),
    });
    const log = JSON.stringify((await deps.store.readAll(0n, 10)).map(({ data }) => data));
    for (const text of [publishableClientKey, secretServerKey, superSecretAdminKey]) expect(log).not.toContain(text);
  });

  test('has only the requested keys, even none', async () => {
    const { deps } = await createWorld();
    const none = { hasPublishableClientKey: false, hasSecretServerKey: false, hasSuperSecretAdminKey: false };
    const { texts } = await createProjectKey(deps, ctx, { description: '', expiresAt, ...none });
    expect(texts).toEqual({ publishableClientKey: null, secretServerKey: null, superSecretAdminKey: null });
  });

  test('is rotated: a new set of the same kinds, and the old one ends sooner, never later', async () => {
    const { deps, keyId, texts, eventsOf } = await withKey();
    const sooner = '2019-06-01T00:00:00.000Z';
    const rotated = await rotateProjectKey(deps, ctx, {
      keyId,
      expiresAt: '2021-01-01T00:00:00.000Z',
      oldExpiresAt: sooner,
    });
    expect(rotated).toMatchObject({ description: 'website' });
    expect(Object.values(rotated.texts).every((text) => text !== null)).toBe(true);
    expect(Object.values(texts)).not.toContain(rotated.texts.secretServerKey);
    expect((await eventsOf('ProjectKeyExpiryChanged')).map(({ data }) => data)).toMatchObject([
      { keyId, expiresAt: sooner },
    ]);
    await rotateProjectKey(deps, ctx, { keyId, expiresAt, oldExpiresAt: '2022-01-01T00:00:00.000Z' });
    expect(await eventsOf('ProjectKeyExpiryChanged')).toHaveLength(1);
    const foreign = rotateProjectKey(deps, other, { keyId, expiresAt, oldExpiresAt: sooner });
    await expectRejection(foreign, 'API_KEY_NOT_FOUND');
    await revokeProjectKey(deps, ctx, { keyId });
    await expectRejection(rotateProjectKey(deps, ctx, { keyId, expiresAt, oldExpiresAt: sooner }), 'API_KEY_NOT_FOUND');
  });

  test('can get a new description, even after it was revoked', async () => {
    const { deps, keyId, eventsOf } = await withKey();
    await revokeProjectKey(deps, ctx, { keyId });
    await describeProjectKey(deps, ctx, { keyId, description: 'app' });
    expect((await eventsOf('ProjectKeyDescribed'))[0]?.data.description).toBe('app');
    expect((await describeProjectKey(deps, ctx, { keyId, description: 'app' })).position).toBeNull();
  });

  test('is revoked once: the first time stays', async () => {
    const { deps, clock, keyId, eventsOf } = await withKey();
    const first = deps.now();
    await revokeProjectKey(deps, ctx, { keyId });
    clock.advance(1000);
    expect((await revokeProjectKey(deps, ctx, { keyId })).position).toBeNull();
    expect((await eventsOf('ProjectKeyRevoked')).map(({ data }) => data.at)).toEqual([first]);
  });

  test('unknown, or of another project, is rejected', async () => {
    const { deps, keyId } = await withKey();
    const unknown = { keyId: deps.newId() };
    await expectRejection(revokeProjectKey(deps, ctx, unknown), 'API_KEY_NOT_FOUND');
    await expectRejection(describeProjectKey(deps, ctx, { ...unknown, description: 'x' }), 'API_KEY_NOT_FOUND');
    await expectRejection(revokeProjectKey(deps, other, { keyId }), 'API_KEY_NOT_FOUND');
    await expectRejection(describeProjectKey(deps, other, { keyId, description: 'x' }), 'API_KEY_NOT_FOUND');
  });
});
