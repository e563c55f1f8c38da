import type { ProjectConfig } from '@gatebook/domain/project/config';
import type { UserCommand } from '@gatebook/domain/user/decide';
import { checkPasswordLength } from '@gatebook/domain/user/password';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { loadMember } from '../team/team-permissions.ts';
import { decideOnUser } from './decide-on-user.ts';
import { findUser } from './load-user.ts';
import { checkPasswordInput, toAdminFieldCommands, type UserInput } from './user-input.ts';

type SignInMethods = Pick<ProjectConfig, 'credentialEnabled' | 'magicLinkEnabled'>;

/**
 * Changes the given fields in one append (protocol, resources §1.3, §1.5, §1.6).
 * @throws DomainError PASSWORD_TOO_LONG, USER_NOT_FOUND, EMAIL_FLAG_WITHOUT_EMAIL, PASSWORD_METHOD_DISABLED,
 * PASSWORD_REQUIRES_PRIMARY_EMAIL, OTP_METHOD_DISABLED, USER_EMAIL_ALREADY_EXISTS, TEAM_MEMBERSHIP_NOT_FOUND
 */
export async function updateUser(
  deps: WriteDeps,
  ctx: Context,
  { userId, project, ...input }: UserInput & { userId: string; project: ProjectFacts },
): Promise<CommandResult> {
  checkPasswordInput(input);
  const passwordHash =
    typeof input.password === 'string'
      ? await hashForUser(deps, ctx, userId, input.password)
      : (input.passwordHash ?? input.password);
  const [newChannelId, at] = [deps.newId(), deps.now()];
  const commands = toCommands(input, { passwordHash, methods: project.config, newChannelId, at });
  const { position } = await transact(deps, ctx, async (work) => {
    if (typeof input.selectedTeamId === 'string') await loadMember(work, input.selectedTeamId, userId);
    await decideOnUser(work, { userId, commands, at });
  });
  return { position };
}

type Resolved = { passwordHash: string | null | undefined; methods: SignInMethods; newChannelId: string; at: string };

function toCommands(input: UserInput, { passwordHash, methods, newChannelId, at }: Resolved): UserCommand[] {
  const { primaryEmail: email, primaryEmailVerified: isVerified, primaryEmailAuthEnabled: usedForAuth } = input;
  const commands: UserCommand[] = [];
  if (input.displayName !== undefined)
    commands.push({ type: 'RenameUser', displayName: input.displayName || null, at });
  if (input.profileImageUrl !== undefined) {
    commands.push({ type: 'ChangeUserImage', profileImageUrl: input.profileImageUrl, at });
  }
  const metadata = [
    ['client', input.clientMetadata],
    ['client_read_only', input.clientReadOnlyMetadata],
    ['server', input.serverMetadata],
  ] as const;
  for (const [scope, value] of metadata) {
    if (value !== undefined) commands.push({ type: 'ChangeUserMetadata', scope, value, at });
  }
  if (email !== undefined || isVerified !== undefined || usedForAuth !== undefined) {
    commands.push({ type: 'ChangePrimaryEmail', email, isVerified, usedForAuth, newChannelId, at });
  }
  if (passwordHash !== undefined) {
    commands.push({ type: 'SetPasswordByServer', passwordHash, isMethodOn: methods.credentialEnabled, at });
  }
  if (input.otpAuthEnabled !== undefined) {
    const isEnabled = input.otpAuthEnabled;
    commands.push({ type: 'ChangeOtpAuth', isEnabled, isMethodOn: methods.magicLinkEnabled, at });
  }
  if (input.totpSecret !== undefined) commands.push({ type: 'ChangeTotpSecret', secret: input.totpSecret, at });
  if (input.passkeyAuthEnabled === false) commands.push({ type: 'RemovePasskey', at });
  if (input.selectedTeamId !== undefined) commands.push({ type: 'SelectTeam', teamId: input.selectedTeamId, at });
  if (input.isAnonymous === false) commands.push({ ...upgradeByServer, at });
  return [...commands, ...toAdminFieldCommands(input, at)];
}

const upgradeByServer = {
  type: 'UpgradeUser',
  method: 'server',
  email: null,
  passwordHash: null,
  isOtpEnabled: false,
} as const;

/** Hashing is expensive, so check that the user exists first. @throws DomainError PASSWORD_TOO_LONG, USER_NOT_FOUND */
async function hashForUser(deps: WriteDeps, ctx: Context, userId: string, password: string): Promise<string> {
  checkPasswordLength(password);
  await findUser(deps, ctx, userId);
  return deps.hasher.hash(password, ctx.network);
}
