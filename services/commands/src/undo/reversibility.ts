import type { GatebookEvent } from '@gatebook/domain/catalog';
import { reject } from '@gatebook/domain/errors';

/**
 * - `inverse`: undone by a command that restores the earlier values.
 * - `partial`: like `inverse`, but not everything comes back.
 * - `stays`: stays in effect, and does not keep the rest of its action from being undone.
 * - `never`: keeps its whole action from being undone.
 * - `technical`: follows from other events, and needs nothing.
 */
type Reversibility<Reason extends string> =
  | { kind: 'inverse' | 'technical' }
  | { kind: 'partial' | 'stays' | 'never'; reason: Reason };

const inverse = { kind: 'inverse' } as const;
const technical = { kind: 'technical' } as const;
const partial = <const Reason extends string>(reason: Reason) => ({ kind: 'partial', reason }) as const;
const stays = <const Reason extends string>(reason: Reason) => ({ kind: 'stays', reason }) as const;
const never = <const Reason extends string>(reason: Reason) => ({ kind: 'never', reason }) as const;

const secret = never('An earlier password, second factor or passkey may be known to others, so it is not restored.');
const account = never('A connected account is a way to sign in. Connect or disconnect it instead.');
const sessionStays = stays('Ended sessions stay ended.');
const keysStay = stays('Revoked API keys stay revoked. Create new ones.');
const erased = never('Deleted data is erased.');
const merged = never('Merged users can’t be separated: what belonged to whom is erased.');
const exported = never('An export can’t be taken back.');
const code = never('A code that was sent or used can’t be taken back.');
const mail = stays('Emails that were requested are sent.');
const outbox = never('Emails are paused, resumed, rescheduled and retried, not restored.');
const transfer = never('To undo a transfer, transfer the project back.');
const upgraded = never('A user who signed up does not become anonymous again.');

/** What can be undone, by type of event (docs/decisions/0083). */
export const reversibility = {
  UserCreated: never('To undo the creation of a user, delete the user.'),
  UserRenamed: inverse,
  UserImageChanged: inverse,
  UserMetadataChanged: inverse,
  ContactChannelAdded: inverse,
  ContactChannelValueChanged: inverse,
  ContactChannelVerificationChanged: inverse,
  ContactChannelProven: never('The user has proven to own the address.'),
  ContactChannelAuthChanged: inverse,
  PrimaryChannelChanged: inverse,
  ContactChannelRemoved: partial('The address comes back only if nobody else signs in with it.'),
  UserPasswordSet: secret,
  PasswordResetRequested: code,
  UserPasswordRemoved: secret,
  UserSessionsEnded: sessionStays,
  UserUpgraded: upgraded,
  TotpSecretChanged: secret,
  TotpUsed: technical,
  TotpRejected: technical,
  SignInsThrottled: technical,
  PasskeyRegistered: secret,
  PasskeyUsed: technical,
  PasskeyRemoved: secret,
  OAuthAccountLinked: account,
  OAuthAccountChanged: account,
  OAuthAccountUnlinked: account,
  UserApiKeysRevoked: keysStay,
  UserRestricted: inverse,
  UserRestrictionChanged: inverse,
  UserRestrictionLifted: inverse,
  UserCountryCodeChanged: inverse,
  UserRiskScoresChanged: inverse,
  OtpAuthChanged: inverse,
  ProjectPermissionGranted: inverse,
  ProjectPermissionRevoked: inverse,
  TeamSelected: inverse,
  NotificationPreferenceChanged: inverse,
  UserMerged: merged,
  UserExported: exported,
  AuditLogExported: exported,
  UsersExported: exported,
  ReservationExpired: technical,
  UserDeletionScheduled: partial('The user comes back without sessions and API keys.'),
  UserDeletionCanceled: inverse,
  UserDeleted: erased,
  UserErased: erased,

  SessionStarted: never('To undo a sign-in, end the session.'),
  SessionEnded: never('Ended sessions stay ended.'),

  TeamCreated: never('To undo the creation of a team, delete the team.'),
  TeamRenamed: inverse,
  TeamImageChanged: inverse,
  TeamMetadataChanged: inverse,
  TeamDeletionScheduled: inverse,
  TeamDeletionCanceled: inverse,
  TeamDeleted: erased,
  TeamMemberAdded: inverse,
  TeamMemberRemoved: partial('The member comes back with the permissions and the profile of then.'),
  TeamProfileChanged: inverse,
  TeamPermissionGranted: inverse,
  TeamPermissionRevoked: inverse,
  TeamPermissionUsed: technical,

  ProjectCreated: never('To undo the creation of a project, delete the project.'),
  ProjectDetailsChanged: inverse,
  ProjectConfigChanged: inverse,
  ProjectSettingsChanged: inverse,
  ProjectPasswordMigrationChanged: inverse,
  EmailTemplateChanged: inverse,
  EmailTemplateReset: inverse,
  PermissionDefinitionCreated: inverse,
  PermissionDefinitionChanged: inverse,
  PermissionDefinitionDeleted: partial('Its grants count again, except those that were removed since.'),
  CustomMetricDefined: never('To undo the creation of a metric, delete the metric.'),
  CustomMetricChanged: never('To undo the change of a metric, change it back.'),
  CustomMetricDeleted: never('A deleted metric stays deleted. Create a new one: it counts the same events again.'),
  ProjectOwnerAdded: inverse,
  ProjectOwnerRemoved: inverse,
  ProjectMemberRoleChanged: inverse,
  ProjectMemberRemoved: inverse,
  ProjectOwnerTeamChanged: transfer,
  ConfigOverrideChanged: inverse,
  ConfigSourceUnlinked: never('To undo it, push the configuration again.'),
  ProjectDeletionScheduled: inverse,
  ProjectDeletionCanceled: inverse,
  ProjectDeleted: erased,
  ProjectClosed: erased,

  ProjectKeyCreated: never('To undo the creation of a key, revoke the key.'),
  ProjectKeyDescribed: inverse,
  ProjectKeyExpiryChanged: inverse,
  ProjectKeyReplaced: never('The keys come from the configuration of the server.'),
  ProjectKeyRevoked: never('A revoked key stays revoked. Create a new one.'),
  ApiKeyCreated: never('To undo the creation of a key, revoke the key.'),
  ApiKeyChanged: inverse,
  ApiKeyMoved: merged,
  ApiKeyRevoked: never('A revoked key stays revoked. Create a new one.'),

  WebhookEndpointCreated: never('To undo the creation of a webhook endpoint, delete the endpoint.'),
  WebhookEndpointUpdated: inverse,
  WebhookSecretRotated: never('An earlier secret may be known to others, so it is not restored.'),
  WebhookSecretRead: never('A secret that was shown can’t be taken back. Rotate it.'),
  WebhookEndpointEnabled: inverse,
  WebhookEndpointDisabled: inverse,
  WebhookEndpointDeleted: never('A deleted webhook endpoint stays deleted. Create a new one.'),

  CodeIssued: stays('A code that was issued stays valid.'),
  CodeAttempted: technical,
  CodeUsed: code,
  CodeApproved: code,
  CodeAnonymousSessionHandedOver: code,
  CodeRevoked: never('A revoked code or invitation stays revoked. Send a new one.'),
  EmailRequested: mail,
  EmailSent: mail,
  EmailFailed: technical,
  EmailRetried: outbox,
  EmailPaused: outbox,
  EmailResumed: outbox,
  EmailRescheduled: outbox,
  EmailDropped: outbox,
  MailingRequested: mail,
  MailingEmailsRequested: technical,
  MailingClosed: technical,
  UserBatchStarted: never('A batch is undone by another batch, which undoes the change of each user.'),
  UserBatchEnded: technical,

  ValueReserved: technical,
  ReservationReleased: technical,
  AddressErased: technical,
  ProviderTokensStored: technical,
  ProviderTokensDiscarded: technical,
  QuotaItemAdded: technical,
  RequestDecided: technical,
} satisfies Readonly<Record<GatebookEvent['type'], Reversibility<string>>>;

