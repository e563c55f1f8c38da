import { buildApp } from '@gatebook/api/app';
import type { Deps } from '@gatebook/api/deps';
import type { maxBytesKey } from '@gatebook/contract/common';
import { createLogger } from '@gatebook/runtime/logger';

export type Schema = {
  type?: string | readonly string[];
  $ref?: string;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  description?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  propertyNames?: Schema;
  /** Greatest size of a free value as compact JSON. */
  [maxBytesKey]?: number;
};
type Content = { content?: Readonly<Record<string, { schema?: Schema }>> };
export type Operation = {
  tags?: readonly string[];
  summary?: string;
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema; description?: string }[];
  requestBody?: Content;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  responses?: Readonly<Record<string, Content & { description?: string }>>;
};
export type OpenApi = {
  tags: readonly { name: string; description?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

/** The API without log and database: enough to describe itself, to serve pages, and to reject what is malformed. */
export function buildBareApp() {
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
