import type { ProjectView } from '@gatebook/contract/projects';
import type { DeletedPageQuery } from '../deleted.ts';
import { type HistoryPage, historyClient } from '../history.ts';
import type { UserMerge } from '../merge-users.ts';
import { type Metrics, metricsClient } from '../metrics.ts';
import type { ProjectSettings, ProjectSettingsChanges } from '../project-settings.ts';
import { projectClient } from '../projects.ts';
import type { Session } from '../session.ts';
import { type DeletedTeamPage, teamsClient } from '../teams.ts';
import { type DeletedUserPage, usersClient } from '../users.ts';
import { type EmailMethods, emailMethods } from './admin-emails.ts';
import { type HistoryMethods, historyMethods } from './admin-history.ts';
import { type KeyMethods, keyMethods } from './admin-keys.ts';
import { type PermissionMethods, permissionMethods } from './admin-permissions.ts';
import { type AdminProject, toAdminProject } from './admin-projects.ts';
import { type WebhookMethods, webhookMethods } from './admin-webhooks.ts';
import type { Read } from './cache.ts';
import { environment } from './environment.ts';
import { fromWire, queryOf } from './fields.ts';
import { registerApp } from './internals.ts';
import { type NotOffered, notOffered } from './not-offered.ts';
import { required, withInherited } from './options.ts';
import { type Moment, optionsAsOf } from './past-app.ts';
import { createRead, readPath, withHooks } from './reads.ts';
import { createServerApp, type GatebookServerApp, type GatebookServerAppOptions } from './server-app.ts';
import type { ServerContext } from './server-objects.ts';
import type { RestrictedReason } from './users.ts';

type OwnerSession = Pick<Session, 'tokens' | 'markExpired'>;
export type GatebookAdminAppOptions = GatebookServerAppOptions & {
  superSecretAdminKey?: string;
  /** The session of an owner of the project, or a function that returns their access token. Replaces all keys. */
  projectOwnerSession?: OwnerSession | (() => Promise<string | null>);
};
export type AffectedUser = {
  id: string;
  displayName: string | null;
  primaryEmail: string | null;
  restrictedReason: RestrictedReason;
};
export type UserCounts = { totalUsers: number; anonymousUsers: number };

const left = [
  ...(['applyManagedEmailProvider', 'checkManagedEmailStatus', 'deleteManagedEmailDomain'] as const),
  ...(['listManagedEmailDomains', 'setupManagedEmailProvider'] as const),
  ...(['createEmailDraft', 'deleteEmailDraft', 'listEmailDrafts', 'refreshEmailDrafts', 'updateEmailDraft'] as const),
  ...(['createEmailTemplate', 'deleteEmailTemplate', 'getEmailPreview', 'getEmailPreviewWithEditableMarkers'] as const),
  ...(['createEmailTheme', 'deleteEmailTheme', 'listEmailThemes', 'updateEmailTheme'] as const),
  ...(['createItemQuantityChange', 'createStripeWidgetAccountSession', 'getPaymentMethodConfigs'] as const),
  ...(['getStripeAccountInfo', 'listTransactions', 'refundTransaction', 'setupPayments'] as const),
  ...(['updatePaymentMethodConfigs', 'queryAnalytics'] as const),
  ...(['getSessionReplay', 'getSessionReplayChunkEvents', 'getSessionReplayEvents'] as const),
  ...(['listSessionReplayChunks', 'listSessionReplays'] as const),
  ...(['listChatMessages', 'rewriteTemplateSourceWithAI', 'saveChatMessage'] as const),
];

export type AdminMethods = KeyMethods &
  PermissionMethods &
  EmailMethods &
  HistoryMethods &
  WebhookMethods &
  NotOffered<(typeof left)[number]> & {
    /** Reads as of a moment. Writes throw, and reads that know only the present reject, such as the audit log. */
    at(moment: Moment): GatebookAdminApp;
    getProject: Read<[], AdminProject>;
    /** The users whom a requirement would restrict. */
    previewAffectedUsersByOnboardingChange(
      change: { requireEmailVerification?: boolean },
      limit?: number,
    ): Promise<{ affectedUsers: AffectedUser[]; totalAffectedCount: number }>;
    /** Settings that are not part of the project's configuration. */
    getSettings: Read<[], ProjectSettings>;
    updateSettings(changes: ProjectSettingsChanges): Promise<void>;
    getMetrics: Read<[], Metrics>;
    getUserCounts: Read<[], UserCounts>;
    /** 1 for each of the last 31 days on which the user was active, else 0; today last. */
    getUserActivity: Read<[userId: string], { date: string; activity: number }[]>;
    /** Newest first. */
    listUserHistory: Read<[userId: string, page: { before?: string | null; limit: number }], HistoryPage>;
    /** Users who can be restored, those first who are erased first. */
    listDeletedUsers: Read<[page?: DeletedPageQuery], DeletedUserPage>;
    restoreUser(userId: string): Promise<void>;
    /** Without a grace period. */
    eraseUser(userId: string): Promise<void>;
    /** Gives a user everything that only the duplicate has, and erases the duplicate at once. */
    mergeUsers(userId: string, duplicateId: string): Promise<UserMerge>;
    /** Teams that can be restored, those first that are erased first. */
    listDeletedTeams: Read<[page?: DeletedPageQuery], DeletedTeamPage>;
    restoreTeam(teamId: string): Promise<void>;
    /** Without a grace period. */
    eraseTeam(teamId: string): Promise<void>;
    /** Takes the deletion of the project back. Needs the session of an owner, as a deleted project rejects its keys. */
    restoreProject(): Promise<void>;
    /** Without a grace period. */
    eraseProject(): Promise<void>;
    /** All that is stored about a user, as JSON. */
    exportUser(userId: string): Promise<unknown>;
  };

