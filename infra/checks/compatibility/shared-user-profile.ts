import { newEmail } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import type { Cases } from './kinds.ts';
import type { MakeSubject } from './subject.ts';

export const profileCases = (make: MakeSubject): Cases => ({
  update: async (world) => {
    const { user, reload } = await make(world);
    await user.update({ displayName: 'Ann Müller', clientMetadata: { list: [1, null] } });
    expect(await reload()).toMatchObject({ displayName: 'Ann Müller', clientMetadata: { list: [1, null] } });
    await expect(user.update({ displayName: 'x'.repeat(300) })).rejects.toMatchObject({ errorCode: 'SCHEMA_ERROR' });
  },
  setDisplayName: async (world) => {
    const { user, reload } = await make(world);
    await user.setDisplayName('Ann');
    expect(await reload()).toMatchObject({ displayName: 'Ann' });
  },
  setClientMetadata: async (world) => {
    const { user, reload } = await make(world);
    await user.setClientMetadata({ theme: 'dark' });
    expect(await reload()).toMatchObject({ clientMetadata: { theme: 'dark' } });
  },
  delete: async (world) => {
    const { user, reload } = await make(world);
    await user.delete();
    expect(await reload()).toBeNull();
  },
  toClientJson: async (world) => {
    const { user } = await make(world);
    expect(user.toClientJson()).toMatchObject({ id: user.id });
  },
});

export const channelCases = (make: MakeSubject): Cases => ({
  listContactChannels: async (world) => {
    const { user, email } = await make(world);
    const channels = await user.listContactChannels();
    expect(channels).toMatchObject([{ value: email, isPrimary: true }]);
    return channels;
  },
  createContactChannel: async (world) => {
    const { user } = await make(world);
    const channel = await user.createContactChannel({ type: 'email', value: newEmail(), usedForAuth: true });
    expect(channel).toMatchObject({ isPrimary: false, isVerified: false, usedForAuth: true });
    const same = user.createContactChannel({ type: 'email', value: channel.value, usedForAuth: false });
    await expect(same).rejects.toThrow();
    return channel;
  },
  listNotificationCategories: async (world) => {
    const { user } = await make(world);
    const categories = await user.listNotificationCategories();
    expect(categories).toContainEqual(expect.objectContaining({ enabled: true, canDisable: expect.any(Boolean) }));
    return categories;
  },
  createApiKey: async (world) => {
    const { user } = await make(world);
    const key = await user.createApiKey({ description: 'laptop', expiresAt: null, isPublic: false });
    expect((await world.serverApp().getUser({ apiKey: key.value }))?.id).toBe(user.id);
    return key;
  },
  listApiKeys: async (world) => {
    const { user } = await make(world);
    const { id, value } = await user.createApiKey({ description: 'laptop', expiresAt: new Date('2090-01-01') });
    const keys = await user.listApiKeys();
    expect(keys).toMatchObject([{ id, expiresAt: new Date('2090-01-01'), value: { lastFour: value.slice(-4) } }]);
    return keys;
  },
});