const none = never('This version of Gatebook does not know the event.');

type ReasonIn<Table> = Extract<Table[keyof Table], { reason: string }>['reason'];
/** Sentences are their own keys: the API has them in other languages too. */
export type UndoReason =
  | ReasonIn<typeof reversibility>
  | typeof none.reason
  | 'Earlier events can’t be read.'
  | 'Nothing was changed.'
  | 'The action has too many events.'
  | 'The grace period of the deletion is over.'
  | 'The project is deleted. Restore it first.'
  | 'What the action changed no longer exists.';

/** @throws DomainError ACTION_NOT_REVERSIBLE */
export const rejectIrreversible = (reasons: readonly UndoReason[]): never =>
  reject('ACTION_NOT_REVERSIBLE', { reasons });

const reversibilityOf = (type: string): Reversibility<UndoReason> =>
  (reversibility as Partial<Record<string, Reversibility<UndoReason>>>)[type] ?? none;

export const isReversible = (type: string): boolean => ['inverse', 'partial'].includes(reversibilityOf(type).kind);
export const isTechnical = (type: string): boolean => reversibilityOf(type).kind === 'technical';

export type ActionReversibility = {
  isReversible: boolean;
  /** Why not; if reversible, what does not come back. */
  reasons: readonly UndoReason[];
};

/** An action is undone as a whole: one event that can't be undone keeps all others from being undone. */
export function reversibilityOfAll(types: Iterable<string>): ActionReversibility {
  const found = [...types].map(reversibilityOf);
  const reasonsOf = (...kinds: Reversibility<UndoReason>['kind'][]) => [
    ...new Set(found.flatMap((one) => ('reason' in one && kinds.includes(one.kind) ? [one.reason] : []))),
  ];
  const blocking = reasonsOf('never');
  if (blocking.length > 0) return { isReversible: false, reasons: blocking };
  const isReversible = found.some(({ kind }) => kind === 'inverse' || kind === 'partial');
  return { isReversible, reasons: reasonsOf('partial', 'stays') };
}
