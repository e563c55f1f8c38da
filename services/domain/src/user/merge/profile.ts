import type { UserCommand } from '../decide.ts';
import type { UserEvent } from '../events.ts';
import { anonymousName } from '../sign-in-methods.ts';
import {
  drop,
  dropReasonOf,
  itemOf,
  type Merge,
  type MergingUser,
  move,
  moveSingle,
  type Profile,
  type UserPart,
} from './parts.ts';

export function mergeProfile({ kept, duplicate, at }: Merge): UserPart[] {
  const [own, other] = [kept.profile, duplicate.profile];
  return [
    ...moveSingle('display_name', { kept: nameOf(kept), duplicate: nameOf(duplicate) }, (displayName) => {
      return { type: 'RenameUser', displayName, at };
    }),
    ...moveSingle(
      'profile_image',
      { kept: own.profileImageUrl, duplicate: other.profileImageUrl },
      (profileImageUrl) => ({ type: 'ChangeUserImage', profileImageUrl, at }),
    ),
    ...(['client', 'client_read_only', 'server'] as const).flatMap((scope) =>
      mergeMetadata(scope, own.metadata[scope] as Json, other.metadata[scope] as Json, at),
    ),
    ...moveSingle('country_code', { kept: own.countryCode, duplicate: other.countryCode }, (countryCode) => {
      return { type: 'ChangeCountryCode', countryCode, at };
    }),
    ...moveSingle('risk_scores', { kept: own.riskScores, duplicate: other.riskScores }, (riskScores) => {
      return { type: 'ChangeRiskScores', riskScores, at };
    }),
  ];
}

const nameOf = ({ user }: MergingUser) =>
  user.displayName === '' || (user.isAnonymous && user.displayName === anonymousName) ? null : user.displayName;

type Json = Extract<UserEvent, { type: 'UserMetadataChanged' }>['data']['value'];
type Tree = { [key: string]: Json };
const isTree = (value: Json): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects are merged by their first level of keys, everything else as a whole. */
function mergeMetadata(scope: keyof Profile['metadata'], kept: Json, duplicate: Json, at: string): UserPart[] {
  const kind = `${scope}_metadata` as const;
  const change = (value: Json): UserCommand => ({ type: 'ChangeUserMetadata', scope, value, at });
  if (!isTree(duplicate)) return moveSingle(kind, { kept, duplicate }, change);
  if (kept !== null && !isTree(kept)) return [drop(itemOf(kind), 'kept_one_stays')];
  const own = kept ?? {};
  const entries = Object.entries(duplicate);
  const added = entries.filter(([key]) => !Object.hasOwn(own, key));
  const parts = entries.map(([key, value]): UserPart => {
    const item = itemOf(kind, key);
    return Object.hasOwn(own, key) ? drop(item, dropReasonOf(own[key], value)) : move(item);
  });
  const [first, ...rest] = parts;
  if (!first || added.length === 0) return parts;
  // One command changes all keys. It goes with the first part.
  const value = Object.fromEntries([...Object.entries(own), ...added]);
  return [{ ...first, commands: [change(value)] }, ...rest];
}
