import type { Recorded } from '../event.ts';
import { canonicalEmail, isSameEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import { type ActiveUser, evolveUser, initialState, type OAuthAccount, type UserState } from './state.ts';

type RecordedUserEvent = Recorded<UserEvent>;
/** An address that was verified before the change: an attacker who took over the account can't have removed it yet. */
export type NoticeRecipient = { channelId: string; address: string };

/** What changed. null and false: no change of this kind. */
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

/**
 * Well above what a user changes legitimately. A burst must not exhaust the email limit of the mailbox
 * (docs/rate-limits.md).
 */
export const noticeLimits = [
  { max: 5, minutes: 10 },
  { max: 20, minutes: 24 * 60 },
] as const;
const mostCounted = Math.max(...noticeLimits.map(({ max }) => max));
/** These are the user's own addresses, so notices can't be used to email strangers. Still limit them. */
const maxRecipients = 5;

export type NoticeSearch = {
  /** Takes the next events of the user's stream. @returns whether later ones do not matter */
  see(events: readonly RecordedUserEvent[]): boolean;
  /** The notice, once all events were seen that matter; null for none. */
  end(): SecurityNotice | null;
};

/** What notices follow from: the user before the last append, its events so far, and when notices were sent. */
export type NoticeState = {
  user: UserState;
  append: readonly RecordedUserEvent[];
  sentAt: readonly string[];
};
export const initialNotices: NoticeState = { user: initialState, append: [], sentAt: [] };

export function evolveNotices(state: NoticeState, event: RecordedUserEvent): NoticeState {
  const before = startsAppend(state, event) ? endAppend(state).state : state;
  return { ...before, append: [...before.append, event] };
}

function startsAppend({ append }: NoticeState, event: RecordedUserEvent): boolean {
  const last = append.at(-1);
  return last !== undefined && !isSameCommand(last, event);
}

/** `eventId`: the event that the notice belongs to. */
type Ended = { state: NoticeState; notice: SecurityNotice | null; eventId: string | undefined };

function endAppend({ user, append, sentAt }: NoticeState): Ended {
  const after = append.reduce(evolveUser, user);
  const notice = user.status === 'active' ? createNotice(append, user, after) : null;
  const [first] = append.filter(isSecurityRelevant);
  const isSent = notice !== null && first !== undefined && !isOverLimit(sentAt, first.data.at);
  const sent = isSent ? [...sentAt, first.data.at].slice(-mostCounted) : sentAt;
  return { state: { user: after, append: [], sentAt: sent }, notice: isSent ? notice : null, eventId: first?.id };
}

/**
 * Finds the notice for the user's event with this ID: one notice covers all events of an append and belongs to the
 * first relevant one. Pure, so that the same history always yields the same notices. `from`: after earlier events.
 */
export function searchSecurityNotice(eventId: string, from: NoticeState = initialNotices): NoticeSearch {
  let state = from;
  let outcome: SecurityNotice | null | undefined;

  function end(): void {
    const ended = endAppend(state);
    if (state.append.some(({ id }) => id === eventId)) outcome = ended.eventId === eventId ? ended.notice : null;
    state = ended.state;
  }

  return {
    see: (events) => {
      for (const event of events) {
        if (startsAppend(state, event)) end();
        if (outcome !== undefined) return true;
        state = evolveNotices(state, event);
      }
      return false;
    },
    end: () => {
      if (outcome === undefined) end();
      return outcome ?? null;
    },
  };
}

/** Whether an event can require a notice, judged without its stream. */
export function isSecurityRelevant({ type, data }: UserEvent): boolean {
  if (type === 'UserPasswordSet') return data.origin !== 'rehash' && data.origin !== 'sign_up';
  return securityTypes.includes(type);
}

/** Types of events that can require a notice. */
export const securityTypes: readonly UserEvent['type'][] = [
  'UserPasswordSet',
  'UserPasswordRemoved',
  'TotpSecretChanged',
  'PasskeyRegistered',
  'PasskeyRemoved',
  'ContactChannelAdded',
  'ContactChannelValueChanged',
  'ContactChannelRemoved',
  'PrimaryChannelChanged',
  'OAuthAccountLinked',
  'OAuthAccountChanged',
];

/** Events of a command share the request ID and the time. */
const isSameCommand = (one: RecordedUserEvent, other: RecordedUserEvent): boolean =>
  one.metadata.requestId === other.metadata.requestId && one.data.at === other.data.at;

function createNotice(
  append: readonly RecordedUserEvent[],
  before: ActiveUser,
  after: UserState,
): SecurityNotice | null {
  // The user who reported the activity or deleted the account already knows.
  if (append.some(({ type, data }) => type === 'UserSessionsEnded' && data.reason === 'activity_report')) return null;
  if (after.status !== 'active') return null;
  const changes = detectChanges(append, before, after);
  const recipients = listRecipients(before);
  return recipients.length > 0 && Object.values(changes).some(Boolean) ? { changes, recipients } : null;
}

function detectChanges(append: readonly RecordedUserEvent[], before: ActiveUser, after: ActiveUser): SecurityChanges {
  const hasEvent = (type: UserEvent['type']) =>
    append.some((event) => event.type === type && isSecurityRelevant(event));
  const hasBefore = (address: string | null) =>
    address !== null && before.channels.some(({ value }) => isSameEmail(value, address));
  const hasAfter = (address: string | null) =>
    address !== null && after.channels.some(({ value }) => isSameEmail(value, address));
  const primaryOf = (user: ActiveUser) => user.channels.find(({ isPrimary }) => isPrimary)?.value ?? null;
  const [primaryBefore, primaryAfter] = [primaryOf(before), primaryOf(after)];
  const isSamePrimary = primaryAfter === null || isSameEmail(primaryBefore, primaryAfter);
  const signsInBefore = ({ accountRef }: Pick<OAuthAccount, 'accountRef'>) =>
    before.oauthAccounts.some((account) => account.accountRef === accountRef && account.allowSignIn);
  const linked = append.flatMap((event) => {
    if (event.type === 'OAuthAccountLinked') return [event.data.provider];
    const isNewSignIn = event.type === 'OAuthAccountChanged' && event.data.allowSignIn && !signsInBefore(event.data);
    return isNewSignIn ? [event.data.provider] : [];
  });
  return {
    isPasswordChanged: hasEvent('UserPasswordSet') && after.hasPassword,
    isPasswordRemoved: before.hasPassword && !after.hasPassword,
    isSecondFactorOn: hasEvent('TotpSecretChanged') && after.totp !== null,
    isSecondFactorOff: before.totp !== null && after.totp === null,
    isPasskeyAdded: hasEvent('PasskeyRegistered') && after.passkey !== null,
    isPasskeyRemoved: before.passkey !== null && after.passkey === null,
    addedEmail: after.channels.find(({ value }) => !hasBefore(value))?.value ?? null,
    removedEmail: before.channels.find(({ value, isVerified }) => isVerified && !hasAfter(value))?.value ?? null,
    newPrimaryEmail: isSamePrimary ? null : primaryAfter,
    linkedProvider: linked[0] ?? null,
  };
}

/** Verified addresses only, because an unverified one may belong to a stranger. The primary address comes first. */
export function listRecipients({ channels }: ActiveUser): NoticeRecipient[] {
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
