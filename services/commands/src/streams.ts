/** Names of streams: `<aggregate>-<id>` (architecture §3). */
export const streamOf = {
  user: (userId: string) => `user-${userId}`,
  session: (sessionId: string) => `session-${sessionId}`,
  project: (projectId: string) => `project-${projectId}`,
  projectKey: (keyId: string) => `projectkey-${keyId}`,
  claim: (kind: string, keyedHash: string) => `claim-${kind}-${keyedHash}`,
  email: (emailId: string) => `email-${emailId}`,
  code: (hash: string) => `code-${hash}`,
  apiKey: (keyId: string) => `apikey-${keyId}`,
  connection: (accountRef: string) => `connection-${accountRef}`,
  quota: (ownerId: string) => `quota-${ownerId}`,
  request: (keyedHash: string) => `request-${keyedHash}`,
  team: (teamId: string) => `team-${teamId}`,
  membership: (teamId: string, userId: string) => `membership-${teamId}.${userId}`,
} as const;
