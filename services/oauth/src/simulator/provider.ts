import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedProviderIds } from '@gatebook/domain/project/config';
import { providerNames } from '@gatebook/domain/project/provider-names';
import Provider, { type Configuration, errors } from 'oidc-provider';
import { z } from 'zod';
import { createMemory } from './memory.ts';
import { faultPage, pageHeaders, signInPage } from './page.ts';

export type SimulatorProvider = { url: string; close(): Promise<void> };

type Settings = {
  /** A free port when left out. */
  port?: number;
  /** The client secret of every provider id. */
  secret: string;
  /** Where this Gatebook is reached: only its own callbacks get codes. */
  redirectOrigins: readonly string[];
};

type Account = { email: string; name: string };

const mostAccounts = 1000;
const sessionCookie = 'gatebook_simulator_session';
const longestFormBytes = 10_000;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const signInPath = /^\/sign-in\/[\w-]{1,100}$/;

const Form = z.object({
  answer: z.literal('allow'),
  email: z.string().trim().max(255).regex(z.regexes.html5Email),
  name: z.string().trim().max(200),
});

/**
 * An OpenID provider for development, on the loopback address alone, that stands in for every provider with shared keys:
 * client id = provider id. It asks who one wants to be, and believes it: whoever reaches it signs in as anybody. So it must
 * not run where others could reach it, or reach the Gatebook that trusts it.
 */
export async function startSimulatorProvider({
  port = 0,
  secret,
  redirectOrigins,
}: Settings): Promise<SimulatorProvider> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  const accounts = new Map<string, Account>();
  const provider = new Provider(url, configurationOf({ secret, redirectOrigins }, accounts));

  provider.use(async (ctx, next) => {
    // Another name for this address is how a web page elsewhere would get in (DNS rebinding).
    if (ctx.headers.host !== host) {
      ctx.status = 421;
      return;
    }
    // The request itself, and where it goes on after the page.
    if (/^\/auth(\/|$)/.test(ctx.path)) forgetPerson(ctx.req);
    if (!signInPath.test(ctx.path)) return next();
    ctx.set(pageHeaders);
    try {
      await askPerson(provider, ctx, accounts);
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error;
      ctx.status = 400;
      ctx.body = faultPage('This sign-in is over, or was begun in another browser.');
    }
  });
  server.on('request', provider.callback());

  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Each authorization is somebody's first: who was signed in before would have to be signed out, by a page that this one lacks. */
function forgetPerson({ headers }: IncomingMessage): void {
  const kept = (headers.cookie ?? '').split('; ').filter((cookie) => !cookie.startsWith(sessionCookie));
  headers.cookie = kept.join('; ');
}

/** The page of one sign-in: shown, filled in, denied. */
async function askPerson(provider: Provider, ctx: KoaContextLike, accounts: Map<string, Account>): Promise<void> {
  const { params } = await provider.interactionDetails(ctx.req, ctx.res);
  const providerName = providerNames[String(params.client_id)] ?? String(params.client_id);
  if (ctx.method !== 'POST') {
    ctx.body = signInPage({ provider: providerName, email: '', name: '', fault: null });
    return;
  }
  const form = await readForm(ctx.req);
  const back = async (result: Parameters<Provider['interactionResult']>[2]) => {
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false }));
    ctx.status = 303;
  };
  if (form.answer === 'deny') {
    return back({ error: 'access_denied', error_description: 'the person said no' });
  }
  const parsed = Form.safeParse(form);
  if (!parsed.success) {
    ctx.status = 400;
    const { email = '', name = '' } = form;
    ctx.body = signInPage({ provider: providerName, email, name, fault: 'That is no e-mail address. Any will do.' });
    return;
  }
  const { email, name } = parsed.data;
  const accountId = email.toLowerCase();
  // The one who signed in last is at the end.
  accounts.delete(accountId);
  accounts.set(accountId, { email, name });
  const [oldest = ''] = accounts.keys();
  if (accounts.size > mostAccounts) accounts.delete(oldest);
  return back({ login: { accountId, remember: false } });
}

type KoaContextLike = Parameters<Parameters<Provider['use']>[0]>[0];

async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > longestFormBytes) return {};
    chunks.push(chunk);
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
}

function configurationOf(
  { secret, redirectOrigins }: Pick<Settings, 'secret' | 'redirectOrigins'>,
  accounts: ReadonlyMap<string, Account>,
): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    adapter: createMemory(),
    clients: sharedProviderIds.map((id) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: redirectOrigins.map((origin) => `${origin}/api/v1/auth/oauth/callback/${id}`),
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code' as const],
      id_token_signed_response_alg: 'ES256' as const,
    })),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: true,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      dPoP: { enabled: false },
    },
    cookies: {
      keys: [randomBytes(32)],
      // Browsers tell hosts apart, not ports: these names are nobody else's on this machine.
      names: {
        session: sessionCookie,
        interaction: 'gatebook_simulator_sign_in',
        resume: 'gatebook_simulator_resume',
      },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: minute,
      IdToken: hour,
      RefreshToken: 14 * day,
      Interaction: 10 * minute,
      Session: 10 * minute,
      Grant: 14 * day,
    },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    issueRefreshToken: async () => true,
    // Signing in is consent enough.
    loadExistingGrant: async (ctx) => {
      const { client, session, provider } = ctx.oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    findAccount: (_ctx, sub) => {
      const account = accounts.get(sub);
      if (!account) return undefined;
      const { email, name } = account;
      return {
        accountId: sub,
        claims: () => ({ sub, email, email_verified: true, ...(name ? { name } : {}) }),
      };
    },
    renderError: (ctx, { error_description: description, error }) => {
      ctx.set(pageHeaders);
      ctx.body = faultPage(`${error}: ${description ?? ''}`);
    },
  };
}
