import { createLogTail } from '@gatebook/projections/log-tail';
import { findProjectAccess } from '@gatebook/readmodel/projects/queries';
import { beforeEach, expect, test } from 'vitest';
import { createProjectAccessCache } from '../../project-access-cache.ts';
import { type Call, createProject, type OwnedProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

let project: OwnedProject;

/** The log's events never arrive here, as if their notification were late. */
const { send } = await startSuite({
  overrides: ({ db, readModels, store, logger }) => ({
    projects: createProjectAccessCache({
      tail: createLogTail({ store, logger }),
      peers: { canCache: () => true, announce: () => undefined, allPassed: async () => undefined },
      load: (projectId) => findProjectAccess(db, projectId),
      reached: (position, projectId) => readModels.reached(position, undefined, [projectId]),
    }),
  }),
});
beforeEach(async () => {
  project = await createProject(send);
  // Into memory with it.
  expect((await send('GET', '/projects/current', project)).status).toBe(200);
});

const admin = (call: Call = {}): Call => ({ ...project, access: 'admin', ...call });

test('a changed configuration applies to the next request', async () => {
  const body = { config: { credential_enabled: false } };
  await send('PATCH', '/internal/projects/current', admin({ body }));
  expect((await send('GET', '/projects/current', project)).body.config.credential_enabled).toBe(false);
});

test('changed settings apply to the next request', async () => {
  const keyless = { ...project, headers: { 'x-stack-publishable-client-key': '' } };
  await send('PATCH', '/internal/projects/current/settings', admin({ body: { keyless_clients_allowed: false } }));
  expect((await send('GET', '/projects/current', keyless)).status).toBe(401);
});

test('a new key works and a revoked key fails at the next request', async () => {
  const created = await send(
    'POST',
    '/internal/api-keys',
    admin({
      body: {
        description: 'x',
        expires_at_millis: Date.parse('2099-01-01'),
        has_publishable_client_key: true,
        has_secret_server_key: false,
        has_super_secret_admin_key: false,
      },
    }),
  );
  const withNewKey = { ...project, keys: { ...project.keys, client: created.body.publishable_client_key as string } };
  expect((await send('GET', '/projects/current', withNewKey)).status).toBe(200);
  await send('PATCH', `/internal/api-keys/${created.body.id}`, admin({ body: { revoked: true } }));
  expect((await send('GET', '/projects/current', withNewKey)).status).toBe(401);
});

test('a deleted project is unknown at the next request', async () => {
  await send('DELETE', '/internal/projects/current', admin());
  expect((await send('GET', '/projects/current', project)).status).toBe(401);
});
