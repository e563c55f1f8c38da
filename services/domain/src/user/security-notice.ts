import type { Recorded } from '../event.ts';
import { canonicalEmail, isSameEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import { type ActiveUser, evolveUser, initialState, type UserState } from './state.ts';

type RecordedUserEvent = Recorded<UserEvent>;
/** A verified address, as it was before the change: whoever took the account over can't have removed it yet. */
export type NoticeRecipient = { channelId: string; address: string };

/** What a notice tells. `null` and false: nothing of this kind. */
export type SecurityChanges = {
  isPasswordChanged: boolean;
  isPasswordRemoved: boolean;
  isSecondFactorOn: boolean;
  isSecondFactorOff: boolean;
  isPasskeyAdded: boolean;
  isPasskeyRemoved: boolean;
  addedEmail: string | null;
  removedEmail: string | null;
  newPrimaryEmail: string | null;
  linkedProvider: string | null;
};
export type SecurityNotice = { changes: SecurityChanges; recipients: readonly NoticeRecipient[] };

/** More than anybody changes in good faith; a burst must not use up what a mailbox may get (docs/rate-limits.md). */
export const noticeLimits = [
  { max: 5, minutes: 10 },
  { max: 20, minutes: 24 * 60 },
] as const;
/** A user's own addresses, so not a way to mail strangers; still a bound. */
const maxRecipients = 5;

/**
 * The notice that the user's event of this id calls for: one for all events of its append, with the first that matters. Pure, so that
 * the same history always gives the same notices.
 * @param history the user's stream from its beginning; what comes after the append does not matter
 */
export function securityNoticeOf(history: readonly RecordedUserEvent[], eventId: string): SecurityNotice | null {
  let user: UserState = initialState;
  const sentAt: string[] = [];
  for (const append of appendsOf(history)) {
    const after = append.reduce(evolveUser, user);
    const notice = user.status === 'active' ? noticeOf(append, user, after) : null;
    const [first] = append.filter(matters);
    if (notice && first && !isOverLimit(sentAt, first.data.at)) {
      sentAt.push(first.data.at);
      if (first.id === eventId) return notice;
    }
    if (append.some(({ id }) => id === eventId)) return null;
    user = after;
  }
  return null;
}

/** Whether an event can call for a notice at all, without a look at its stream. */
export function matters({ type, data }: UserEvent): boolean {
  switch (type) {
    case 'UserPasswordSet':
      return data.origin !== 'rehash' && data.origin !== 'sign_up';
    case 'UserPasswordRemoved':
    case 'TotpSecretChanged':
    case 'PasskeyRegistered':
    case 'PasskeyRemoved':
    case 'ContactChannelAdded':
    case 'ContactChannelValueChanged':
    case 'ContactChannelRemoved':
    case 'PrimaryChannelChanged':
    case 'OAuthAccountLinked':
      return true;
    default:
      return false;
  }
}

/** What one command decided: its request and its time are the same for all of it. */
function appendsOf(history: readonly RecordedUserEvent[]): RecordedUserEvent[][] {
  const appends: RecordedUserEvent[][] = [];
  for (const event of history) {
    const last = appends.at(-1);
    const before = last?.at(-1);
    const isSameCommand = before?.metadata.requestId === event.metadata.requestId && before.data.at === event.data.at;
    if (last && isSameCommand) last.push(event);
    else appends.push([event]);
  }
  return appends;
}

function noticeOf(append: readonly RecordedUserEvent[], before: ActiveUser, after: UserState): SecurityNotice | null {
  // Whoever reports activity as not theirs, or deletes the account, knows it.
  if (append.some(({ type, data }) => type === 'UserSessionsEnded' && data.reason === 'activity_report')) return null;
  if (after.status !== 'active') return null;
  const changes = changesOf(append, before, after);
  const recipients = recipientsOf(before);
  return recipients.length > 0 && Object.values(changes).some(Boolean) ? { changes, recipients } : null;
}

function changesOf(append: readonly RecordedUserEvent[], before: ActiveUser, after: ActiveUser): SecurityChanges {
  const has = (type: UserEvent['type']) => append.some((event) => event.type === type && matters(event));
  const hasBefore = (address: string | null) =>
    address !== null && before.channels.some(({ value }) => isSameEmail(value, address));
  const hasAfter = (address: string | null) =>
    address !== null && after.channels.some(({ value }) => isSameEmail(value, address));
  const primaryOf = (user: ActiveUser) => user.channels.find(({ isPrimary }) => isPrimary)?.value ?? null;
  const [primaryBefore, primaryAfter] = [primaryOf(before), primaryOf(after)];
  const isSamePrimary = primaryAfter === null || isSameEmail(primaryBefore, primaryAfter);
  const linked = append.flatMap((event) => (event.type === 'OAuthAccountLinked' ? [event.data.provider] : []));
  return {
    isPasswordChanged: has('UserPasswordSet') && after.hasPassword,
    isPasswordRemoved: before.hasPassword && !after.hasPassword,
    isSecondFactorOn: has('TotpSecretChanged') && after.totp !== null,
    isSecondFactorOff: before.totp !== null && after.totp === null,
    isPasskeyAdded: has('PasskeyRegistered') && after.passkey !== null,
    isPasskeyRemoved: before.passkey !== null && after.passkey === null,
    addedEmail: after.channels.find(({ value }) => !hasBefore(value))?.value ?? null,
    removedEmail: before.channels.find(({ value, isVerified }) => isVerified && !hasAfter(value))?.value ?? null,
    newPrimaryEmail: isSamePrimary ? null : primaryAfter,
    linkedProvider: linked[0] ?? null,
  };
}

/** Verified addresses alone: an address that nobody has proven may be a stranger's. The primary one first. */
export function recipientsOf({ channels }: ActiveUser): NoticeRecipient[] {
  const recipients = new Map<string, NoticeRecipient>();
  const primaryFirst = [...channels].sort((a, b) => Number(b.isPrimary) - Number(a.isPrimary));
  for (const { id: channelId, value: address, isVerified } of primaryFirst) {
    if (!isVerified || address === null || recipients.has(canonicalEmail(address))) continue;
    recipients.set(canonicalEmail(address), { channelId, address });
  }
  return [...recipients.values()].slice(0, maxRecipients);
}

function isOverLimit(sentAt: readonly string[], at: string): boolean {
  return noticeLimits.some(({ max, minutes }) => {
    const since = Date.parse(at) - minutes * 60_000;
    return sentAt.filter((time) => Date.parse(time) > since).length >= max;
  });
}
