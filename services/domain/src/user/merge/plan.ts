import { hasExpired } from '../../api-key/decide.ts';
import type { ApiKey } from '../../api-key/state.ts';
import { reject } from '../../errors.ts';
import type { MembershipCommand } from '../../membership/decide.ts';
import type { UserCommand } from '../decide.ts';
import { signInEmails } from '../sign-in-emails.ts';
import { type ActiveUser, findOwnerRevocation } from '../state.ts';
import { mergeAccess } from './access.ts';
import { mergeEmails } from './emails.ts';
import type { MergeSummary } from './items.ts';
import { itemOf, type Merge, type Part } from './parts.ts';
import { mergeProfile } from './profile.ts';
import { mergeSignInMethods } from './sign-in-methods.ts';
import { mergeTeam } from './teams.ts';

/** What leads from two users to one, in the order of the appends (docs/decisions/0127). */
export type MergePlan = {
  /** On the user who stays. */
  commands: readonly UserCommand[];
  memberships: readonly { teamId: string; commands: readonly MembershipCommand[] }[];
  /** Unique values whose reservations pass to the user who stays. */
  reservations: { emails: readonly string[]; passkey: string | null; accountRefs: readonly string[] };
  apiKeyIds: readonly string[];
  summary: MergeSummary;
};

/**
 * Decides what the user who stays gets from a duplicate: everything that the user does not have. Where both have a
 * value and there can be only one, that of the user who stays remains. After a merge that was interrupted, it decides
 * the rest.
 * @throws DomainError USER_MERGE_WITH_ITSELF
 */
export function planMerge(merge: Merge): MergePlan {
  const { kept, duplicate, at } = merge;
  if (kept.user.userId === duplicate.user.userId) return reject('USER_MERGE_WITH_ITSELF');
  const parts = [...mergeProfile(merge), ...mergeEmails(merge), ...mergeSignInMethods(merge), ...mergeAccess(merge)];
  const teams = merge.teams.map((team) => ({ teamId: team.teamId, parts: mergeTeam(team, kept.user.userId, at) }));
  const keys = merge.apiKeys.map((key) => ({ keyId: key.keyId, part: mergeApiKey(key, duplicate.user, at) }));
  const sessions: Part = { item: itemOf('sessions'), outcome: 'ends' };
  const all = [...parts, ...teams.flatMap((team) => team.parts), ...keys.map(({ part }) => part), sessions];
  return {
    commands: [
      { type: 'RecordMerge', mergedUserId: duplicate.user.userId, at },
      ...upgrade(merge),
      ...parts.flatMap(({ commands }) => commands),
    ],
    memberships: teams
      .map((team) => ({ teamId: team.teamId, commands: team.parts.flatMap(({ commands }) => commands) }))
      .filter(({ commands }) => commands.length > 0),
    reservations: reservationsOf(merge),
    apiKeyIds: keys.filter(({ part }) => part.outcome === 'moved').map(({ keyId }) => keyId),
    summary: summarize(all),
  };
}

/** A user who signed up once does not become anonymous. */
function upgrade({ kept, duplicate, at }: Merge): UserCommand[] {
  if (!kept.user.isAnonymous || duplicate.user.isAnonymous) return [];
  return [{ type: 'UpgradeUser', method: 'server', email: null, passwordHash: null, isOtpEnabled: false, at }];
}

function mergeApiKey(key: ApiKey, owner: ActiveUser, at: string): Part {
  const isUsable = key.revokedAt === null && findOwnerRevocation(owner, key) === null && !hasExpired(key, at);
  return { item: itemOf('api_key', key.keyId), outcome: isUsable ? 'moved' : 'not_usable' };
}

/** Values that the user who stays has after the merge, including those of an earlier merge that was interrupted. */
function reservationsOf({ kept, duplicate }: Merge): MergePlan['reservations'] {
  const passkey = duplicate.user.passkey?.credentialId ?? null;
  const own = kept.user.passkey?.credentialId ?? passkey;
  return {
    emails: [...signInEmails(duplicate.user).values()],
    passkey: own === passkey ? passkey : null,
    accountRefs: duplicate.user.oauthAccounts.map(({ accountRef }) => accountRef),
  };
}

function summarize(parts: readonly Part[]): MergeSummary {
  return {
    moved: parts.flatMap(({ item, outcome }) => (outcome === 'moved' ? [item] : [])),
    dropped: parts.flatMap(({ item, outcome }) => (outcome === 'moved' ? [] : [{ ...item, reason: outcome }])),
  };
}
