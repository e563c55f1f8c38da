import { createHash } from 'node:crypto';
import { type ProviderAnswer, providerAnswer } from '@gatebook/commands/testing/oauth';
import { expect } from 'vitest';
import type { TestApi } from './api.ts';
import { expectDeclared } from './declared-errors.ts';
import { type Answer, createProject, newEmail, type OwnedProject, senderOf } from './requests.ts';

export const redirectUri = 'http://localhost:3000/handler/oauth-callback';
export const errorUrl = 'http://localhost:3000/handler/error';
export const verifier = 'verifier-of-the-app-that-is-long-enough-for-it';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

type StartedRequest = { location: URL; cookie: string; state: string };

/** A browser that signs in at a provider, one step at a time. Nothing is sent but what browsers send. */
export function browserOf({ app }: Pick<TestApi, 'app'>, project: OwnedProject) {
  const outer = {
    client_id: project.projectId,
    client_secret: project.keys.client,
    redirect_uri: redirectUri,
    scope: 'legacy',
    state: 'state-of-the-app',
    grant_type: 'authorization_code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    response_type: 'code',
    error_redirect_url: errorUrl,
  };

  async function open(method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}, payload?: string) {
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
    expectDeclared(method, url, answer);
    const text = answer.body;
    const isJson = String(answer.headers['content-type']).startsWith('application/json') && text !== '';
    return { status: answer.statusCode, body: isJson ? JSON.parse(text) : text, text, headers: answer.headers };
  }

  /** Parameters that are undefined are left out. */
  const authorize = (provider: string, changes: Record<string, string | undefined> = {}): Promise<Answer> => {
    const given = Object.entries({ ...outer, ...changes }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    return open('GET', `/api/v1/auth/oauth/authorize/${provider}?${new URLSearchParams(given)}`);
  };

  /** Up to the provider's own page. */
  const begin = async (provider: string, changes: Record<string, string | undefined> = {}): Promise<StartedRequest> =>
    atProvider(await authorize(provider, changes));

  const atProvider = (answer: Answer): StartedRequest => {
    expect([answer.status, answer.text]).toEqual([307, '']);
    const location = new URL(String(answer.headers.location));
    const state = location.searchParams.get('state') ?? '';
    const cookie = `stack-oauth-inner-${state}=true`;
    expect(String(answer.headers['set-cookie']).split(';')[0]).toBe(cookie);
    return { location, cookie, state };
  };

  /** What a script gets to send the browser to; and that browser, as far as the provider's own page. */
  const follow = async (address: string): Promise<StartedRequest> => {
    const { pathname, search } = new URL(address);
    return atProvider(await open('GET', `${pathname}${search}`));
  };

  const comeBack = (
    provider: string,
    { cookie, state }: StartedRequest,
    answer: ProviderAnswer | Record<'error', string>,
  ) => {
    const told = 'error' in answer ? answer : { code: providerAnswer(answer) };
    return open('GET', `/api/v1/auth/oauth/callback/${provider}?${new URLSearchParams({ ...told, state })}`, {
      cookie,
    });
  };

  const redeem = (code: string, changes: Record<string, string | undefined> = {}) => {
    const { client_id, client_secret } = outer;
    const body = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const given = Object.entries({ client_id, client_secret, ...body, ...changes }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return open('POST', '/api/v1/auth/oauth/token', headers, `${new URLSearchParams(given)}`);
  };

  /** From the button to the app's own page: the code in its address. */
  const codeFor = async (
    provider: string,
    answer: ProviderAnswer,
    changes: Record<string, string | undefined> = {},
  ) => {
    const back = await comeBack(provider, await begin(provider, changes), answer);
    expect([back.status, back.text]).toEqual([303, '{}']);
    const location = new URL(String(back.headers.location));
    expect(location.searchParams.get('state')).toBe(outer.state);
    return location.searchParams.get('code') ?? '';
  };

  /** All the way: what the app gets for the code. */
  const signIn = async (provider: string, answer: ProviderAnswer, changes: Record<string, string | undefined> = {}) => {
    const answered = await redeem(await codeFor(provider, answer, changes));
    expect(answered.status).toBe(200);
    return answered.body;
  };

  return { open, authorize, begin, follow, comeBack, codeFor, redeem, signIn };
}

/** What the app's error page receives. */
export function toldError(answer: Answer): { status: number; code: string | null; details: unknown } {
  const location = new URL(String(answer.headers.location));
  expect(`${location.origin}${location.pathname}`).toBe(errorUrl);
  expect(location.searchParams.get('message')).toBeTruthy();
  const details = JSON.parse(location.searchParams.get('details') ?? 'null');
  return { status: answer.status, code: location.searchParams.get('errorCode'), details };
}

const github = { id: 'github', type: 'standard', client_id: 'gh-client', client_secret: 'gh-secret' };
export const providers = [{ id: 'google', type: 'shared' }, github, { ...github, id: 'apple' }];

/** Projects with a shared provider and two of their own, each with a browser. */
export const projectsOf = (api: TestApi) => {
  const send = senderOf(api);
  return async (config: Record<string, unknown> = {}) => {
    const project = await createProject(send, { config: { oauth_providers: providers, ...config } });
    return { project, ...browserOf(api, project) };
  };
};

let people = 0;
/** Somebody new at a provider. */
export function newPerson(changes: Record<string, unknown> = {}) {
  people += 1;
  return { accountId: `account-${people}`, email: newEmail(), isEmailVerified: true, ...changes };
}
