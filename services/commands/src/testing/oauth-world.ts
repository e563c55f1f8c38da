import type { ProjectConfig } from '@gatebook/domain/project/config';
import type { WriteDeps } from '../deps.ts';
import { beginOAuth, findAuthorizationRequest, finishOAuth } from '../oauth/authorization-request.ts';
import { redeemOAuthCode } from '../oauth/oauth-code.ts';
import { createProject } from '../project/project.ts';
import { type ProviderAnswer, providerAnswer } from './oauth.ts';
import { testProject } from './people.ts';
import { contextOf, createWorld } from './world.ts';

const github = { id: 'github', type: 'standard', clientId: 'gh-client' } as const;
export const config: Partial<ProjectConfig> = { oauthProviders: [github, { id: 'google', type: 'shared' }] };
export const project = { ...testProject, config: { ...testProject.config, ...config } };
export const redirectUri = 'http://localhost:3000/callback';
const verifierOfApp = 'the-verifier-of-the-app';
export const email = 'ann@example.com';
export const ann: ProviderAnswer = { accountId: 'ann', email, isEmailVerified: true, displayName: 'Ann' };

/** A project with providers, and the steps of a sign-in there. */
export async function withProvider() {
  const world = await createWorld();
  const { deps } = world;
  const secrets = { oauthClientSecrets: { github: 'gh-secret' } };
  const made = { displayName: 'Shop', ownerUserId: deps.newId(), config, secrets };
  const ctx = contextOf((await createProject(deps, contextOf('internal'), made)).projectId);
  const callbackUrl = 'http://localhost:8102/callback';
  const begin = (changes: Partial<Parameters<typeof beginOAuth>[2]> = {}) =>
    beginOAuth(deps, ctx, {
      purpose: { type: 'authenticate' },
      provider: 'github',
      extraScopes: [],
      codeChallenge: deps.sha256(verifierOfApp),
      codeChallengeMethod: 'S256',
      redirectUri,
      state: 'app-state',
      errorRedirectUrl: null,
      afterCallbackRedirectUrl: null,
      callbackUrl,
      ...changes,
    });
  const finish = async (state: string, answer: ProviderAnswer, by: WriteDeps = deps) =>
    finishOAuth(by, ctx, {
      open: await findAuthorizationRequest(deps, state),
      project,
      callbackUrl,
      parameters: new URLSearchParams({ state, code: providerAnswer(answer) }),
    });
  /** As far as the app's own page: the code in its address. */
  const codeFor = async (answer: ProviderAnswer, changes: Parameters<typeof begin>[0] = {}) => {
    const { location } = await finish((await begin(changes)).state, answer);
    return new URL(location).searchParams.get('code') ?? '';
  };
  const redeem = (code: string, { by = deps, verifier = verifierOfApp, uri = redirectUri } = {}) =>
    redeemOAuthCode(by, ctx, { project, code, verifier, redirectUri: uri });
  const signIn = async (answer: ProviderAnswer, changes: Parameters<typeof begin>[0] = {}) => {
    const redeemed = await redeem(await codeFor(answer, changes));
    if (redeemed.outcome !== 'signed_in') throw new Error(redeemed.outcome);
    return redeemed;
  };
  return { ...world, ctx, begin, finish, codeFor, redeem, signIn };
}
