import type { GatebookAdminApp } from '@gatebook/js/admin';
import type { GatebookServerApp } from '@gatebook/js/server';
import { expect } from 'vitest';
import type { Call } from './kinds.ts';
import type { World } from './world.ts';

/** Methods of Gatebook's server app, and so of its admin app. */
const cases: Readonly<Record<string, (app: GatebookServerApp) => Promise<void>>> = {
  listEvents: async (app) => {
    const { id } = await app.createUser({ displayName: 'Ann' });
    const { items } = await app.listEvents({ userId: id, types: ['user.created'] });
    expect(items).toMatchObject([{ type: 'user.created', data: { id, display_name: 'Ann' } }]);
  },
  getEvent: async (app) => {
    const { id: userId } = await app.createUser({ displayName: 'Ann' });
    const { items } = await app.listEvents({ userId });
    const id = items[0]?.id ?? '';
    expect(await app.getEvent(id)).toMatchObject({ id, type: 'user.created' });
    await expect(app.getEvent('evt_0')).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
  },
  listEventTypes: async (app) => {
    expect(await app.listEventTypes()).toContainEqual(expect.objectContaining({ type: 'user.created' }));
  },
  followEvents: async (app) => {
    const { nextAfter: after } = await app.listEvents({ after: 'head' });
    const { id } = await app.createUser({ displayName: 'Ann' });
    for await (const { data } of app.followEvents({ after, types: ['user.created'], userId: id })) {
      expect(data).toMatchObject({ id });
      break;
    }
  },
};

export const eventMethods = Object.keys(cases);

export const eventCases: Readonly<Record<string, Call>> = Object.fromEntries(
  Object.entries(cases).flatMap(([name, call]) => [
    [`StackServerApp.${name}`, (world: World) => call(world.serverApp() as unknown as GatebookServerApp)],
    [`StackAdminApp.${name}`, (world: World) => call(world.adminApp() as unknown as GatebookAdminApp)],
  ]),
);
