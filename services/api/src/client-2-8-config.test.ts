import { findFreePort } from '@gatebook/runtime/free-port';
import * as newest from 'stack-js-2-8-108';
import { expect, test } from 'vitest';
import { createProject, senderOf } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });

test('@stackframe/js 2.8.108 reads, changes and pushes the configuration', async () => {
  const owned = await createProject(senderOf(api));
  const app = new newest.StackAdminApp({
    baseUrl,
    projectId: owned.projectId,
    secretServerKey: owned.keys.server,
    superSecretAdminKey: owned.keys.admin,
    tokenStore: 'memory',
  });
  const project = await app.getProject();
  await project.updateConfig({ 'auth.passkey.allowSignIn': true });
  expect(await project.getConfig()).toMatchObject({ auth: { passkey: { allowSignIn: true } } });
  const source = {
    ...({ type: 'pushed-from-github', owner: 'acme', repo: 'shop', branch: 'main' } as const),
    ...{ commitHash: 'abc', configFilePath: 'stack.config.ts' },
  };
  await project.pushConfig({ auth: { passkey: { allowSignIn: false }, otp: { allowSignIn: true } } }, { source });
  expect((await app.getProject()).config).toMatchObject({ passkeyEnabled: true, magicLinkEnabled: true });
  expect(await project.getPushedConfigSource()).toMatchObject(source);
  await project.updatePushedConfig({ 'teams.allowClientTeamCreation': true });
  await project.resetConfigOverrideKeys('environment', ['auth.passkey']);
  expect((await app.getProject()).config).toMatchObject({ passkeyEnabled: false, clientTeamCreationEnabled: true });
  await project.replaceConfigOverride('branch', {});
  expect(await project.getConfigOverride('branch')).toEqual({});
  await project.unlinkPushedConfigSource();
  expect(await project.getPushedConfigSource()).toEqual({ type: 'unlinked' });
  await project.update({ requirePublishableClientKey: true });
  expect(await project.getConfig()).toMatchObject({ project: { requirePublishableClientKey: true } });
});
