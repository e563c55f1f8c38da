import { type ApiKeysClient, apiKeysClient } from './api-keys.ts';
import { type AuditClient, auditClient } from './audit.ts';
import { type AuthClient, authClient } from './auth.ts';
import { type ConnectionOptions, connect } from './client-app.ts';
import { type ContactChannelsClient, contactChannelsClient } from './contact-channels.ts';
import { type EmailsClient, emailsClient } from './emails.ts';
import { type HistoryClient, historyClient } from './history.ts';
import { type MetricsClient, metricsClient } from './metrics.ts';
import { realNetwork } from './network.ts';
import { type OpenIdProvidersClient, openIdProvidersClient } from './openid-providers.ts';
import { type OperationsClient, operationsClient } from './operations.ts';
import { type PermissionsClient, permissionsClient } from './permissions.ts';
import { type ConfigClient, configClient } from './project-config.ts';
import { type ProjectKeysClient, projectKeysClient } from './project-keys.ts';
import { type OwnedProjectsClient, ownedProjectsClient, type ProjectClient, projectClient } from './projects.ts';
import type { Session } from './session.ts';
import { type SessionsClient, sessionsClient } from './sessions.ts';
import { type SetupClient, setupClient } from './setup.ts';
import { type TeamsClient, teamsClient } from './teams.ts';
import { createTransport } from './transport.ts';
import { type MeClient, meClient, type UsersClient, usersClient } from './users.ts';

/** The client for administering one project. */
export type AdminClient = {
  projectId: string;
  project: ProjectClient;
  openIdProviders: OpenIdProvidersClient;
  config: ConfigClient;
  users: UsersClient;
  sessions: SessionsClient;
  audit: AuditClient;
  history: HistoryClient;
  keys: ProjectKeysClient;
  metrics: MetricsClient;
  emails: EmailsClient;
  teams: TeamsClient;
  permissions: PermissionsClient;
  contactChannels: ContactChannelsClient;
  apiKeys: ApiKeysClient;
};

/** The client for owners, who are users of the project `internal`. */
export type OwnerClient = {
  session: Session;
  auth: AuthClient;
  setup: SetupClient;
  me: MeClient;
  projects: OwnedProjectsClient;
  operations: OperationsClient;
  /** Returns the same object for the same ID. */
  admin(projectId: string): AdminClient;
};

export type OwnerClientOptions = ConnectionOptions;

export function createOwnerClient(options: OwnerClientOptions): OwnerClient {
  const { baseUrl, projectId, maxAttempts, network = realNetwork } = options;
  const { session, send, sendWithoutSession } = connect(options);
  const common = { baseUrl, network, ...(maxAttempts !== undefined && { maxAttempts }) };
  const asAdmin = (id: string) =>
    createTransport({ ...common, projectId: id, accessType: 'admin', ownerSession: session });
  const admins = new Map<string, AdminClient>();
  return {
    session,
    auth: authClient({ send, sendWithoutSession, session }),
    setup: setupClient(send, session),
    me: meClient(send),
    projects: ownedProjectsClient(send),
    operations: operationsClient(asAdmin(projectId)),
    admin: (id) => {
      const known = admins.get(id);
      if (known) return known;
      const admin = adminClient(id, asAdmin(id));
      admins.set(id, admin);
      return admin;
    },
  };
}

function adminClient(projectId: string, send: ReturnType<typeof createTransport>): AdminClient {
  return {
    projectId,
    project: projectClient(send),
    openIdProviders: openIdProvidersClient(send),
    config: configClient(send),
    users: usersClient(send),
    sessions: sessionsClient(send),
    audit: auditClient(send),
    history: historyClient(send),
    keys: projectKeysClient(send),
    metrics: metricsClient(send),
    emails: emailsClient(send),
    teams: teamsClient(send),
    permissions: permissionsClient(send),
    contactChannels: contactChannelsClient(send),
    apiKeys: apiKeysClient(send),
  };
}
