import { z } from 'zod';
import { type ProjectConfig, type ProjectSecrets, providerIds } from '../config.ts';
import { trustedDomainFault } from '../trusted-domains.ts';
import { type Document, isObject } from './layers.ts';

const provider = z.strictObject({
  type: z.enum(providerIds).optional(),
  isShared: z.boolean().default(true),
  clientId: z.string().min(1).max(1_024).optional(),
  clientSecret: z.string().min(1).max(4_096).optional(),
  facebookConfigId: z.string().max(256).optional(),
  microsoftTenantId: z.string().max(256).optional(),
  appleBundles: z.custom<undefined>((value) => value === undefined, 'is not offered by Gatebook').optional(),
  allowSignIn: z.boolean().default(false),
  allowConnectedAccounts: z.boolean().default(false),
});

/** An entry without a type has no effect yet: the keys may come before the file that turns the provider on. */
export const ProviderRecord = z.record(z.string().max(256), provider).superRefine((entries, context) => {
  for (const [id, entry] of Object.entries(entries)) {
    const fault = (key: string, message: string) => context.addIssue({ code: 'custom', path: [id, key], message });
    if (entry.type === undefined) continue;
    if (entry.type !== id) fault('type', 'must be the ID of the entry: Gatebook has one entry per provider');
    if (entry.allowSignIn !== entry.allowConnectedAccounts) {
      fault('allowConnectedAccounts', 'must equal allowSignIn: Gatebook turns both on or off');
    }
    if (!entry.allowSignIn || entry.isShared) continue;
    if (entry.clientId === undefined) fault('clientId', 'is required unless isShared is true');
    if (entry.clientSecret === undefined) fault('clientSecret', 'is required unless isShared is true');
  }
});

export function providersOf({ oauthProviders }: ProjectConfig, { oauthClientSecrets }: ProjectSecrets): Document {
  return Object.fromEntries(
    oauthProviders.map(({ id, type, clientId, facebookConfigId, microsoftTenantId }) => {
      const keys = { clientId, clientSecret: oauthClientSecrets[id], facebookConfigId, microsoftTenantId };
      const set = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
      const isShared = type === 'shared';
      return [id, { type: id, isShared, ...Object.fromEntries(set), allowSignIn: true, allowConnectedAccounts: true }];
    }),
  );
}

const isWebUrl = (text: string) => /^https?:\/\//.test(text) && !/\s/.test(text) && URL.canParse(text);
const TrustedDomain = z
  .string()
  .max(2_048)
  .refine(isWebUrl, { error: 'must be a URL that begins with http:// or https://', abort: true })
  .superRefine((domain, context) => {
    const fault = trustedDomainFault(domain);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
export const DomainRecord = z.record(
  z
    .string()
    .max(63)
    .regex(/^\w[\w-]*$/, 'must be an ID of letters, digits, _ and -'),
  z.strictObject({
    baseUrl: TrustedDomain,
    handlerPath: z.string().max(1_024).regex(/^\//, 'must begin with /').default('/handler'),
  }),
);

/** Entries keep the IDs of `named`; a domain without one gets an ID that is made of its URL. */
export function domainsOf(domains: ProjectConfig['domains'], named: Document): Document {
  const ids = new Map(
    Object.entries(recordAt(named, ['domains', 'trustedDomains'])).flatMap(([id, entry]) =>
      isObject(entry) ? [[entry.baseUrl, id]] : [],
    ),
  );
  const taken = new Set(ids.values());
  const newId = (domain: string): string => {
    const name = domain
      .replace(/^https?:\/\//, '')
      .replace(/[^a-zA-Z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 50);
    let id = name || 'domain';
    for (let nth = 2; taken.has(id); nth += 1) id = `${name}-${nth}`;
    taken.add(id);
    return id;
  };
  return Object.fromEntries(
    domains.map(({ domain, handlerPath }) => [ids.get(domain) ?? newId(domain), { baseUrl: domain, handlerPath }]),
  );
}

function recordAt(document: Document, path: readonly string[]): Document {
  const found = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
  return isObject(found) ? found : {};
}

export const EmailServer = z
  .strictObject({
    isShared: z.boolean().default(true),
    provider: z.literal('smtp', 'must be smtp: Gatebook sends through any SMTP server').default('smtp'),
    host: z.string().min(1).max(255).optional(),
    port: z.number().int().min(0).max(65_535).optional(),
    username: z.string().min(1).max(1_024).optional(),
    password: z.string().min(1).max(70).optional(),
    senderName: z.string().min(1).max(256).optional(),
    senderEmail: z.string().max(320).regex(z.regexes.html5Email, 'must be an email address').optional(),
  })
  .superRefine((server, context) => {
    if (server.isShared) return;
    for (const key of ['host', 'port', 'username', 'password', 'senderName', 'senderEmail'] as const) {
      if (server[key] !== undefined) continue;
      context.addIssue({ code: 'custom', path: [key], message: 'is required unless isShared is true' });
    }
  });

export function serverOf(emailConfig: ProjectConfig['emailConfig'], { emailPassword }: ProjectSecrets): Document {
  if (emailConfig.type === 'shared') return { isShared: true, provider: 'smtp' };
  const { type: _type, ...server } = emailConfig;
  return {
    isShared: false,
    provider: 'smtp',
    ...server,
    ...(emailPassword === null ? {} : { password: emailPassword }),
  };
}

export function emailOf(server: z.output<typeof EmailServer>): ProjectConfig['emailConfig'] {
  const { isShared, host = '', port = 0, username = '', senderName = '', senderEmail = '' } = server;
  return isShared ? { type: 'shared' } : { type: 'standard', host, port, username, senderName, senderEmail };
}
