import { newEmail } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { expectOk } from './expectations.ts';
import type { Cases, Kind } from './kinds.ts';
import { page, type World } from './world.ts';

const callbackUrl = page('email-verification');

async function ofClient(world: World) {
  const { user } = await world.signedUp();
  const value = newEmail();
  const channel = await user.createContactChannel({ type: 'email', value, usedForAuth: true });
  return { user, value, channel };
}

async function ofServer(world: World) {
  const user = await world.serverApp().createUser({ primaryEmail: newEmail() });
  const value = newEmail();
  const channel = await user.createContactChannel({ type: 'email', value, usedForAuth: true });
  return { user, value, channel };
}

type MakeChannel = typeof ofClient;

const channelCases = (make: MakeChannel): Cases => ({
  sendVerificationEmail: async (world) => {
    const { user, value, channel } = await make(world);
    await channel.sendVerificationEmail({ callbackUrl });
    expectOk(await world.clientApp().verifyEmail(await world.codeFor(value)));
    const verified = (await user.listContactChannels()).find(({ id }) => id === channel.id);
    expect(verified?.isVerified).toBe(true);
  },
  update: async (world) => {
    const { user, channel } = await make(world);
    await channel.update({ isPrimary: true, usedForAuth: false });
    const changed = (await user.listContactChannels()).find(({ id }) => id === channel.id);
    expect(changed).toMatchObject({ isPrimary: true, usedForAuth: false });
  },
  delete: async (world) => {
    const { user, channel } = await make(world);
    await channel.delete();
    expect((await user.listContactChannels()).map(({ id }) => id)).not.toContain(channel.id);
  },
});

const contactChannel: Kind = {
  name: 'ContactChannel',
  sample: async (world) => (await ofClient(world)).channel,
  cases: channelCases(ofClient),
};

const serverContactChannel: Kind = {
  name: 'ServerContactChannel',
  sample: async (world) => (await ofServer(world)).channel,
  cases: {
    ...channelCases(ofServer as unknown as MakeChannel),
    update: async (world) => {
      const { user, channel } = await ofServer(world);
      await channel.update({ isVerified: true });
      const changed = (await user.listContactChannels()).find(({ id }) => id === channel.id);
      expect(changed).toMatchObject({ isVerified: true });
    },
  },
};

const notificationCategory: Kind = {
  name: 'NotificationCategory',
  sample: async (world) => {
    const { user } = await world.signedUp();
    return 'listNotificationCategories' in user ? ((await user.listNotificationCategories())[0] ?? null) : null;
  },
  cases: {
    setEnabled: async (world) => {
      const { user } = await world.signedUp();
      const category = (await user.listNotificationCategories()).find(({ canDisable }) => canDisable);
      await category?.setEnabled(false);
      const after = await user.listNotificationCategories();
      expect(after).toContainEqual(expect.objectContaining({ id: category?.id, enabled: false }));
      const fixed = after.find(({ canDisable }) => !canDisable);
      await expect(fixed?.setEnabled(false)).rejects.toThrow();
    },
  },
};

async function keyOfUser(world: World) {
  const { user } = await world.signedUp();
  const first = await user.createApiKey({ description: 'laptop', expiresAt: new Date('2090-01-01') });
  return { first, list: () => user.listApiKeys() };
}

async function keyOfTeam(world: World) {
  const { user } = await world.signedUp();
  const team = await user.createTeam({ displayName: 'Band' });
  const first = await team.createApiKey({ description: 'laptop', expiresAt: new Date('2090-01-01') });
  return { first, list: () => team.listApiKeys() };
}

type MakeKey = (world: World) => Promise<{ first: Key; list(): Promise<readonly Key[]> }>;
type Key = Pick<
  Awaited<ReturnType<typeof keyOfUser>>['first'],
  'update' | 'revoke' | 'isValid' | 'whyInvalid' | 'manuallyRevokedAt'
>;

const apiKeyCases = (make: MakeKey): Cases => ({
  update: async (world) => {
    const { first, list } = await make(world);
    await first.update({ description: 'desktop' });
    expect(await list()).toMatchObject([{ description: 'desktop' }]);
  },
  revoke: async (world) => {
    const { list } = await make(world);
    await (await list())[0]?.revoke();
    expect((await list())[0]?.manuallyRevokedAt).toBeInstanceOf(Date);
  },
  isValid: async (world) => {
    const { first, list } = await make(world);
    expect(first.isValid()).toBe(true);
    await first.revoke();
    expect((await list())[0]?.isValid()).toBe(false);
  },
  whyInvalid: async (world) => {
    const { first, list } = await make(world);
    expect(first.whyInvalid()).toBeNull();
    await first.revoke();
    expect((await list())[0]?.whyInvalid()).toBe('manually-revoked');
  },
});

const userApiKey: Kind = {
  name: 'UserApiKey',
  sample: async (world) => (await keyOfUser(world)).first,
  cases: apiKeyCases(keyOfUser),
};

const teamApiKey: Kind = {
  name: 'TeamApiKey',
  sample: async (world) => (await keyOfTeam(world)).first,
  cases: apiKeyCases(keyOfTeam),
};

export const channelAndKeyKinds = [contactChannel, serverContactChannel, notificationCategory, userApiKey, teamApiKey];
