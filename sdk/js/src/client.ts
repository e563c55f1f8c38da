import { type ApiKeysClient, apiKeysClient } from './api-keys.ts';
import { type AuditClient, auditClient } from './audit.ts';
import { type AuthClient, authClient } from './auth.ts';
import { type ChangesClient, changesClient } from './changes.ts';
import { type ConnectionOptions, connect } from './client-app.ts';
import { type ContactChannelsClient, contactChannelsClient } from './contact-channels.ts';
import { type CustomMetricsClient, customMetricsClient } from './custom-metrics.ts';
import { type EmailsClient, emailsClient } from './emails.ts';
import { type EventMethods, eventMethods } from './events.ts';
import { type ExplanationsClient, explanationsClient } from './explanations.ts';
import { type ImportsClient, importsClient } from './imports.ts';
import { endedBy } from './live.ts';
import { type MeClient, meClient } from './me.ts';
import { type MetricsClient, metricsClient } from './metrics.ts';
import { type Network, realNetwork } from './network.ts';
import { type OpenIdProvidersClient, openIdProvidersClient } from './openid-providers.ts';
import { type OperationsClient, operationsClient } from './operations.ts';
import { type OwnedProjectsClient, ownedProjectsClient } from './owned-projects.ts';
import { networkAsOf } from './past.ts';
import { type PermissionsClient, permissionsClient } from './permissions.ts';
import { type ConfigClient, configClient } from './project-config.ts';
import { type ProjectKeysClient, projectKeysClient } from './project-keys.ts';
import {
  type ProjectInvitationsClient,
  type ProjectMembersClient,
  projectInvitationsClient,
  projectMembersClient,
} from './project-members.ts';
import { type ProjectClient, projectClient } from './projects.ts';
import type { Session } from './session.ts';
import { type SessionsClient, sessionsClient } from './sessions.ts';
import { type SetupClient, setupClient } from './setup.ts';
import { type TeamsClient, teamsClient } from './teams.ts';
import { createTransport, type Send } from './transport.ts';
import { type UserBatchesClient, userBatchesClient } from './user-batches.ts';
import { type UsersClient, usersClient } from './users.ts';
import { type WebhooksClient, webhooksClient } from './webhooks.ts';

/** The client for administering one project. */
export type AdminClient = {
  projectId: string;
  project: ProjectClient;
  members: ProjectMembersClient;
  openIdProviders: OpenIdProvidersClient;
  config: ConfigClient;
  users: UsersClient;
  userBatches: UserBatchesClient;
  sessions: SessionsClient;
  audit: AuditClient;
  events: EventMethods;
  changes: ChangesClient;
  explanations: ExplanationsClient;
  keys: ProjectKeysClient;
  imports: ImportsClient;
  metrics: MetricsClient;
  customMetrics: CustomMetricsClient;
  emails: EmailsClient;
  teams: TeamsClient;
  permissions: PermissionsClient;
  contactChannels: ContactChannelsClient;
  apiKeys: ApiKeysClient;
  webhooks: WebhooksClient;
};

/** What a token of the webhooks page opens. */
export type WebhooksPageClient = Pick<AdminClient, 'projectId' | 'webhooks'> & {
  events: Pick<EventMethods, 'listEventTypes'>;
};

/** The client for owners, who are users of the project `internal`. */
export type OwnerClient = {
  session: Session;
  auth: AuthClient;
  setup: SetupClient;
  me: MeClient;
  projects: OwnedProjectsClient;
  /** Previews of the transfer of a project, and calls of `internal` as they were previewed. */
  changes: Pick<ChangesClient, 'preview' | 'write' | 'writePreviewed'>;
  projectInvitations: ProjectInvitationsClient;
  operations: OperationsClient;
  /**
   * Returns the same object for the same ID. `asOf`, milliseconds or the ID of an event: reads show the project as it
   * was then, except audit log, events, actions and metrics; writes are rejected. Reads that have no past fail; null
   * shows the present, and rejects writes too.
   */
  admin(projectId: string, asOf?: string | null): AdminClient;
  /** For the holder of a token of `createPageToken`, without a session. */
  webhooksPage(projectId: string, token: string): WebhooksPageClient;
};

/** `sendThrough`: calls that the admin client of a project makes pass through it, and `internal`’s of `projects`. */
export type OwnerClientOptions = ConnectionOptions & { sendThrough?: (projectId: string, send: Send) => Send };

export function createOwnerClient(options: OwnerClientOptions): OwnerClient {
  const { baseUrl, projectId, maxAttempts, network = realNetwork, sendThrough = (_, send) => send } = options;
  const { session, send, sendWithoutSession } = connect(options);
  const common = { baseUrl, network, ...(maxAttempts !== undefined && { maxAttempts }) };
  const asAdmin = (id: string, through: Network = network) => {
    const access = { projectId: id, accessType: 'admin', ownerSession: session } as const;
    return sendThrough(id, createTransport({ ...common, ...access, network: through }));
  };
  const admins = new Map<string, AdminClient>();
  return {
    session,
    auth: authClient({ send, sendWithoutSession, session }),
    setup: setupClient(send, session),
    me: meClient(send),
    projects: ownedProjectsClient(sendThrough(projectId, send)),
    changes: changesClient(send),
    projectInvitations: projectInvitationsClient(send, session),
    operations: operationsClient(asAdmin(projectId)),
    admin: (id, asOf) => {
      const name = asOf === undefined ? id : `${id} ${asOf ?? ''}`;
      const known = admins.get(name);
      if (known) return known;
      const present = asAdmin(id);
      const admin = adminClient(id, {
        present,
        send: asOf === undefined ? present : asAdmin(id, networkAsOf(network, asOf)),
        sendUntil: (signal) => asAdmin(id, endedBy(signal, network)),
      });
      if (admins.size >= MAX_ADMINS) admins.clear();
      admins.set(name, admin);
      return admin;
    },
    webhooksPage: (id, token) => {
      const ownerSession = { tokens: async () => ({ accessToken: token, refreshToken: '' }), markExpired: () => {} };
      // An expired token stays expired.
      const page = createTransport({ ...common, maxAttempts: 2, projectId: id, accessType: 'admin', ownerSession });
      return { projectId: id, webhooks: webhooksClient(page), events: eventMethods(page, () => page) };
    },
  };
}

/** An owner who looks at many moments leaves many clients behind. */
const MAX_ADMINS = 100;

/** `present`: for what has no past. `sendUntil`: calls that the signal ends. */
type Sends = { present: Send; send: Send; sendUntil: (signal: AbortSignal) => Send };

function adminClient(projectId: string, { present, send, sendUntil }: Sends): AdminClient {
  return {
    projectId,
    project: projectClient(send),
    members: projectMembersClient(present),
    openIdProviders: openIdProvidersClient(send),
    config: configClient(send),
    users: usersClient(send),
    userBatches: userBatchesClient(present),
    sessions: sessionsClient(send),
    audit: auditClient(present),
    events: eventMethods(present, sendUntil),
    changes: changesClient(present),
    explanations: explanationsClient(send),
    keys: projectKeysClient(send),
    imports: importsClient(present),
    metrics: metricsClient(present),
    customMetrics: customMetricsClient(present),
    // It renders what it is given, at every moment.
    emails: { ...emailsClient(send), preview: emailsClient(present).preview },
    teams: teamsClient(send),
    permissions: permissionsClient(send),
    contactChannels: contactChannelsClient(send),
    apiKeys: apiKeysClient(send),
    webhooks: webhooksClient(send),
  };
}
