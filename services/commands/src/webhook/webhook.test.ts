import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { NO_STREAM } from '@gatebook/eventlog/port';
import { newEventId } from '@gatebook/runtime/ids';
import { expect, test } from 'vitest';
import { createProject } from '../project/project.ts';
import { contextOf, createWorld, expectRejection, testMasterKey } from '../testing/world.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from './webhook.ts';

const values = {
  url: 'https://shop.example/hooks',
  description: '',
  types: null,
  ordering: 'subject' as const,
  rateLimitPerSecond: null,
  headers: { 'x-key': 'canary' },
};

async function withEndpoint(limit?: number) {
  const world = await createWorld();
  const ownerUserId = world.deps.newId();
  const { projectId } = await createProject(world.deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
  const ctx = contextOf(projectId);
  const create = () => createWebhookEndpoint(world.deps, ctx, { values, isEnabled: true, startAfter: null, limit });
  return { ...world, ctx, create, ...(await create()) };
}

test('secrets, URLs and values of headers are encrypted in the log', async () => {
  const { deps, ctx, endpointId, secret } = await withEndpoint();
  const rotated = await rotateWebhookSecret(deps, ctx, { endpointId, overlapMs: 1_000 });
  await updateWebhookEndpoint(deps, ctx, { endpointId, change: { headers: { 'x-other': 'canary' } } });
  const stream = `webhook-${endpointId}`;
  const { events } = await deps.store.readStream(stream);
  const keyring = await createKeyring({ masterKey: testMasterKey, keyStore: createMemoryKeyStore() });
  const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const [stored] = await codec.encode([{ stream, expected: NO_STREAM, events }], {
    ...ctx,
    correlationId: '',
    causationId: null,
  });
  const log = JSON.stringify(stored?.events);
  const [current] = events.flatMap(({ data }) => (data.previousExpiresAt ? data.secrets : [])) as { secret: string }[];
  expect(current?.secret).toBe(rotated.secret);
  for (const hidden of [values.url, secret, rotated.secret, 'canary', 'whsec_']) expect(log).not.toContain(hidden);
});

test('an endpoint that failed for days keeps its reason when it is disabled by hand', async () => {
  const { deps, ctx, endpointId } = await withEndpoint();
  await disableWebhookEndpoint(deps, ctx, { endpointId, reason: 'failing' });
  const { endpoint, position } = await updateWebhookEndpoint(deps, ctx, { endpointId, change: {}, isEnabled: false });
  expect([endpoint.disabledReason, position]).toEqual(['failing', null]);
});

test('deleted endpoints do not count towards the quota', async () => {
  const { deps, ctx, endpointId, create } = await withEndpoint(1);
  await expectRejection(create(), 'QUOTA_EXCEEDED', { quota: 'webhookEndpoints', limit: 1 });
  await deleteWebhookEndpoint(deps, ctx, { endpointId });
  expect(await create()).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
});

test('a project that does not exist has no endpoints', async () => {
  const { deps } = await createWorld();
  const input = { values, isEnabled: true, startAfter: null };
  await expectRejection(createWebhookEndpoint(deps, contextOf('shop'), input), 'PROJECT_NOT_FOUND', {
    project_id: 'shop',
  });
});
