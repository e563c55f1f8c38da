import { sharedProviderIds } from '@gatebook/domain/project/config';
import { internalProjectId, projectDecider } from '@gatebook/domain/project/decide';
import { isLocalhost } from '@gatebook/domain/project/trusted-urls';
import { projectKeyDecider } from '@gatebook/domain/project-key/decide';
import { areSameParts } from '@gatebook/domain/project-key/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { hashTexts, type KeyTexts } from '../project-key/project-key.ts';
import { streamOf } from '../streams.ts';

/** IDs of the key sets of `internal` with configured texts: the next ID is used once the previous set is revoked. */
const internalKeyId = (nth: number) => `00000000-0000-4000-8000-${(0xc0de + nth).toString(16).padStart(12, '0')}`;
/** Practically never (protocol, projects §4). */
const farExpiry = '2099-12-31T23:59:59.000Z';
const description = 'From the configuration';
const handlerPath = '/handler';

/** The context of what a start does by itself. Each start is its own action. */
export const startContext = ({ newId }: Pick<WriteDeps, 'newId'>): Context => ({
  projectId: internalProjectId,
  actor: { kind: 'system', id: null },
  requestId: `start ${newId()}`,
});

export type Seed = {
  keys: KeyTexts;
  isSignUpOpen: boolean;
  /** Origin of the dashboard, trusted by `internal`. Localhost is allowed only if this is localhost. */
  dashboardUrl: string;
};

/**
 * Applies the configuration to the project `internal` and its keys. Appends nothing if the configuration has not
 * changed.
 * @returns `areKeysRevoked`: an owner has revoked these key texts; they stay revoked until the configuration has others
 */
export async function seedInternalProject(
  deps: WriteDeps,
  seed: Seed,
): Promise<CommandResult<{ areKeysRevoked: boolean }>> {
  const ctx = startContext(deps);
  const project = await seedProject(deps, ctx, seed);
  const keys = await seedKeys(deps, ctx, seed.keys);
  return { areKeysRevoked: keys.result === 'revoked', position: keys.position ?? project.position };
}

async function seedProject(
  deps: WriteDeps,
  ctx: Context,
  { isSignUpOpen, dashboardUrl }: Seed,
): Promise<{ position: bigint | null }> {
  const [subjectId, at] = [deps.newId(), deps.now()];
  const isLocal = isLocalhost(new URL(dashboardUrl).hostname);
  return transact(deps, ctx, async ({ load }) => {
    const project = await load(projectDecider, streamOf.project(internalProjectId));
    if (project.state.status === 'absent') {
      project.decide({
        type: 'CreateProject',
        projectId: internalProjectId,
        subjectId,
        details: {
          displayName: 'Gatebook Dashboard',
          description: 'The project whose users own all other projects.',
          isProductionMode: false,
        },
        config: {
          magicLinkEnabled: true,
          passkeyEnabled: true,
          oauthProviders: sharedProviderIds.map((id) => ({ id, type: 'shared' })),
        },
        secrets: {},
        // Owners of projects have access to all of their users, and the dashboard supports reauthentication.
        settings: { reauthenticationRequired: true, keylessClientsAllowed: false },
        at,
      });
    }
    const trusted = project.state.status === 'active' ? project.state.config.domains : [];
    const isTrusted = isLocal || trusted.some(({ domain }) => domain === dashboardUrl);
    project.decide({
      type: 'ChangeConfig',
      config: {
        signUpEnabled: isSignUpOpen,
        magicLinkEnabled: true,
        allowLocalhost: isLocal,
        domains: isTrusted ? trusted : [...trusted, { domain: dashboardUrl, handlerPath }],
      },
      secrets: {},
      at,
    });
    // Anonymous users sign up without any credential: a closed installation must not admit them.
    project.decide({ type: 'ChangeSettings', settings: { anonymousSignUpEnabled: isSignUpOpen }, at });
  });
}

async function seedKeys(deps: WriteDeps, ctx: Context, texts: KeyTexts) {
  const parts = hashTexts(deps, texts);
  const at = deps.now();
  return transact(deps, ctx, async ({ load }): Promise<'active' | 'revoked'> => {
    for (let nth = 0; ; nth += 1) {
      const keyId = internalKeyId(nth);
      const set = await load(projectKeyDecider, streamOf.projectKey(keyId));
      const { state } = set;
      const command = { projectId: internalProjectId, ...parts, at };
      if (state.status === 'revoked') {
        if (areSameParts(state.parts, parts)) return 'revoked';
        continue;
      }
      if (state.status === 'active') set.decide({ type: 'ReplaceProjectKey', ...command });
      else set.decide({ type: 'CreateProjectKey', keyId, description, expiresAt: farExpiry, ...command });
      return 'active';
    }
  });
}
