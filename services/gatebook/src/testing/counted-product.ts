import { randomBytes } from 'node:crypto';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { readConfig } from '@gatebook/runtime/config';
import { findFreePort } from '@gatebook/runtime/free-port';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { testDatabase } from '@gatebook/runtime/testing/database';
import pg from 'pg';
import { startGatebook } from '../compose.ts';
import { installationTemplate } from './installation-template.ts';

const keys = {
  client: 'pck_test000000000000000000000000000000000000000000',
  server: 'ssk_test000000000000000000000000000000000000000000',
  admin: 'sak_test000000000000000000000000000000000000000000',
};
const keyHeaders = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
};

type Call = { access?: keyof typeof keys; body?: object; headers?: Record<string, string> };

/** The whole product in this process, with all of its statements counted. */
export async function startCounted() {
  /** By name and text. */
  const statements: string[] = [];
  const query: unknown = pg.Client.prototype.query;
  function counted(this: pg.Client, ...args: unknown[]): unknown {
    const [config] = args as [string | { name?: string; text?: string }];
    statements.push(typeof config === 'string' ? config : `${config.name} ${config.text}`);
    return Reflect.apply(query as () => unknown, this, args);
  }
  Object.assign(pg.Client.prototype, { query: counted });
  const shutdown = createShutdown(logger);
  const database = await testDatabase(installationTemplate);
  const port = await findFreePort();
  const url = `http://localhost:${port}/api/v1`;
  const masterKey = randomBytes(32);
  const config = readConfig({
    GATEBOOK_PORT: String(port),
    GATEBOOK_DATABASE_URL: database.url,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
  });
  await startGatebook('all', {
    config,
    databaseUrl: database.url,
    isEmbedded: false,
    masterKey: async () => [masterKey],
    internalKeys: {
      publishableClientKey: keys.client,
      secretServerKey: keys.server,
      superSecretAdminKey: keys.admin,
    },
    logger,
    shutdown,
    onProgress: () => undefined,
    inbox: null,
  });

  /** @throws Error for a response that is not a success */
  async function send<T>(method: string, path: string, { access = 'client', body, headers }: Call = {}): Promise<T> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        'x-stack-access-type': access,
        'x-stack-project-id': 'internal',
        [keyHeaders[access]]: keys[access],
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  return {
    send,
    statements,
    close: async () => {
      await shutdown.run();
      Object.assign(pg.Client.prototype, { query });
      await database.close();
    },
  };
}
