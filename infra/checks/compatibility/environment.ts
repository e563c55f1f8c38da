import { startTestApi, type TestApi } from '@gatebook/api/testing/api';
import {
  type ClientLibrary,
  loadClient,
  type PublishedClient,
  publishedClients,
} from '@gatebook/api/testing/published-clients';
import { createProject, type OwnedProject, senderOf } from '@gatebook/api/testing/requests';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { createOAuthProviders } from '@gatebook/oauth/client';
import { createOpenIdEntry } from '@gatebook/oauth/open-id';
import { startSimulatorProvider } from '@gatebook/oauth/simulator/provider';
import { systemClock } from '@gatebook/runtime/clock';
import { findFreePort } from '@gatebook/runtime/free-port';
import { launchChromium } from '../../testing/chromium.ts';
import { serveApp } from './app-server.ts';
import { createWorld, type World } from './world.ts';

const secret = 'secret-of-the-simulator';

type Client = PublishedClient & { library: ClientLibrary };
const published = () => publishedClients.map(async (client) => ({ ...client, library: await loadClient(client) }));

/** Starts Gatebook, an OAuth provider and a mail server, and makes a world for each version of the client. */
export async function startWorlds(
  clients: readonly Promise<Client>[] = published(),
): Promise<{ worlds: readonly World[]; close(): Promise<void> }> {
  const port = await findFreePort();
  const baseUrl = `http://localhost:${port}`;
  const simulator = await startSimulatorProvider({ secret, redirectOrigins: [baseUrl] });
  const smtp = await startSmtpServer({ onAuth: (_auth, _session, done) => done(null, { user: 'u' }) });
  const overrides = await overridesFor(simulator.url);
  const api = await startTestApi({ publicUrl: baseUrl, port, overrides, history: true });
  await api.app.listen({ port, host: 'localhost' });
  const project = await createTestProject(api, smtp.port);
  const chromium = once(launchChromium);
  const newPage = async () => (await (await chromium.get()).newContext()).newPage();
  const environment = { api, baseUrl, project, newPage, simulatorUrl: simulator.url, smtpPort: smtp.port };
  const { client: publishableClientKey, server: secretServerKey } = project.keys;
  const keys = { projectId: project.projectId, publishableClientKey, secretServerKey };
  const apps = await Promise.all(
    clients.map(async (loading) => {
      const client = await loading;
      const app = once(() => serveApp(client, { baseUrl, ...keys, analytics: { enabled: false } }));
      const appUrl = async () => (await app.get()).url;
      const { version, library } = client;
      return { app, world: createWorld(environment, { version, library, appUrl }) };
    }),
  );
  return {
    worlds: apps.map(({ world }) => world),
    close: async () => {
      await (await chromium.started())?.close();
      for (const { app } of apps) (await app.started())?.close();
      await api.close();
      await Promise.all([simulator.close(), smtp.close()]);
    },
  };
}

/** Starts something at the first use. */
function once<Started>(start: () => Promise<Started>) {
  let started: Promise<Started> | null = null;
  return {
    get: (): Promise<Started> => {
      started ??= start();
      return started;
    },
    started: async (): Promise<Started | null> => started,
  };
}

async function createTestProject(api: TestApi, smtpPort: number): Promise<OwnedProject> {
  const send = senderOf(api);
  const sender = { sender_name: 'App', sender_email: 'app@example.com' };
  const mail = { type: 'standard', host: '127.0.0.1', port: smtpPort, username: 'u', password: 'p', ...sender };
  const project = await createProject(send, { config: { ...projectConfig, email_config: mail } });
  const body = { anonymous_sign_up_enabled: true };
  await send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body });
  return project;
}

const projectConfig = {
  ...{ client_team_creation_enabled: true, client_user_deletion_enabled: true },
  ...{ allow_user_api_keys: true, allow_team_api_keys: true, magic_link_enabled: true, passkey_enabled: true },
  oauth_providers: [
    { id: 'google', type: 'shared' },
    { id: 'github', type: 'standard', client_id: 'github', client_secret: secret },
  ],
};

/** The simulator in place of Google, and of GitHub, which sends no ID tokens. */
async function overridesFor(simulatorUrl: string) {
  const metadata = await (await fetch(`${simulatorUrl}/.well-known/openid-configuration`)).json();
  const openId = createOpenIdEntry('github', metadata, false);
  if (!openId) throw new Error('the simulator is no OpenID provider');
  const profile = { ...openId.profile, startsWithIdToken: false };
  const github = { ...openId, profile, issuer: null, idTokenKeys: null, isSubjectAccountId: false };
  const sharedIssuer = { url: simulatorUrl, secret };
  const providers = { sharedKeys: {}, sharedIssuer, entries: { github }, now: systemClock };
  return () => ({ oauthProviders: createOAuthProviders(providers) });
}
