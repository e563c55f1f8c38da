import {
  defaultProjectConfig,
  defaultProjectSettings,
  noProjectSecrets,
  sharedProviderIds,
} from '@gatebook/domain/project/config';
import { internalProjectId, projectDecider } from '@gatebook/domain/project/decide';
import { projectKeyDecider } from '@gatebook/domain/project-key/decide';
import { type Context, metadataOf, type WriteDeps } from './deps.ts';
import { readState, transact } from './execute.ts';
import { executeOnKey, hashTexts, type KeyTexts } from './project-key.ts';
import { streamOf } from './streams.ts';

/** The one key set of `internal`; its texts come from the configuration. */
const internalKeyId = '00000000-0000-4000-8000-00000000c0de';
/** In practice never (protocol, projects §4). */
const farExpiry = '2099-12-31T23:59:59.000Z';
const handlerPath = '/handler';

export const systemContext: Context = {
  projectId: internalProjectId,
  actor: { kind: 'system', id: null },
  requestId: 'start',
  ip: null,
  userAgent: null,
};

export type Seed = {
  keys: KeyTexts;
  isSignUpOpen: boolean;
  /** Origin of the dashboard: trusted by `internal`, unless it is localhost, which is allowed anyway. */
  dashboardUrl: string;
};

/** Brings the project `internal` and its keys to what the configuration says. A second start with the same appends nothing. */
export async function seedInternalProject(deps: WriteDeps, seed: Seed): Promise<{ position: bigint | null }> {
  const project = await seedProject(deps, seed);
  const key = await seedKey(deps, seed.keys);
  return { position: key.position ?? project.position };
}

async function seedProject(
  deps: WriteDeps,
  { isSignUpOpen, dashboardUrl }: Seed,
): Promise<{ position: bigint | null }> {
  const [subjectId, at] = [deps.newId(), deps.now()];
  const isLocal = new URL(dashboardUrl).hostname === 'localhost';
  return transact(deps.store, metadataOf(systemContext, at), async ({ load }) => {
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
          ...defaultProjectConfig,
          magicLinkEnabled: true,
          oauthProviders: sharedProviderIds.map((id) => ({ id, type: 'shared' })),
        },
        secrets: noProjectSecrets,
        settings: { ...defaultProjectSettings, anonymousSignUpEnabled: true },
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
        allowLocalhost: true,
        domains: isTrusted ? trusted : [...trusted, { domain: dashboardUrl, handlerPath }],
      },
      secrets: {},
      at,
    });
  });
}

async function seedKey(deps: WriteDeps, texts: KeyTexts): Promise<{ position: bigint | null }> {
  const at = deps.now();
  const parts = { ...hashTexts(deps, texts), at };
  const { state } = await readState(deps.store, projectKeyDecider, streamOf.projectKey(internalKeyId));
  const command =
    state.status === 'absent'
      ? ({
          type: 'CreateProjectKey',
          keyId: internalKeyId,
          description: 'From the configuration',
          expiresAt: farExpiry,
        } as const)
      : ({ type: 'ReplaceProjectKey' } as const);
  return executeOnKey(deps, systemContext, internalKeyId, { ...command, projectId: internalProjectId, ...parts });
}
