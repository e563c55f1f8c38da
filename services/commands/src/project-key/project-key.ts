import { reject } from '@gatebook/domain/errors';
import { type ProjectKeyCommand, projectKeyDecider } from '@gatebook/domain/project-key/decide';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { execute, transact, type UnitOfWork } from '../execute.ts';
import { endOfOverlap } from '../key-rotation.ts';
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
  const texts = generateTexts(deps, {
    publishableClientKey: input.hasPublishableClientKey,
    secretServerKey: input.hasSecretServerKey,
    superSecretAdminKey: input.hasSuperSecretAdminKey,
  });
  const { description, expiresAt, limit } = input;
  const { position } = await transact(deps, ctx, (work) =>
    addKeySet(work, { keyId, description, expiresAt, texts, limit, at }),
  );
  return { keyId, createdAt: at, texts, position };
}

/**
 * Creates a key set with the kinds and the description of another one, which ends at `oldExpiresAt` if it would end
 * later. @throws DomainError API_KEY_NOT_FOUND, also for a revoked key or one of another project, QUOTA_EXCEEDED
 */
export async function rotateProjectKey(
  deps: WriteDeps,
  ctx: Context,
  input: Limited & { keyId: string; expiresAt: string; oldExpiresAt: string },
): Promise<CommandResult<{ keyId: string; description: string; createdAt: string; texts: KeyTexts }>> {
  const [keyId, at] = [deps.newId(), deps.now()];
  const { expiresAt, limit } = input;
  const { result, position } = await transact(deps, ctx, async (work) => {
    const old = await work.load(projectKeyDecider, streamOf.projectKey(input.keyId));
    if (old.state.status !== 'active' || old.state.projectId !== ctx.projectId) return reject('API_KEY_NOT_FOUND');
    const { parts, description } = old.state;
    const texts = generateTexts(deps, {
      publishableClientKey: parts.publishableClientKey !== null,
      secretServerKey: parts.secretServerKey !== null,
      superSecretAdminKey: parts.superSecretAdminKey !== null,
    });
    await addKeySet(work, { keyId, description, expiresAt, texts, limit, at });
    const endsAt = endOfOverlap(old.state.expiresAt, input.oldExpiresAt);
    old.decide({ type: 'ChangeProjectKeyExpiry', projectId: ctx.projectId, expiresAt: endsAt, at });
    return { description, texts };
  });
  return { keyId, createdAt: at, ...result, position };
}

type KeySet = Limited & { keyId: string; description: string; expiresAt: string; texts: KeyTexts; at: string };

async function addKeySet(work: UnitOfWork, { texts, limit, ...set }: KeySet): Promise<void> {
  const { projectId } = work.ctx;
  const { keyId, at } = set;
  await useQuota(work, { quota: 'projectKeys', limit, ownerId: projectId, itemId: keyId, at });
  const hashed = { projectId, ...set, ...hashTexts(work.deps, texts) };
  work.create(projectKeyDecider, streamOf.projectKey(keyId)).decide({ type: 'CreateProjectKey', ...hashed });
}

function generateTexts(
  { randomCode }: Pick<WriteDeps, 'randomCode'>,
  wanted: Readonly<Record<keyof KeyTexts, boolean>>,
): KeyTexts {
  const generate = (isWanted: boolean, prefix: string) => (isWanted ? `${prefix}_${randomCode()}` : null);
  return {
    publishableClientKey: generate(wanted.publishableClientKey, 'pck'),
    secretServerKey: generate(wanted.secretServerKey, 'ssk'),
    superSecretAdminKey: generate(wanted.superSecretAdminKey, 'sak'),
  };
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

function executeOnKey(
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
