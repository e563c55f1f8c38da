import type { AuditEvent, Project, ProjectOverview, Team, User, WebhookEndpoint } from '@gatebook/js/admin';
import type { PublicEvent } from '@gatebook/js/events';

export const annId = '11111111-1111-4111-8111-111111111111';

export function sampleUser(change: Partial<User> = {}): User {
  return {
    id: annId,
    displayName: 'Ann Achebe',
    primaryEmail: 'ann@example.com',
    primaryEmailVerified: true,
    primaryEmailAuthEnabled: true,
    profileImageUrl: null,
    signedUpAt: new Date('2026-03-01T10:00:00Z'),
    lastActiveAt: new Date('2026-03-02T10:00:00Z'),
    hasPassword: true,
    otpAuthEnabled: false,
    passkeyAuthEnabled: false,
    isMultiFactorRequired: false,
    restriction: null,
    restrictedByAdmin: false,
    restrictedByAdminReason: null,
    restrictedByAdminPrivateDetails: null,
    countryCode: null,
    riskScores: { bot: 0, freeTrialAbuse: 0 },
    isAnonymous: false,
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
    oauthProviders: [],
    ...change,
  };
}

export const sampleOverview = (change: Partial<ProjectOverview> = {}): ProjectOverview => {
  const { config: _, ownerTeamId: __, ...project } = sampleProject();
  return { ...project, lastActiveAt: null, ...change };
};

export function sampleProject(change: Partial<Project> = {}): Project {
  return {
    id: 'p1',
    displayName: 'Acme Shop',
    description: 'The web shop.',
    createdAt: new Date('2026-03-01T10:00:00Z'),
    userCount: 1234,
    isProductionMode: false,
    ownerTeamId: null,
    role: 'owner',
    config: {
      signUpEnabled: true,
      credentialEnabled: true,
      magicLinkEnabled: false,
      passkeyEnabled: false,
      clientTeamCreationEnabled: false,
      clientUserDeletionEnabled: false,
      allowUserApiKeys: false,
      allowTeamApiKeys: false,
      branding: { logoUrl: null, darkLogoUrl: null, accentColor: null },
      allowLocalhost: true,
      createTeamOnSignUp: false,
      oauthAccountMergeStrategy: 'link_method',
      oauthProviders: [],
      domains: [],
      emailConfig: { type: 'shared' },
      userDefaultPermissions: [],
      teamMemberDefaultPermissions: ['team_member'],
      teamCreatorDefaultPermissions: ['team_admin'],
    },
    ...change,
  };
}

export function sampleTeam(change: Partial<Team> = {}): Team {
  return {
    id: 't1',
    displayName: 'Editors',
    profileImageUrl: null,
    createdAt: new Date('2026-03-01T10:00:00Z'),
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
    ...change,
  };
}

export function sampleAuditEvent(change: Partial<AuditEvent> = {}): AuditEvent {
  const at = change.at ?? new Date('2026-03-01T10:00:00Z');
  return {
    id: 'e1',
    type: 'UserRenamed',
    category: 'user',
    text: 'Changed display name from Ann to Anne',
    outcome: 'success',
    errorCode: null,
    count: 1,
    at,
    lastAt: at,
    actionId: `request-${change.id ?? 'e1'}`,
    causedByEventId: null,
    actor: {
      kind: 'owner',
      id: 'o',
      displayName: 'Maya',
      projectId: 'internal',
      keyId: null,
      sessionId: null,
      impersonator: null,
      isErased: false,
    },
    targets: [{ type: 'user', id: annId, displayName: 'Ann Achebe', isErased: false }],
    origin: { ip: '203.0.113.9', userAgent: null, country: null },
    isTechnical: false,
    undoneByActionId: null,
    ...change,
  };
}

export function samplePublicEvent(change: Partial<PublicEvent> = {}): PublicEvent {
  return {
    id: 'evt_1',
    type: 'user.signed_in',
    created_at_millis: Date.parse('2026-03-01T10:00:00Z'),
    cursor: 'c1',
    actor: { kind: 'client', id: null },
    request_id: 'r1',
    data: {
      id: 's1',
      user_id: annId,
      method: 'password',
      provider_id: null,
      second_factor: null,
      is_impersonation: false,
      created_at_millis: 0,
      expires_at_millis: 1,
    },
    ...change,
  } as PublicEvent;
}

export function sampleEndpoint(change: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    id: 'w1',
    url: 'https://shop.example/webhooks',
    description: 'Billing',
    types: null,
    ordering: 'subject',
    isEnabled: true,
    disabledReason: null,
    rateLimitPerSecond: null,
    headerNames: [],
    cursor: 'c',
    lag: 0,
    failingSince: null,
    lastSuccessAt: new Date('2026-03-02T10:00:00Z'),
    lastFailureAt: null,
    successRate: 0.998,
    p95DurationInMillis: 120,
    counts: { delivered: 1_234, failed: 0, pending: 2 },
    createdAt: new Date('2026-03-01T10:00:00Z'),
    ...change,
  };
}
