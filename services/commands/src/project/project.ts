import type { TemplateVersion } from '@gatebook/domain/email/template-versions';
import { reject } from '@gatebook/domain/errors';
import type { ProjectConfig, ProjectSecrets, ProjectSettings } from '@gatebook/domain/project/config';
import { internalProjectId, type ProjectCommand, projectDecider } from '@gatebook/domain/project/decide';
import type { AuditExportFormat, UserExportFormat } from '@gatebook/domain/project/events';
import type { ActiveProject, EmailTemplate, ProjectDetails, ProjectState } from '@gatebook/domain/project/state';
import type { CommandResult, Context, UnitOfWorkDeps, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { type Limited, useQuota } from '../quota/quota.ts';
import { streamOf } from '../streams.ts';
import { findUser } from '../user/load-user.ts';
import { requireMemberOfOwnerTeam } from './ownership.ts';

/** Project fields that a caller may set. undefined: unchanged, or the default of a new project. */
export type ProjectInput = Partial<ProjectDetails> & {
  config?: Partial<ProjectConfig>;
  secrets?: Partial<ProjectSecrets>;
  settings?: Partial<ProjectSettings>;
};

/** `ownerTeamId`: the team of `internal` that owns the project, of which the creator is a member; else the creator. */
type NewProject = ProjectInput &
  Limited & { displayName: string; ownerUserId: string; ownerTeamId?: string | null | undefined };

/**
 * Creates a project with its first owner. `ctx.projectId` is the caller's project; the events belong to the new one.
 * @throws DomainError TEAM_MEMBERSHIP_NOT_FOUND, INVALID_SHARED_OAUTH_PROVIDER_ID, DEFAULT_PERMISSION_UNKNOWN,
 * QUOTA_EXCEEDED
 */
export async function createProject(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { ownerUserId, ownerTeamId = null, limit, ...input }: NewProject,
): Promise<CommandResult<{ projectId: string }>> {
  const [projectId, subjectId, at] = [deps.newId(), deps.newId(), deps.now()];
  const { displayName, description, isProductionMode, config, secrets, settings } = input;
  const { position } = await transact(deps, { ...ctx, projectId }, async (work) => {
    if (ownerTeamId !== null) await requireMemberOfOwnerTeam(work, ownerTeamId, ownerUserId);
    await useQuota(work, {
      projectId: ctx.projectId,
      quota: 'projectsPerOwner',
      limit,
      ownerId: ownerUserId,
      itemId: projectId,
      at,
    });
    const project = work.create(projectDecider, streamOf.project(projectId));
    project.decide({
      type: 'CreateProject',
      projectId,
      subjectId,
      details: { displayName, description, isProductionMode },
      config: config ?? {},
      secrets: secrets ?? {},
      settings: settings ?? {},
      at,
    });
    if (ownerTeamId === null) project.decide({ type: 'AddOwner', userId: ownerUserId, at });
    else project.decide({ type: 'TransferProject', teamId: ownerTeamId, at });
  });
  return { projectId, position };
}

/**
 * Changes the given fields of the project `ctx.projectId`. Its OpenID providers stay as they are.
 * @throws DomainError PROJECT_NOT_FOUND, INVALID_SHARED_OAUTH_PROVIDER_ID, DEFAULT_PERMISSION_UNKNOWN
 */
export async function updateProject(deps: WriteDeps, ctx: Context, input: ProjectInput): Promise<CommandResult> {
  const { config, secrets, settings, ...details } = input;
  const at = deps.now();
  const commands: ProjectCommand[] = [{ type: 'ChangeDetails', details, at }];
  if (config || secrets) {
    commands.push({
      type: 'ChangeConfig',
      config: config ?? {},
      secrets: secrets ?? {},
      keepsOpenIdProviders: true,
      at,
    });
  }
  if (settings) commands.push({ type: 'ChangeSettings', settings, at });
  return decideOnProject(deps, ctx, commands);
}

/**
 * Makes a user of `internal` an owner of the project `ctx.projectId`.
 * @throws DomainError USER_NOT_FOUND (also for an anonymous user), PROJECT_NOT_FOUND
 */
export async function addOwner(deps: WriteDeps, ctx: Context, { userId }: { userId: string }): Promise<CommandResult> {
  const user = await findUser(deps, { ...ctx, projectId: internalProjectId }, userId);
  if (user.isAnonymous) reject('USER_NOT_FOUND');
  const at = deps.now();
  return decideOnProject(deps, ctx, [{ type: 'AddOwner', userId, at }]);
}

/** Reads the project from the log; null when it does not exist or is deleted. */
export async function findActiveProject(
  { store }: Pick<WriteDeps, 'store'>,
  projectId: string,
): Promise<ActiveProject | null> {
  const { state } = await readState(store, projectDecider, streamOf.project(projectId));
  return state.status === 'active' ? state : null;
}

/**
 * Changes a version of the template of one type of email. Missing parts do not change.
 * @throws DomainError PROJECT_NOT_FOUND
 */
export async function changeEmailTemplate(
  deps: WriteDeps,
  ctx: Context,
  template: TemplateVersion & {
    subject?: string | undefined;
    content?: EmailTemplate['content'] | undefined;
  },
): Promise<CommandResult> {
  const at = deps.now();
  return decideOnProject(deps, ctx, [{ type: 'ChangeEmailTemplate', ...template, at }]);
}

/**
 * Removes an edited version of a template.
 * @throws DomainError PROJECT_NOT_FOUND, EMAIL_TEMPLATE_ALREADY_DEFAULT
 */
export async function resetEmailTemplate(
  deps: WriteDeps,
  ctx: Context,
  { templateType, language }: TemplateVersion,
): Promise<CommandResult> {
  const at = deps.now();
  return decideOnProject(deps, ctx, [{ type: 'ResetEmailTemplate', templateType, language, at }]);
}

export async function decideOnProject(
  deps: WriteDeps,
  ctx: Context,
  commands: readonly ProjectCommand[],
): Promise<CommandResult<{ state: ProjectState }>> {
  const { result, position } = await transact(deps, ctx, async (work) => {
    const project = await work.load(projectDecider, streamOf.project(ctx.projectId));
    for (const command of commands) project.decide(command);
    return project.state;
  });
  return { state: result, position };
}

/** Records that a client is about to write users to a file. @throws DomainError PROJECT_NOT_FOUND */
export async function recordUserExport(
  deps: WriteDeps,
  ctx: Context,
  { format, filters }: { format: UserExportFormat; filters: readonly string[] },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await decideOnProject(deps, ctx, [{ type: 'ExportUsers', format, filters, at }]);
  return { position };
}

/** Records that the audit log is about to be exported. @throws DomainError PROJECT_NOT_FOUND */
export async function recordAuditExport(
  deps: WriteDeps,
  ctx: Context,
  { format, filters }: { format: AuditExportFormat; filters: readonly string[] },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await decideOnProject(deps, ctx, [{ type: 'ExportAuditLog', format, filters, at }]);
  return { position };
}
