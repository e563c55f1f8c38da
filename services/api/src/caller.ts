import type { ProjectRole } from '@gatebook/domain/project/roles';
import type { OwnUserRow } from '@gatebook/readmodel/users/queries';
import type { AccessType } from './access-type.ts';
import type { ProjectAccess, ProjectAccessCache } from './project-access-cache.ts';
import type { AccessTokens, VerifiedToken } from './tokens.ts';
import type { WebhooksToken } from './webhooks-token.ts';

export type CurrentUser = OwnUserRow;

/** The caller, after every check of (protocol, conventions §3.2). */
export type Caller = {
  accessType: AccessType;
  projectId: string;
  project: ProjectAccess['project'];
  /** The access token of the request, with a valid signature, project and lifetime. */
  token: VerifiedToken | null;
  /** The user of the token; null without a token or if the user no longer exists. */
  user: CurrentUser | null;
  /** Revision of the user's stream at which the session was checked. */
  sessionRevision: number | null;
  /** The member whose admin access token was sent instead of a key. */
  owner: { id: string; sessionId: string; role: ProjectRole } | null;
  /** The project key that was sent; null for an owner and for clients without a key. */
  keyId: string | null;
  /** When that key expires, in milliseconds since 1970. */
  keyEndsAt: number | null;
  /** Whether the request shows a secret server key or admin key of the project, also with a client call. */
  isFromServer: boolean;
};

type Found = { user: OwnUserRow; isSessionLive: boolean; sessionRevision: number | null };
type FoundMember = { role: ProjectRole | null; isSessionLive: boolean };
export type CallerParts = {
  projects: ProjectAccessCache;
  tokens: AccessTokens;
  findCurrentUser(projectId: string, userId: string, sessionId: string): Promise<Found | null>;
  findMember(
    userId: string,
    sessionId: string,
    projectId: string,
    options: { findsDeletedProject: boolean },
  ): Promise<FoundMember | null>;
  findDeletedProject(projectId: string): Promise<ProjectAccess | null>;
  recordKeyUse(use: { keyId: string; projectId: string }): void;
  /** null for any other text. */
  openWebhooksToken(token: string): Promise<WebhooksToken | null>;
};
/**
 * Routes that refresh or end sessions accept the token of an ended session and return their own error
 * (protocol, rule 11).
 */
export type CallerOptions = {
  ignoresEndedSession: boolean;
  /** Owners can call the route while the project awaits deletion. */
  opensDeletedProject: boolean;
  /** A token of the webhooks page opens the route. */
  takesWebhooksToken: boolean;
  /** The time of the request, in milliseconds. */
  at: number;
};
