import { reject } from '@gatebook/domain/errors';
import { projectDecider } from '@gatebook/domain/project/decide';
import { type WebhookChange, type WebhookCommand, webhookDecider } from '@gatebook/domain/webhook/decide';
import type { WebhookDisabledReason, WebhookEvent } from '@gatebook/domain/webhook/events';
import type { ActiveWebhookEndpoint, WebhookValues } from '@gatebook/domain/webhook/state';
import { webhookSecret } from '@gatebook/runtime/ids';
import type { CommandResult, Context, UnitOfWorkDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';

type StartAfter = Extract<WebhookEvent, { type: 'WebhookEndpointCreated' }>['data']['startAfter'];
type NewEndpoint = Limited & { values: WebhookValues; isEnabled: boolean; startAfter: StartAfter };
export type CreatedEndpoint = { endpointId: string; secret: string; createdAt: string };
/** The endpoint after the command. */
export type ChangedEndpoint = { endpoint: ActiveWebhookEndpoint };
type OfEndpoint = { endpointId: string };

/**
 * Creates an endpoint of the project `ctx.projectId`. `startAfter`: null for what happens from now on.
 * @throws DomainError QUOTA_EXCEEDED, PROJECT_NOT_FOUND
 */
export async function createWebhookEndpoint(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { values, isEnabled, startAfter, limit }: NewEndpoint,
): Promise<CommandResult<CreatedEndpoint>> {
  const { projectId } = ctx;
  const [endpointId, at, secret] = [deps.newId(), deps.now(), webhookSecret()];
  const { position } = await transact(deps, ctx, async (work) => {
    const { state: project } = await work.load(projectDecider, streamOf.project(projectId));
    if (project.status !== 'active') return reject('PROJECT_NOT_FOUND', { project_id: projectId });
    await useQuota(work, { quota: 'webhookEndpoints', limit, ownerId: projectId, itemId: endpointId, at });
    work.create(webhookDecider, streamOf.webhook(endpointId)).decide({
      ...{ type: 'CreateEndpoint', endpointId, projectId, subjectId: project.subjectId },
      ...{ ...values, types: values.types && [...values.types] },
      ...{ secrets: [{ secret, expiresAt: null }], isEnabled, startAfter, at },
    });
  });
  return { endpointId, secret, createdAt: at, position };
}

/** Undefined fields do not change. @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND */
export function updateWebhookEndpoint(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { endpointId, change, isEnabled }: OfEndpoint & { change: WebhookChange; isEnabled?: boolean | undefined },
): Promise<CommandResult<ChangedEndpoint>> {
  const of = { projectId: ctx.projectId, at: deps.now() };
  const commands: WebhookCommand[] = [{ type: 'UpdateEndpoint', ...of, change }];
  if (isEnabled === true) commands.push({ type: 'EnableEndpoint', ...of });
  if (isEnabled === false) commands.push({ type: 'DisableEndpoint', ...of, reason: 'manual' });
  return decideOnEndpoint(deps, ctx, endpointId, commands);
}

/** An endpoint that is disabled keeps its first reason. @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND */
export function disableWebhookEndpoint(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { endpointId, reason }: OfEndpoint & { reason: WebhookDisabledReason },
): Promise<CommandResult<ChangedEndpoint>> {
  const command = { type: 'DisableEndpoint', projectId: ctx.projectId, reason, at: deps.now() } as const;
  return decideOnEndpoint(deps, ctx, endpointId, [command]);
}

/**
 * Makes a new secret. Earlier ones also sign deliveries for `overlapMs`. @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND
 */
export async function rotateWebhookSecret(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { endpointId, overlapMs }: OfEndpoint & { overlapMs: number },
): Promise<CommandResult<{ secret: string; previousExpiresAt: string }>> {
  const [secret, at] = [webhookSecret(), deps.now()];
  const previousExpiresAt = new Date(Date.parse(at) + overlapMs).toISOString();
  const { projectId } = ctx;
  const command = { type: 'RotateSecret', projectId, secret, previousExpiresAt, at } as const;
  const { position } = await decideOnEndpoint(deps, ctx, endpointId, [command]);
  return { secret, previousExpiresAt, position };
}

/** Records that an admin sees the current secret. @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND */
export function readWebhookSecret(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { endpointId }: OfEndpoint,
): Promise<CommandResult<ChangedEndpoint>> {
  const command = { type: 'ReadSecret', projectId: ctx.projectId, at: deps.now() } as const;
  return decideOnEndpoint(deps, ctx, endpointId, [command]);
}

/** @throws DomainError WEBHOOK_ENDPOINT_NOT_FOUND */
export async function deleteWebhookEndpoint(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { endpointId }: OfEndpoint,
): Promise<CommandResult> {
  const command = { type: 'DeleteEndpoint', projectId: ctx.projectId, at: deps.now() } as const;
  const { position } = await transact(deps, ctx, async (work) => {
    (await work.load(webhookDecider, streamOf.webhook(endpointId))).decide(command);
  });
  return { position };
}

async function decideOnEndpoint(
  deps: UnitOfWorkDeps,
  ctx: Context,
  endpointId: string,
  commands: readonly WebhookCommand[],
): Promise<CommandResult<ChangedEndpoint>> {
  const { result, position } = await transact(deps, ctx, async (work) => {
    const endpoint = await work.load(webhookDecider, streamOf.webhook(endpointId));
    for (const command of commands) endpoint.decide(command);
    return endpoint.state.status === 'active' ? endpoint.state : reject('WEBHOOK_ENDPOINT_NOT_FOUND');
  });
  return { endpoint: result, position };
}
