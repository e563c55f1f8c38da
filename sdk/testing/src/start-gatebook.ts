import { randomBytes } from 'node:crypto';
import {
  type AdminProjectCreateOptions,
  GatebookAdminApp,
  GatebookOwnerApp,
  type InternalApiKeyFirstView,
} from '@gatebook/js/admin';
import { GatebookServerApp } from '@gatebook/js/server';
import { createEmails, type Emails } from './emails.ts';
import { type ServerLocation, startServer } from './server-process.ts';
import { createTestUsers, type NewTestUser, type TestUser } from './test-users.ts';

export type StartOptions = {
  /** Where the server is. By default the folder in `GATEBOOK_SERVER`, or the clone that contains the current folder. */
  server?: ServerLocation;
  /** Settings of the server, such as `GATEBOOK_ACCESS_TOKEN_SECONDS`. Rate limits are off by default. */
  settings?: Readonly<Record<string, string>>;
  /** Options of the project that the tests use. Sign-in by email code and providers are off by default. */
  project?: Partial<AdminProjectCreateOptions>;
};

/** A running Gatebook with one project. */
export type Gatebook = {
  /** The URL of the API, the dashboard and the inbox. */
  url: string;
  projectId: string;
  keys: Record<'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey', string>;
  /** The variables that the packages of Gatebook read, for the process of the app under test. */
  environment: Record<string, string>;
  server: GatebookServerApp;
  admin: GatebookAdminApp;
  createUser(given?: NewTestUser): Promise<TestUser>;
  emails: Emails;
  /** Also removes the data. */
  stop(): Promise<void>;
};

const DAY_MS = 86_400_000;
const createKey = (prefix: string) => `${prefix}_${randomBytes(24).toString('hex')}`;

/** Starts a server with an empty database in a temporary folder, and creates a project with keys. */
export async function startGatebook({ server: location, settings, project }: StartOptions = {}): Promise<Gatebook> {
  const owners = { client: createKey('pck'), server: createKey('ssk'), admin: createKey('sak') };
  const { url, stop } = await startServer(location, {
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: owners.client,
    GATEBOOK_INTERNAL_SECRET_SERVER_KEY: owners.server,
    GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: owners.admin,
    ...settings,
  });
  try {
    const { projectId, keys } = await createProject(url, owners, project);
    const options = { baseUrl: url, projectId, ...keys, tokenStore: null };
    const server = new GatebookServerApp(options);
    return {
      ...{ url, projectId, keys, server, stop, emails: createEmails(url) },
      environment: environmentOf(url, projectId, keys),
      admin: new GatebookAdminApp(options),
      createUser: createTestUsers(server, { baseUrl: url, projectId }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As an owner does in the dashboard. */
async function createProject(
  baseUrl: string,
  owners: { client: string; server: string },
  options: StartOptions['project'],
): Promise<Pick<Gatebook, 'projectId' | 'keys'>> {
  const internal = { baseUrl, projectId: 'internal', publishableClientKey: owners.client };
  const server = new GatebookServerApp({ ...internal, secretServerKey: owners.server, tokenStore: null });
  const owner = await server.createUser({ displayName: 'Owner' });
  const tokenStore = await (await owner.createSession()).getTokens();
  const user = await new GatebookOwnerApp({ ...internal, tokenStore }).getUser({ or: 'throw' });
  const { id, app } = await user.createProject({ displayName: 'Test', ...options });
  const created = await app.createInternalApiKey({
    description: 'Tests',
    expiresAt: new Date(Date.now() + DAY_MS),
    ...{ hasPublishableClientKey: true, hasSecretServerKey: true, hasSuperSecretAdminKey: true },
  });
  return { projectId: id, keys: keysOf(created) };
}

function keysOf({ publishableClientKey, secretServerKey, superSecretAdminKey }: InternalApiKeyFirstView) {
  if (!publishableClientKey || !secretServerKey || !superSecretAdminKey) throw new Error('The project has no keys.');
  return { publishableClientKey, secretServerKey, superSecretAdminKey };
}

const environmentOf = (url: string, projectId: string, keys: Gatebook['keys']): Record<string, string> => ({
  NEXT_PUBLIC_GATEBOOK_API_URL: url,
  NEXT_PUBLIC_GATEBOOK_PROJECT_ID: projectId,
  GATEBOOK_SECRET_SERVER_KEY: keys.secretServerKey,
});
