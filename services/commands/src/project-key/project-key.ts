import { type ProjectKeyCommand, projectKeyDecider } from '@gatebook/domain/project-key/decide';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, transact } from '../execute.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';

/** Complete key texts; null for a key that the set does not have. */
export type KeyTexts = {
  publishableClientKey: string | null;
  secretServerKey: string | null;
  superSecretAdminKey: string | null;
};
type HashedKey = { hash: string; lastFour: string } | null;

/**
 * Creates a key set for the project `ctx.projectId`. Its texts are only in this result. @throws DomainError
 * QUOTA_EXCEEDED
 */
export async function createProjectKey(
  deps: WriteDeps,
  ctx: Context,
  input: Limited & {
    description: string;
    expiresAt: string;
    hasPublishableClientKey: boolean;
    hasSecretServerKey: boolean;
    hasSuperSecretAdminKey: boolean;
  },
): Promise<CommandResult<{ keyId: string; createdAt: string; texts: KeyTexts }>> {
  const [keyId, at] = [deps.newId(), deps.now()];
  const generateText = (isWanted: boolean, prefix: string) => (isWanted ? `${prefix}_${deps.randomCode()}` : null);
  const texts = {
    publishableClientKey: generateText(input.hasPublishableClientKey, 'pck'),
    secretServerKey: generateText(input.hasSecretServerKey, 'ssk'),
    superSecretAdminKey: generateText(input.hasSuperSecretAdminKey, 'sak'),
  };
  const { description, expiresAt } = input;
  const { projectId } = ctx;
  const set = { keyId, projectId, description, expiresAt, ...hashTexts(deps, texts), at };
  const { position } = await transact(deps, ctx, async (work) => {
    await useQuota(work, { quota: 'projectKeys', limit: input.limit, ownerId: projectId, itemId: keyId, at });
    work.create(projectKeyDecider, streamOf.projectKey(keyId)).decide({ type: 'CreateProjectKey', ...set });
  });
  return { keyId, createdAt: at, texts, position };
}

/** @throws DomainError API_KEY_NOT_FOUND, also for a key of another project */
export function describeProjectKey(
  deps: WriteDeps,
  ctx: Context,
  input: { keyId: string; description: string },
): Promise<CommandResult> {
  const { keyId, description } = input;
  return executeOnKey(deps, ctx, keyId, {
    type: 'DescribeProjectKey',
    projectId: ctx.projectId,
    description,
    at: deps.now(),
  });
}

/**
 * Revokes a key set for good. Revoking again does nothing. @throws DomainError API_KEY_NOT_FOUND, also for a key of
 * another project
 */
export function revokeProjectKey(deps: WriteDeps, ctx: Context, { keyId }: { keyId: string }): Promise<CommandResult> {
  return executeOnKey(deps, ctx, keyId, { type: 'RevokeProjectKey', projectId: ctx.projectId, at: deps.now() });
}

export function executeOnKey(
  deps: WriteDeps,
  ctx: Context,
  keyId: string,
  command: ProjectKeyCommand,
): Promise<CommandResult> {
  return execute(deps, ctx, projectKeyDecider, streamOf.projectKey(keyId), command);
}

export function hashTexts(
  { sha256 }: Pick<WriteDeps, 'sha256'>,
  texts: KeyTexts,
): { publishableClientKey: HashedKey; secretServerKey: HashedKey; superSecretAdminKey: HashedKey } {
  const hashText = (text: string | null) => (text === null ? null : { hash: sha256(text), lastFour: text.slice(-4) });
  return {
    publishableClientKey: hashText(texts.publishableClientKey),
    secretServerKey: hashText(texts.secretServerKey),
    superSecretAdminKey: hashText(texts.superSecretAdminKey),
  };
}
