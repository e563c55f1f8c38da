import type { ProjectFacts } from '@gatebook/commands/project/project-facts';
import type { ImportedUser } from '@gatebook/commands/user/import-users';
import { uuid } from '@gatebook/contract/common';
import { isRecord } from '@gatebook/contract/import/row';
import { NewUser } from '@gatebook/contract/users';
import { parsePasswordHash } from '@gatebook/domain/user/imported-hash';
import { derivedId } from '@gatebook/runtime/ids';
import { toUserInput } from '../routes/users/wire.ts';
import type { LostPart, SourceUser } from './source.ts';

export type ImportTarget = {
  projectId: string;
  project: ProjectFacts;
  /** Name of the other product: part of derived IDs. */
  sourceName: string;
  /** Whether even UUIDs are replaced with new IDs. */
  hasNewIds: boolean;
};

export type PreparedRow = { input: ImportedUser; lost: LostPart[] };

/** Fields that are left out where they break the rules of the API. Without the others there is no user. */
const optionalFields = [
  ...['display_name', 'profile_image_url', 'client_metadata', 'client_read_only_metadata', 'server_metadata'],
  ...['totp_secret_base64', 'oauth_providers', 'password_hash', 'restricted_by_admin_reason'],
];

/**
 * The ID of an imported user or team: the same in every run. UUIDs are kept, other IDs lead to one of the project.
 */
export function importedId(target: ImportTarget, kind: 'user' | 'team', sourceId: string): string {
  const { projectId, sourceName, hasNewIds } = target;
  const kept = uuid.safeParse(sourceId);
  if (kept.success && !hasNewIds) return kept.data;
  return derivedId(projectId, `import of ${kind} ${sourceId} from ${sourceName}`);
}

/** @returns a text: why there can't be such a user */
export function prepareUser(target: ImportTarget, source: SourceUser): PreparedRow | string {
  const { project } = target;
  const { config } = project;
  const lost: LostPart[] = [...source.lost];
  const id = importedId(target, 'user', source.sourceId);
  const user = { ...source.user, id, ...originOf(source, id) };
  if (user.password_hash && parsePasswordHash(user.password_hash) === null) {
    delete user.password_hash;
    lost.push({ reason: 'password_unsupported' });
  }
  if (user.password_hash && !user.primary_email) {
    delete user.password_hash;
    lost.push({ reason: 'email_missing', detail: 'password' });
  }
  if (user.password_hash && !config.credentialEnabled) {
    delete user.password_hash;
    lost.push({ reason: 'password_method_off' });
  }
  const known: readonly string[] = config.oauthProviders.map((provider) => provider.id);
  user.oauth_providers = user.oauth_providers?.filter((account) => {
    if (known.includes(account.id)) return true;
    lost.push({ reason: 'provider_not_configured', detail: account.id });
    return false;
  });
  user.otp_auth_enabled = config.magicLinkEnabled && (user.otp_auth_enabled ?? user.primary_email_verified ?? false);
  const parsed = parse(user, lost);
  if (typeof parsed === 'string') return parsed;
  const { id: _, ...body } = parsed;
  const { password: _password, passwordHash, ...input } = toUserInput(body);
  return {
    input: {
      ...withoutUndefined(input),
      ...(passwordHash === undefined ? {} : { passwordHash }),
      id,
      isIdDerived: id !== source.sourceId.toLowerCase(),
      project,
      signedUpAtMillis: body.signed_up_at_millis,
      oauthAccounts: body.oauth_providers?.map(({ id: provider, account_id: accountId, email }) => {
        return { provider, accountId, email: email ?? null };
      }),
      otherEmails: source.otherEmails,
    },
    lost,
  };
}

/** The former ID, where the user can't keep it. */
function originOf({ sourceId, user }: SourceUser, id: string): Pick<NewUser, 'server_metadata'> {
  if (sourceId.toLowerCase() === id) return {};
  const { server_metadata: metadata = null } = user;
  return {
    server_metadata: { ...(isRecord(metadata) ? metadata : {}), imported_id: sourceId } as NewUser['server_metadata'],
  };
}

function parse(user: Record<string, unknown>, lost: LostPart[]): NewUser | string {
  const given = { ...user };
  for (let attempt = 0; ; attempt += 1) {
    const parsed = NewUser.safeParse(withoutUndefined(given));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? '');
    if (attempt > optionalFields.length || !optionalFields.includes(field)) return `${field}: ${issue?.message}`;
    delete given[field];
    lost.push({ reason: 'invalid_field', detail: field });
  }
}

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
