import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grantTeamPermission } from '../permission/grants.ts';
import { deleteTeam } from '../team/delete-team.ts';
import { addTeamMember } from '../team/team.ts';
import { withTeam } from '../testing/teams.ts';
import { contextOf, expectRejection } from '../testing/world.ts';
import { deleteUser } from '../user/delete-user.ts';
import { changeApiKey, createApiKey, revokeLeakedApiKey, rotateApiKey } from './api-key.ts';
import { buildApiKeyText } from './api-key-text.ts';

const plain = { description: 'laptop', expiresAt: null, isPublic: false };

describe('the text of an API key', () => {
  test('has 102 characters with type, owner type and checksum', () => {
    const secret = fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{45}$/);
    const facts = fc.record({
      secret,
      keyId: fc.uuid(),
      isPublic: fc.boolean(),
      ownerType: fc.constantFrom('user' as const, 'team' as const),
    });
    fc.assert(
      fc.property(facts, (parts) => {
        const text = buildApiKeyText(parts);
        const form =
          /^(sk|pk)_([0-9a-hjkmnp-tv-z]{45})([0-9a-f]{32})(user|team)([13])([0-9a-hjkmnp-tv-z]{9})([0-9a-f]{8})$/;
        const [, prefix, given, id, type, flag, , checksum] = form.exec(text) ?? [];
        expect(text).toHaveLength(102);
        expect({ prefix, flag }).toEqual(parts.isPublic ? { prefix: 'pk', flag: '3' } : { prefix: 'sk', flag: '1' });
        expect({ given, type }).toEqual({ given: parts.secret, type: parts.ownerType });
        expect(id).toBe(parts.keyId.replaceAll('-', ''));
        expect(Number.parseInt(checksum ?? '', 16)).toBe(crc32(text.slice(0, -8)));
      }),
    );
  });
});

describe('an API key of a user', () => {
  test('is shown once, stored as a hash, changed and revoked', async () => {
    const { deps, ctx, creatorId: ownerId, eventsOf } = await withTeam();
    const { key, text } = await createApiKey(deps, ctx, { ownerType: 'user', ownerId, by: ownerId, ...plain });
    expect(key).toMatchObject({ hash: deps.sha256(text), lastFour: text.slice(-4), revokedAt: null });
    expect(JSON.stringify(await eventsOf('ApiKeyCreated'), (_, value) => String(value))).not.toContain(text);
    const change = (input: object) =>
      changeApiKey(deps, ctx, { keyId: key.keyId, ownerType: 'user', by: ownerId, ...input });
    expect((await change({ description: 'desk' })).key).toMatchObject({ description: 'desk', expiresAt: null });
    expect((await change({ isRevoked: true })).key.revokedAt).toEqual(expect.any(String));
    expect((await change({ isRevoked: true })).position).toBeNull();
  });

  test('is rotated: another key of the same owner, and the old one ends sooner, never later', async () => {
    const { deps, ctx, creatorId: ownerId, eventsOf, newUser } = await withTeam();
    const { key, text } = await createApiKey(deps, ctx, { ownerType: 'user', ownerId, by: ownerId, ...plain });
    const sooner = '2031-06-01T00:00:00.000Z';
    const rotation = {
      keyId: key.keyId,
      ownerType: 'user',
      by: ownerId,
      expiresAt: null,
      oldExpiresAt: sooner,
    } as const;
    const rotate = (input: Partial<Parameters<typeof rotateApiKey>[2]> = {}) =>
      rotateApiKey(deps, ctx, { ...rotation, ...input });
    const rotated = await rotate();
    expect(rotated.key).toMatchObject({ ownerId, description: 'laptop', isPublic: false, expiresAt: null });
    expect(rotated.text).not.toBe(text);
    const changes = async () => (await eventsOf('ApiKeyChanged')).map(({ data }) => [data.keyId, data.expiresAt]);
    expect(await changes()).toEqual([[key.keyId, sooner]]);
    await rotate({ oldExpiresAt: '2032-01-01T00:00:00.000Z' });
    expect(await changes()).toHaveLength(1);
    await expectRejection(rotate({ by: await newUser() }), 'OTHER_USER_NOT_ALLOWED');
    await expectRejection(rotate({ ownerType: 'team' }), 'API_KEY_NOT_FOUND');
    await expectRejection(rotateApiKey(deps, contextOf('elsewhere'), { ...rotation, by: null }), 'API_KEY_NOT_FOUND');
    await changeApiKey(deps, ctx, { keyId: key.keyId, ownerType: 'user', by: ownerId, isRevoked: true });
    await expectRejection(rotate(), 'API_KEY_NOT_FOUND');
  });

  test('can be managed by its user and by servers only', async () => {
    const { deps, ctx, creatorId, newUser } = await withTeam();
    const stranger = await newUser();
    const create = (by: string | null, ownerId = creatorId) =>
      createApiKey(deps, ctx, { ownerType: 'user', ownerId, by, ...plain });
    await expectRejection(create(stranger), 'OTHER_USER_NOT_ALLOWED');
    await expectRejection(create(null, deps.newId()), 'USER_NOT_FOUND');
    const { key } = await create(null);
    const change = (by: string | null, input: object = {}, where = ctx) =>
      changeApiKey(deps, where, { keyId: key.keyId, ownerType: 'user', by, description: 'x', ...input });
    await expectRejection(change(stranger), 'OTHER_USER_NOT_ALLOWED');
    await expectRejection(change(null, { ownerType: 'team' }), 'API_KEY_NOT_FOUND');
    await expectRejection(change(null, { keyId: deps.newId() }), 'API_KEY_NOT_FOUND');
    await expectRejection(change(null, {}, contextOf('elsewhere')), 'API_KEY_NOT_FOUND');
    await change(null);
    await deleteUser(deps, ctx, { userId: creatorId });
    await expectRejection(change(null), 'API_KEY_NOT_FOUND');
  });
});