/** The app of operators, with access to the project itself. */
export type GatebookAdminApp<ProjectId extends string = string> = Omit<
  GatebookServerApp<ProjectId>,
  keyof AdminMethods
> &
  AdminMethods;

export const GatebookAdminApp = function construct(given: GatebookAdminAppOptions): GatebookAdminApp {
  const { app } = createAdminApp(withInherited(given));
  registerApp(app);
  return app;
} as unknown as new <ProjectId extends string = string>(
  options: GatebookAdminAppOptions & { projectId?: ProjectId },
) => GatebookAdminApp<ProjectId>;

function createAdminApp(options: GatebookAdminAppOptions): { app: GatebookAdminApp; context: ServerContext } {
  const { projectOwnerSession: owner } = options;
  const ownerSession = typeof owner === 'function' ? sessionFrom(owner) : owner;
  const keys = ownerSession ? {} : keysOf(options);
  const { app, context, parts } = createServerApp(options, { accessType: 'admin', ...keys }, ownerSession);
  const at = (moment: Moment) => createAdminApp(optionsAsOf(options, moment)).app;
  return { app: withHooks(parts, { ...app, ...adminMethods(context), at }), context };
}

export type OwnedApp = { app: GatebookAdminApp; toProject: (view: ProjectView) => AdminProject };

/** The app of a project that the user of a session owns. */
export function createOwnedApp(options: GatebookAdminAppOptions): OwnedApp {
  const { app, context } = createAdminApp(options);
  return { app, toProject: (view) => toAdminProject(context, view) };
}

function keysOf({ secretServerKey, superSecretAdminKey }: GatebookAdminAppOptions) {
  return {
    secretServerKey: secretServerKey || environment.secretServerKey(),
    superSecretAdminKey: required(
      'superSecretAdminKey',
      'GATEBOOK_SUPER_SECRET_ADMIN_KEY',
      superSecretAdminKey || environment.superSecretAdminKey(),
    ),
  };
}

/** The function refreshes the token itself. */
const sessionFrom = (getToken: () => Promise<string | null>): OwnerSession => ({
  tokens: async () => {
    const accessToken = await getToken();
    return accessToken === null ? null : { accessToken, refreshToken: '' };
  },
  markExpired: () => {},
});

function adminMethods(context: ServerContext): Omit<AdminMethods, 'at'> {
  const { send, cache } = context;
  const project = projectClient(send);
  const users = usersClient(send);
  const teams = teamsClient(send);
  const change = async <Answer>(kind: 'users' | 'teams', call: Promise<Answer>): Promise<Answer> => {
    const answer = await call;
    await cache.refresh(`/${kind}`, `/internal/deleted-${kind}`);
    return answer;
  };
  const changeProject = async (call: Promise<void>): Promise<void> => {
    await call;
    await cache.refresh('/');
  };
  return {
    ...keyMethods(context),
    ...permissionMethods(context),
    ...emailMethods(context),
    ...historyMethods(context),
    ...webhookMethods(context),
    ...notOffered(...left),
    getProject: readPath(
      context,
      () => '/internal/projects/current',
      (view: ProjectView) => toAdminProject(context, view),
    ),
    previewAffectedUsersByOnboardingChange: async ({ requireEmailVerification }, limit) => {
      const path = `/internal/onboarding/preview-affected-users${queryOf({ limit })}`;
      const body = { onboarding: { require_email_verification: requireEmailVerification } };
      return fromWire(await send<PreviewView>('POST', path, body));
    },
    getSettings: createRead(context, () => '/internal/projects/current/settings', project.findSettings),
    updateSettings: async (changes) => {
      await project.updateSettings(changes);
      await cache.refresh('/internal/projects/current');
    },
    getMetrics: createRead(context, () => '/internal/metrics', metricsClient(send).find),
    getUserCounts: readPath(
      context,
      () => '/internal/metrics/user-counts',
      fromWire<{ total_users: number; anonymous_users: number }>,
    ),
    getUserActivity: readPath(
      context,
      (userId: string) => `/internal/user-activity${queryOf({ userId })}`,
      (view: { data_points: { date: string; activity: number }[] }) => view.data_points,
    ),
    listUserHistory: createRead(
      context,
      (userId, page) => `/internal/users/${userId}/history${queryOf(page)}`,
      historyClient(send).list,
    ),
    listDeletedUsers: createRead(context, (page = {}) => `/internal/deleted-users${queryOf(page)}`, users.listDeleted),
    restoreUser: (userId) => change('users', users.restore(userId)),
    eraseUser: (userId) => change('users', users.erase(userId)),
    mergeUsers: (userId, duplicateId) => change('users', users.merge(userId, duplicateId)),
    listDeletedTeams: createRead(context, (page = {}) => `/internal/deleted-teams${queryOf(page)}`, teams.listDeleted),
    restoreTeam: (teamId) => change('teams', teams.restore(teamId)),
    eraseTeam: (teamId) => change('teams', teams.erase(teamId)),
    restoreProject: () => changeProject(project.restore()),
    eraseProject: () => changeProject(project.erase()),
    exportUser: (userId) => users.export(userId),
  };
}
type PreviewView = {
  affected_users: {
    id: string;
    display_name: string | null;
    primary_email: string | null;
    restricted_reason: RestrictedReason;
  }[];
  total_affected_count: number;
};
