import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { signInAtSimulator } from '@gatebook/oauth/testing/sign-in-at-simulator';
import { type Answer, type Call, createApiClient, type Keys, type Send } from '../../testing/api-client.ts';
import { mustReject } from './outcome.ts';

export type Project = { projectId: string; keys: Keys };
export type Person = { email: string; password: string; userId: string; accessToken: string; refreshToken: string };
/** `code`: of a link to `callbackUrl`. */
export type Mail = { subject: string; text: string; code: string | null };

export const callbackUrl = 'http://localhost:3000/handler/callback';
/** Nobody follows the links of sign-ups. */
const verificationUrl = 'http://localhost:3000/handler/verify';
export const redirectUri = 'http://localhost:3000/handler/oauth-callback';
export const farAway = Date.parse('2099-01-01');

/**
 * What an attacker and their victims can do at a running Gatebook. Each request comes from a separate address,
 * unless it says another.
 */
export type World = Awaited<ReturnType<typeof createWorld>>;

const lookMs = 50;
const mailPatienceMs = 10_000;

export async function createWorld(origin: string, internalKeys: Keys, printed: () => string) {
  const raw = createApiClient(origin, internalKeys);
  const send: Send = (method, path, call = {}) =>
    raw(method, path, { ...call, headers: { 'x-forwarded-for': newAddress(), ...call.headers } });

  /** A project with all sign-in methods, owned by somebody new. */
  async function newProject(config: Record<string, unknown> = {}): Promise<Project & { ownerToken: string }> {
    const owner = await must('POST', '/users', { access: 'server', body: { display_name: 'Owner' } });
    const session = await must('POST', '/auth/sessions', { access: 'server', body: { user_id: owner.id } });
    const ownerToken = session.access_token as string;
    const everything = {
      sign_up_enabled: true,
      credential_enabled: true,
      magic_link_enabled: true,
      passkey_enabled: true,
      client_team_creation_enabled: true,
      client_user_deletion_enabled: true,
      allow_localhost: true,
      allow_user_api_keys: true,
      allow_team_api_keys: true,
      oauth_providers: [
        { id: 'google', type: 'shared' },
        { id: 'github', type: 'shared' },
      ],
    };
    const made = await must('POST', '/internal/projects', {
      as: ownerToken,
      body: { display_name: 'Attacked', config: { ...everything, ...config } },
    });
    const keySet = await must('POST', '/internal/api-keys', {
      projectId: made.id,
      access: 'admin',
      headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': ownerToken },
      body: {
        description: 'all',
        expires_at_millis: farAway,
        has_publishable_client_key: true,
        has_secret_server_key: true,
        has_super_secret_admin_key: true,
      },
    });
    const { publishable_client_key: client, secret_server_key: server, super_secret_admin_key: admin } = keySet;
    return { projectId: made.id, keys: { client, server, admin }, ownerToken };
  }

  /** @returns the body @throws Error when it is a rejection: set-up that has to work */
  async function must(method: string, path: string, call: Call = {}): Promise<Answer['body']> {
    const answer = await send(method, path, call);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 200)}`);
    return answer.body;
  }

  async function signUp(project: Project, email = newEmail()): Promise<Person> {
    const password = newPassword();
    const body = { email, password, verification_callback_url: verificationUrl };
    const { user_id, access_token, refresh_token } = await must('POST', '/auth/password/sign-up', { ...project, body });
    return { email, password, userId: user_id, accessToken: access_token, refreshToken: refresh_token };
  }

  const signIn = (project: Project, { email, password }: Pick<Person, 'email' | 'password'>, call: Call = {}) =>
    send('POST', '/auth/password/sign-in', { ...project, body: { email, password }, ...call });

  const seen = new Set<string>();
  async function listMails(to: string): Promise<{ id: string; to: string[] }[]> {
    const { items } = await fetchJson<{ items: { id: string; to: string[] }[] }>(`${origin}/inbox/messages`);
    return items.filter((mail) => mail.to.includes(to));
  }
  async function readMail(id: string): Promise<Mail> {
    const { subject, text } = await fetchJson<{ subject: string; text: string }>(`${origin}/inbox/messages/${id}`);
    return { subject, text, code: /\/handler\/callback\?code=([0-9a-z]{45})/.exec(text)?.[1] ?? null };
  }

  /** The next mail to an address for which `isWanted`, each once; null when none comes. */
  async function nextMail(
    to: string,
    isWanted: (mail: Mail) => boolean,
    patienceMs = mailPatienceMs,
  ): Promise<Mail | null> {
    for (const end = Date.now() + patienceMs; Date.now() < end; await pause(lookMs)) {
      for (const { id } of (await listMails(to)).toReversed()) {
        if (seen.has(id)) continue;
        const mail = await readMail(id);
        if (!isWanted(mail)) continue;
        seen.add(id);
        return mail;
      }
    }
    return null;
  }

  /** The code of the next mail that has one. */
  async function nextCode(to: string): Promise<string> {
    const mail = await nextMail(to, ({ code }) => code !== null);
    if (!mail?.code) throw new Error('no email with a code arrived');
    return mail.code;
  }

  /** Signs up with a mailed code, so that the address is proven. */
  async function signInByCode(project: Project, email: string): Promise<Answer> {
    await must('POST', '/auth/otp/send-sign-in-code', { ...project, body: { email, callback_url: callbackUrl } });
    return send('POST', '/auth/otp/sign-in', { ...project, body: { code: await nextCode(email) } });
  }

  /** The true owner of an address proves it by a reset. @returns the new password */
  async function resetPassword(project: Project, email: string): Promise<string> {
    await must('POST', '/auth/password/send-reset-code', { ...project, body: { email, callback_url: callbackUrl } });
    const password = newPassword();
    await must('POST', '/auth/password/reset', { ...project, body: { code: await nextCode(email), password } });
    return password;
  }

  async function registerPasskey(project: Project, accessToken: string) {
    const authenticator = createAuthenticator();
    const begun = await must('POST', '/auth/passkey/initiate-passkey-registration', {
      ...project,
      as: accessToken,
      body: {},
    });
    const credential = authenticator.register(begun.options_json);
    await must('POST', '/auth/passkey/register', {
      ...project,
      as: accessToken,
      body: { credential, code: begun.code },
    });
    return authenticator;
  }

  async function signInByPasskey(
    project: Project,
    authenticator: ReturnType<typeof createAuthenticator>,
  ): Promise<Answer> {
    const begun = await must('POST', '/auth/passkey/initiate-passkey-authentication', { ...project, body: {} });
    const authentication_response = authenticator.authenticate(begun.options_json);
    return send('POST', '/auth/passkey/sign-in', { ...project, body: { authentication_response, code: begun.code } });
  }

  /** From the button to the app's redirect URL; `opened` is called with the callback before the browser goes there. */
  async function oauthCode(
    project: Project,
    person: { email: string; name: string },
    options: OAuthOptions = {},
  ): Promise<URL> {
    const { more = {}, provider = 'google', challenge = oauth.challenge, opened = async () => {} } = options;
    const query = new URLSearchParams({
      ...{
        client_id: project.projectId,
        client_secret: project.keys.client,
        redirect_uri: redirectUri,
        scope: 'legacy',
      },
      state: 'state-of-the-app',
      grant_type: 'authorization_code',
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      error_redirect_url: callbackUrl,
      ...more,
    });
    const headers = { 'x-forwarded-for': newAddress() };
    const begun = await fetch(`${origin}/api/v1/auth/oauth/authorize/${provider}?${query}`, {
      redirect: 'manual',
      headers,
    });
    const location = begun.headers.get('location');
    if (location === null) throw new Error(`authorize answered ${begun.status}: ${(await begun.text()).slice(0, 200)}`);
    const cookie = begun.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ');
    const back = await signInAtSimulator(new URL(location), person);
    await opened(back);
    const returned = await fetch(back, {
      redirect: 'manual',
      headers: { ...headers, ...(options.cookie === false ? {} : { cookie }) },
    });
    const after = returned.headers.get('location');
    if (after === null) throw new Error(`the callback answered ${returned.status}`);
    return new URL(after);
  }

  async function redeemOAuth(project: Project, code: string, changes: Record<string, string> = {}): Promise<Answer> {
    const { projectId: client_id, keys } = project;
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: oauth.verifier,
      client_id,
      client_secret: keys.client,
      ...changes,
    };
    return send('POST', '/auth/oauth/token', {
      ...project,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(form)}`,
    });
  }

  /** Whether an access token is accepted. */
  const isAlive = async (project: Project, accessToken: string) =>
    (await send('GET', '/users/me', { ...project, as: accessToken })).status === 200;

  const [a, b] = [await newProject(), await newProject()];
  return {
    origin,
    internalKeys,
    printed,
    raw,
    send,
    must,
    a,
    b,
    newProject,
    signUp,
    signIn,
    listMails,
    nextMail,
    nextCode,
    signInByCode,
    resetPassword,
    registerPasskey,
    signInByPasskey,
    oauthCode,
    redeemOAuth,
    isAlive,
    mustReject,
  };
}

type OAuthOptions = {
  more?: Record<string, string>;
  provider?: string;
  challenge?: string;
  opened?: (callback: URL) => Promise<void>;
  /** false: the browser has no cookie of ours. */
  cookie?: boolean;
};

const verifier = randomBytes(32).toString('base64url');
export const oauth = { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };

export const newEmail = (name = 'person') => `${name}-${randomBytes(6).toString('hex')}@example.com`;
export const newPassword = () => randomBytes(18).toString('base64url');

/** Addresses of the network for benchmarks (RFC 2544). */
export const newAddress = () => `198.${18 + ((randomBytes(1)[0] ?? 0) % 2)}.${[...randomBytes(2)].join('.')}`;

async function fetchJson<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return (await answer.json()) as T;
}
