import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unknownId } from '@gatebook/api/testing/requests';
import type { GatebookAdminApp } from '@gatebook/js/admin';
import { expect } from 'vitest';
import type { Call, Cases } from './kinds.ts';
import type { World } from './world.ts';

const unreachable = 'http://127.0.0.1:65535/hooks';

/** Calls `use` with the URL of a server that accepts webhooks. */
async function withReceiver(use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await use(`http://127.0.0.1:${port}/hooks`).finally(() => server.close());
}

async function newEndpoint({ send, project }: World, url: string): Promise<string> {
  const { body } = await send('POST', '/webhooks/endpoints', { ...project, access: 'admin', body: { url } });
  return body.id;
}

/** Of published admin apps. */
export const webhookCases: Cases = {
  sendTestWebhook: async (world) => {
    await withReceiver(async (url) => {
      const app = world.adminApp();
      const accepted = await app.sendTestWebhook({ endpointId: await newEndpoint(world, url) });
      expect(accepted).toMatchObject({ status: 'ok' });
      const failed = await app.sendTestWebhook({ endpointId: await newEndpoint(world, unreachable) });
      expect(failed).toMatchObject({ status: 'error', error: { errorMessage: expect.any(String) } });
    });
  },
};

/** Methods of Gatebook's admin app. */
const ownMethods: Readonly<Record<string, (app: GatebookAdminApp) => Promise<void>>> = {
  createWebhookEndpoint: async (app) => {
    const endpoint = await app.createWebhookEndpoint({ url: unreachable, types: ['user.*'] });
    expect(endpoint).toMatchObject({ url: unreachable, types: ['user.*'], secret: expect.stringMatching(/^whsec_/) });
  },
  listWebhookEndpoints: async (app) => {
    const { id } = await app.createWebhookEndpoint({ url: unreachable });
    expect(await app.listWebhookEndpoints()).toContainEqual(expect.objectContaining({ id, url: unreachable }));
  },
  getWebhookEndpoint: async (app) => {
    const { id } = await app.createWebhookEndpoint({ url: unreachable, description: 'Billing' });
    expect(await app.getWebhookEndpoint(id)).toMatchObject({ id, description: 'Billing', lastSuccessAt: null });
  },
  updateWebhookEndpoint: async (app) => {
    const { id } = await app.createWebhookEndpoint({ url: unreachable, headers: { 'x-a': 'a' } });
    const changes = { isEnabled: false, rateLimitPerSecond: 5, headers: { 'x-a': null, 'x-b': 'b' } };
    const changed = { isEnabled: false, rateLimitPerSecond: 5, headerNames: ['x-b'], disabledReason: 'manual' };
    expect(await app.updateWebhookEndpoint(id, changes)).toMatchObject(changed);
  },
  deleteWebhookEndpoint: async (app) => {
    const { id } = await app.createWebhookEndpoint({ url: unreachable });
    await app.deleteWebhookEndpoint(id);
    await expect(app.getWebhookEndpoint(id)).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' });
  },
  getWebhookSecret: async (app) => {
    const { id, secret } = await app.createWebhookEndpoint({ url: unreachable });
    expect(await app.getWebhookSecret(id)).toEqual({ secret, previousExpiresAt: null });
  },
  rotateWebhookSecret: async (app) => {
    const { id, secret } = await app.createWebhookEndpoint({ url: unreachable });
    const rotated = await app.rotateWebhookSecret(id, { overlapInMillis: 60_000 });
    expect(rotated).toMatchObject({ secret: expect.not.stringMatching(secret), previousExpiresAt: expect.any(Date) });
  },
  testWebhookEndpoint: (app) =>
    withReceiver(async (receiver) => {
      const { id } = await app.createWebhookEndpoint({ url: receiver });
      expect(await app.testWebhookEndpoint(id, { type: 'user.created' })).toMatchObject({
        success: true,
        statusCode: 204,
      });
    }),
  listWebhookDeliveries: async (app) => {
    const { id } = await app.createWebhookEndpoint({ url: unreachable });
    expect(await app.listWebhookDeliveries(id, { status: 'failed' })).toEqual({ items: [], nextBefore: null });
  },
  getWebhookDelivery: async (app) => {
    await expect(app.getWebhookDelivery(unknownId)).rejects.toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
  },
  resendWebhookDelivery: async (app) => {
    await expect(app.resendWebhookDelivery(unknownId)).rejects.toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
  },
  replayWebhooks: async (app) => {
    const { id } = await app.createWebhookEndpoint({ url: unreachable, types: ['team.created'] });
    const replay = { sinceMillis: Date.now() + 60_000, only: 'all', dryRun: true } as const;
    expect(await app.replayWebhooks(id, replay)).toEqual({ replayId: null, matched: 0, isExact: true });
  },
  getWebhookReplay: async (app) => {
    await expect(app.getWebhookReplay(unknownId)).rejects.toMatchObject({ code: 'WEBHOOK_REPLAY_NOT_FOUND' });
  },
  cancelWebhookReplay: async (app) => {
    await expect(app.cancelWebhookReplay(unknownId)).rejects.toMatchObject({ code: 'WEBHOOK_REPLAY_NOT_FOUND' });
  },
  getSvixToken: async (app) => {
    const { token, url: page } = await app.getSvixToken();
    expect(page).toMatch(new RegExp(`/projects/${app.projectId}/webhooks#token=`));
    expect(page.endsWith(token)).toBe(true);
  },
};

export const ownWebhookMethods = Object.keys(ownMethods);

export const ownWebhookCases: Readonly<Record<string, Call>> = Object.fromEntries(
  Object.entries(ownMethods).map(([name, call]) => [
    `StackAdminApp.${name}`,
    (world: World) => call(world.adminApp() as unknown as GatebookAdminApp),
  ]),
);
