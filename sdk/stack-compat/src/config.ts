/** A configuration as a document, for `project.pushConfig`. */
export type StackConfig = Readonly<Record<string, unknown>> | 'show-onboarding';

export const defineStackConfig = <const Config extends StackConfig>(config: Config): Config => config;

type ConvexProvider = { type: 'customJwt'; issuer: URL; jwks: URL; algorithm: 'ES256' };

/** For `auth.config.ts` of Convex. */
export function getConvexProvidersConfig({
  baseUrl,
  projectId,
}: {
  baseUrl: string;
  projectId: string;
}): ConvexProvider[] {
  const issuer = `${baseUrl.replace(/\/$/, '')}/api/v1/projects/${projectId}`;
  const jwks = new URL(`${issuer}/.well-known/jwks.json`);
  return [{ type: 'customJwt', issuer: new URL(issuer), jwks, algorithm: 'ES256' }];
}
