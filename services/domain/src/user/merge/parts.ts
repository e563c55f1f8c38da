import type { ApiKey } from '../../api-key/state.ts';
import type { AuditedUser } from '../../audit/user-fields.ts';
import type { Member, MembershipState } from '../../membership/state.ts';
import type { UserCommand } from '../decide.ts';
import type { ActiveUser } from '../state.ts';
import type { MergeDropReason, MergeItem, MergeItemKind } from './items.ts';

export type Profile = AuditedUser['profile'];
export type MergingUser = { user: ActiveUser; profile: Profile };
/** A team of the duplicate. `kept`: the membership of the user who stays. */
export type MergingTeam = { teamId: string; duplicate: Member; kept: MembershipState };

export type Merge = {
  /** The user who stays. */
  kept: MergingUser;
  duplicate: MergingUser;
  teams: readonly MergingTeam[];
  /** API keys of the duplicate. */
  apiKeys: readonly ApiKey[];
  /** ID for the address that gets the channel with this ID. */
  newChannelId: (channelId: string) => string;
  at: string;
};

/** What becomes of one item of the duplicate. */
export type Part = { item: MergeItem; outcome: 'moved' | MergeDropReason };
/** `commands`: on the user who stays. */
export type UserPart = Part & { commands: readonly UserCommand[] };

export function itemOf(kind: MergeItemKind, name: string | null = null, teamId: string | null = null): MergeItem {
  return { kind, name, teamId };
}

export function move(item: MergeItem, ...commands: UserCommand[]): UserPart {
  return { item, outcome: 'moved', commands };
}

export function drop(item: MergeItem, outcome: MergeDropReason): UserPart {
  return { item, outcome, commands: [] };
}

/** Moves a value of which the user who stays has at most one. null: has none. */
export function moveSingle<Value>(
  kind: MergeItemKind,
  { kept, duplicate }: { kept: Value | null; duplicate: Value | null },
  toCommand: (value: Value) => UserCommand,
): UserPart[] {
  if (duplicate === null) return [];
  if (kept === null) return [move(itemOf(kind), toCommand(duplicate))];
  return [drop(itemOf(kind), dropReasonOf(kept, duplicate))];
}

/** Why a value is dropped for that of the user who stays. */
export function dropReasonOf(kept: unknown, duplicate: unknown): 'already_there' | 'kept_one_stays' {
  return isSameJson(kept, duplicate) ? 'already_there' : 'kept_one_stays';
}

export const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
