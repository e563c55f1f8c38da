import { buildApp } from '@gatebook/api/app';
import type { Deps } from '@gatebook/api/deps';
import type { OpenApi } from '@gatebook/api/http/reference/openapi';
import { createLogger } from '@gatebook/runtime/logger';

export type { OpenApi, Operation, Schema } from '@gatebook/api/http/reference/openapi';

/** The API without log and database: enough to describe itself, to serve pages, and to reject what is malformed. */
export function buildBareApp(given: Partial<Deps> = {}) {
  const config = {
    http: {
      host: '127.0.0.1',
      port: 8102,
      publicUrl: 'http://localhost:8102',
      trustedProxies: [],
      clientHeaders: { address: null, country: null },
    },
    rateLimits: { isEnabled: false },
    tokens: { accessTokenSeconds: 600 },
    internal: { publishableClientKey: '', signUp: 'closed' as const },
  };
  const parts = {
    config,
    logger: createLogger({ level: 'silent' }),
    now: () => new Date().toISOString(),
    tail: { add: () => undefined },
    version: '',
    inbox: null,
    dashboardFolder: null,
    ...given,
  };
  return buildApp(parts as unknown as Deps);
}

/** What the API says of itself. */
export async function openApiDocument(): Promise<OpenApi> {
  const app = await buildBareApp();
  const document = (await app.inject('/openapi.json')).json<OpenApi>();
  await app.close();
  return document;
}
