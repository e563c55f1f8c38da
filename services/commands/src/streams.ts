/** Stream names: `<aggregate>-<id>` (architecture §3). */
export const streamOf = {
  user: (userId: string) => `user-${userId}`,
  session: (sessionId: string) => `session-${sessionId}`,
  project: (projectId: string) => `project-${projectId}`,
  projectClosure: (projectId: string) => `projectclosure-${projectId}`,
  projectKey: (keyId: string) => `projectkey-${keyId}`,
  reservation: (kind: string, keyedHash: string) => `reservation-${kind}-${keyedHash}`,
  email: (emailId: string) => `email-${emailId}`,
  mailing: (mailingId: string) => `mailing-${mailingId}`,
  code: (hash: string) => `code-${hash}`,
  webhook: (endpointId: string) => `webhook-${endpointId}`,
  apiKey: (keyId: string) => `apikey-${keyId}`,
  providerGrant: (accountRef: string) => `providergrant-${accountRef}`,
  quota: (ownerId: string) => `quota-${ownerId}`,
  request: (keyedHash: string) => `request-${keyedHash}`,
  team: (teamId: string) => `team-${teamId}`,
  membership: (teamId: string, userId: string) => `membership-${teamId}.${userId}`,
} as const;
