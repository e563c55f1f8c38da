import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { sharedProviderIds } from '@gatebook/domain/project/config';
import { providerNames } from '@gatebook/domain/project/provider-names';
import Provider, { type Configuration, errors } from 'oidc-provider';
import { z } from 'zod';
import { createMemoryAdapter } from './memory.ts';
import { pageHeaders, renderErrorPage, renderSignInPage } from './page.ts';

export type Settings = {
  /** The client secret for every client ID. */
  secret: string;
  /** Provider IDs; default: those of shared providers. */
  clientIds?: readonly string[];
  /** Origins of this Gatebook: only its own callbacks receive codes. */
  redirectOrigins: readonly string[];
};

type Account = { email: string; name: string };

const maxAccounts = 1000;
const sessionCookie = 'gatebook_simulator_session';
const maxFormBytes = 10_000;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const signInPath = /^\/sign-in\/[\w-]{1,100}$/;

const Form = z.object({
  answer: z.literal('allow'),
  email: z.string().trim().max(255).regex(z.regexes.html5Email),
  name: z.string().trim().max(200),
});

/** Handles the requests of the simulator at `url`. */
export function createHandler(url: string, settings: Settings): RequestListener {
  const { host } = new URL(url);
  const accounts = new Map<string, Account>();
  const provider = new Provider(url, buildConfiguration(settings, accounts));

  provider.use(async (ctx, next) => {
    // Reject other host names: a website elsewhere could use one to get in (DNS rebinding).
    if (ctx.headers.host !== host) {
      ctx.status = 421;
      return;
    }
    // The authorization request and its continuation after the page.
    if (/^\/auth(\/|$)/.test(ctx.path)) removeSessionCookie(ctx.req);
    if (!signInPath.test(ctx.path)) return next();
    ctx.set(pageHeaders);
    try {
      await handleSignIn(provider, ctx, accounts);
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error;
      ctx.status = 400;
      ctx.body = renderErrorPage('This sign-in has expired or was started in another browser.');
    }
  });
  return provider.callback();
}

/** Every authorization starts signed out: this simulator has no page to sign out. */
function removeSessionCookie({ headers }: IncomingMessage): void {
  const remaining = (headers.cookie ?? '').split('; ').filter((cookie) => !cookie.startsWith(sessionCookie));
  headers.cookie = remaining.join('; ');
}

/** Handles the page of one sign-in: shown, submitted or denied. */
async function handleSignIn(provider: Provider, ctx: KoaContextLike, accounts: Map<string, Account>): Promise<void> {
  const { params } = await provider.interactionDetails(ctx.req, ctx.res);
  const providerName = providerNames[String(params.client_id)] ?? String(params.client_id);
  if (ctx.method !== 'POST') {
    ctx.body = renderSignInPage({ provider: providerName, email: '', name: '', error: null });
    return;
  }
  const form = await readForm(ctx.req);
  const finish = async (result: Parameters<Provider['interactionResult']>[2]) => {
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false }));
    ctx.status = 303;
  };
  if (form.answer === 'deny') {
    return finish({ error: 'access_denied', error_description: 'the user denied access' });
  }
  const parsed = Form.safeParse(form);
  if (!parsed.success) {
    ctx.status = 400;
    const { email = '', name = '' } = form;
    ctx.body = renderSignInPage({
      provider: providerName,
      email,
      name,
      error: 'Enter a valid email address. Any address works.',
    });
    return;
  }
  const { email, name } = parsed.data;
  const accountId = email.toLowerCase();
  // Move the latest account to the end.
  accounts.delete(accountId);
  accounts.set(accountId, { email, name });
  const [oldest = ''] = accounts.keys();
  if (accounts.size > maxAccounts) accounts.delete(oldest);
  return finish({ login: { accountId, remember: false } });
}

type KoaContextLike = Parameters<Parameters<Provider['use']>[0]>[0];

async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxFormBytes) return {};
    chunks.push(chunk);
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
}

function buildConfiguration(
  { secret, clientIds = sharedProviderIds, redirectOrigins }: Settings,
  accounts: ReadonlyMap<string, Account>,
): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    adapter: createMemoryAdapter(),
    clients: clientIds.map((id) => ({
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
      // Cookies are separated by host, not by port: use names that no other server on this machine has.
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
    // Signing in counts as consent.
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
      ctx.body = renderErrorPage(`${error}: ${description ?? ''}`);
    },
  };
}
