import { GatebookClientApp, gatebookInternals } from '@gatebook/js';

/** A configuration as a document, for `project.pushConfig`. */
export type StackConfig = Readonly<Record<string, unknown>> | 'show-onboarding';

export const defineStackConfig = <const Config extends StackConfig>(config: Config): Config => config;

type PagePrompt = { title: string; fullPrompt: string; upgradePrompt: string | null; latestVersion: number };

/** Prompts for code generators. Pages of Gatebook have none. */
export const getPagePrompt = (_pageName: string, _currentVersion?: number): PagePrompt | null => null;

type ConvexProvider = { type: 'customJwt'; issuer: URL; jwks: URL; algorithm: 'ES256' };

/** For `auth.config.ts` of Convex. Without `baseUrl`, it comes from the environment. */
export function getConvexProvidersConfig(options: { baseUrl?: string; projectId: string }): ConvexProvider[] {
  const { baseUrl, projectId } = new GatebookClientApp({ ...options, tokenStore: null })[gatebookInternals].server;
  const issuer = `${baseUrl}/api/v1/projects/${projectId}`;
  const jwks = new URL(`${issuer}/.well-known/jwks.json`);
  return [{ type: 'customJwt', issuer: new URL(issuer), jwks, algorithm: 'ES256' }];
}
