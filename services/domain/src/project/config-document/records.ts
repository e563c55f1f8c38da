import { z } from 'zod';
import { type OAuthProviderConfig, type ProjectConfig, type ProjectSecrets, providerIds } from '../config.ts';
import { issuerFault, openIdProviderIdFault } from '../openid-providers.ts';
import { trustedDomainFault } from '../trusted-domains.ts';
import { type Document, isObject } from './layers.ts';

const provider = z.strictObject({
  type: z.enum([...providerIds, 'openid']).optional(),
  isShared: z.boolean().default(true),
  clientId: z.string().min(1).max(1_024).optional(),
  clientSecret: z.string().min(1).max(4_096).optional(),
  facebookConfigId: z.string().max(256).optional(),
  microsoftTenantId: z.string().max(256).optional(),
  /** Only of providers of type `openid`, which the protocol lacks. */
  issuer: z.string().max(2_048).optional(),
  displayName: z.string().trim().min(1).max(64).optional(),
  appleBundles: z.custom<undefined>((value) => value === undefined, 'is not offered by Gatebook').optional(),
  allowSignIn: z.boolean().default(false),
  allowConnectedAccounts: z.boolean().default(false),
});

/** An entry without a type has no effect yet: the keys may come before the file that turns the provider on. */
export const ProviderRecord = z.record(z.string().max(256), provider).superRefine((entries, context) => {
  for (const [id, entry] of Object.entries(entries)) {
    const fault = (key: string, message: string) => context.addIssue({ code: 'custom', path: [id, key], message });
    if (entry.type === undefined) continue;
    if (entry.type === 'openid') checkOpenIdEntry(id, entry, fault);
    else if (entry.type !== id) fault('type', 'must be the ID of the entry: Gatebook has one entry per provider');
    if (entry.allowSignIn !== entry.allowConnectedAccounts) {
      fault('allowConnectedAccounts', 'must equal allowSignIn: Gatebook turns both on or off');
    }
    if (!entry.allowSignIn || (entry.isShared && entry.type !== 'openid')) continue;
    if (entry.clientId === undefined) fault('clientId', 'is required unless isShared is true');
    if (entry.clientSecret === undefined) fault('clientSecret', 'is required unless isShared is true');
  }
});

type Entry = z.output<typeof provider>;

function checkOpenIdEntry(
  id: string,
  { isShared, issuer, displayName, allowSignIn }: Entry,
  fault: (key: string, message: string) => void,
): void {
  const faultOfId = openIdProviderIdFault(id);
  if (faultOfId !== null) fault('type', `openid requires another key: it ${faultOfId}`);
  if (!allowSignIn) return;
  if (isShared) fault('isShared', 'must be false for a provider of type openid');
  const faultOfIssuer = issuer === undefined ? 'is required for a provider of type openid' : issuerFault(issuer);
  if (faultOfIssuer !== null) fault('issuer', faultOfIssuer);
  if (displayName === undefined) fault('displayName', 'is required for a provider of type openid');
}

export function providersOf({ oauthProviders }: ProjectConfig, { oauthClientSecrets }: ProjectSecrets): Document {
  return Object.fromEntries(
    oauthProviders.map(({ id, type, ...settings }) => {
      const keys = { ...settings, clientSecret: oauthClientSecrets[id] };
      const set = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
      const kind = { type: type === 'openid' ? type : id, isShared: type === 'shared' };
      return [id, { ...kind, ...Object.fromEntries(set), allowSignIn: true, allowConnectedAccounts: true }];
    }),
  );
}

/** The providers that sign users in, and their secrets. */
export function enabledProviders(
  entries: z.output<typeof ProviderRecord>,
): Pick<ProjectConfig, 'oauthProviders'> & Pick<ProjectSecrets, 'oauthClientSecrets'> {
  const enabled = Object.entries(entries).filter(([, { type, allowSignIn }]) => type !== undefined && allowSignIn);
  return {
    oauthProviders: enabled.map(([id, entry]) => toProvider(id, entry)),
    oauthClientSecrets: Object.fromEntries(
      enabled.flatMap(([id, { clientSecret }]) => (clientSecret === undefined ? [] : [[id, clientSecret]])),
    ),
  };
}

function toProvider(id: string, entry: Entry): OAuthProviderConfig {
  const { type, isShared, issuer = '', clientId, displayName = '', facebookConfigId, microsoftTenantId } = entry;
  if (type === undefined || type === 'openid')
    return { id, type: 'openid', issuer, clientId: clientId ?? '', displayName };
  return {
    id: type,
    type: isShared ? 'shared' : 'standard',
    ...(clientId === undefined ? {} : { clientId }),
    ...(facebookConfigId === undefined ? {} : { facebookConfigId }),
    ...(microsoftTenantId === undefined ? {} : { microsoftTenantId }),
  };
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
