import { initialPermissions } from '@gatebook/domain/permission/definition';
import { defaultProjectConfig, type ProjectConfig } from '@gatebook/domain/project/config';
import type { Context, WriteDeps } from '../deps.ts';
import { signUpWithPassword } from '../password/password.ts';
import type { ProjectFacts } from '../project/project-facts.ts';

/** A project with every method on, which allows localhost. */
export const testProject: ProjectFacts = {
  displayName: 'Shop',
  permissions: initialPermissions,
  config: { ...defaultProjectConfig, magicLinkEnabled: true, passkeyEnabled: true },
};

export const callbackUrl = 'http://localhost:3000/handler/callback';

type SignUp = { email: string; password: string; config?: Partial<ProjectConfig>; anonymousUserId?: string | null };

/** Signs up with a password, with defaults for everything else. */
export function signUp(deps: WriteDeps, ctx: Context, { config, anonymousUserId = null, ...credentials }: SignUp) {
  const project = { ...testProject, config: { ...testProject.config, ...config } };
  return signUpWithPassword(deps, ctx, {
    ...credentials,
    project,
    verificationCallbackUrl: callbackUrl,
    anonymousUserId,
  });
}