describe('an API key of a team', () => {
  test('requires permission to manage; other users do not learn whether the team exists', async () => {
    const { deps, ctx, teamId, creatorId, newUser, project } = await withTeam();
    const member = await newUser();
    const create = (by: string | null, ownerId = teamId) =>
      createApiKey(deps, ctx, { ownerType: 'team', ownerId, by, ...plain });
    await expectRejection(create(member), 'API_KEY_NOT_FOUND');
    await expectRejection(create(member, deps.newId()), 'API_KEY_NOT_FOUND');
    await addTeamMember(deps, ctx, { teamId, userId: member, project });
    await expectRejection(create(member), 'API_KEY_NOT_FOUND');
    await grantTeamPermission(deps, ctx, { teamId, userId: member, permissionId: '$manage_api_keys' });
    await create(member);
    const { key } = await create(creatorId);
    const unknown = deps.newId();
    await expectRejection(create(null, unknown), 'TEAM_NOT_FOUND', { team_id: unknown });
    await deleteTeam(deps, ctx, { teamId, by: null });
    const change = changeApiKey(deps, ctx, { keyId: key.keyId, ownerType: 'team', by: null, isRevoked: true });
    await expectRejection(change, 'API_KEY_NOT_FOUND');
  });
});

describe('a leaked key', () => {
  test('is revoked and its managers are emailed once', async () => {
    const { deps, ctx, creatorId: ownerId, eventsOf } = await withTeam();
    const { key } = await createApiKey(deps, ctx, { ownerType: 'user', ownerId, by: null, ...plain });
    const concerned = [{ userId: ownerId, email: 'ann@example.com' }];
    const revoke = () => revokeLeakedApiKey(deps, ctx, { keyId: key.keyId, projectDisplayName: 'Shop', concerned });
    await revoke();
    expect((await revoke()).position).toBeNull();
    const mails = await eventsOf('EmailRequested');
    expect(mails).toHaveLength(1);
    expect(mails[0]?.data).toMatchObject({
      emailType: 'api_key_revoked',
      recipient: 'ann@example.com',
      userId: ownerId,
      variables: { projectDisplayName: 'Shop', keyDescription: 'laptop', keyLastFour: key.lastFour },
    });
    expect((await eventsOf('ApiKeyRevoked'))[0]?.data.by).toBe('scanner');
  });
});
