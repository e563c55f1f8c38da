import type {
  ApiKey,
  ApiKeysClient,
  AuthClient,
  ContactChannelsClient,
  CurrentProject,
  CurrentUser,
  OwnTeamsClient,
  Session,
  SessionsClient,
  UserSession,
} from '@gatebook/js/core';
import type { HandlerApp } from '../handler/context.ts';

type MockConfig = Partial<CurrentProject['config']>;
export type MockProject<Setting extends keyof MockConfig = keyof MockConfig> = {
  config: Pick<CurrentProject['config'], Setting>;
};
export type MockUser = { displayName?: string; profileImageUrl?: string };
export type MockApiKey = {
  id: string;
  description: string;
  /** ISO 8601, as all times of mocks. */
  createdAt: string;
  expiresAt?: string;
  manuallyRevokedAt?: string;
};
export type MockSession = {
  id: string;
  isCurrentSession: boolean;
  isImpersonation?: boolean;
  createdAt: string;
  lastUsedAt?: string;
  geoInfo?: { ip?: string; cityName?: string };
};
/** What a component shows in place of what the server has. */
export type MockData = {
  project?: { config: MockConfig } | undefined;
  user?: MockUser | undefined;
  apiKeys?: readonly MockApiKey[] | undefined;
  sessions?: readonly MockSession[] | undefined;
};

/** The app of a preview: it has the mock data, stores nothing and stays on the page. */
export function mockedApp({ urls, redirects }: HandlerApp, mock: MockData): HandlerApp {
  const project = toProject(mock.project?.config);
  const user = mock.user ? toUser(mock.user) : null;
  const stay = async () => {};
  return {
    urls,
    session: inert<Session>({ isSignedIn: () => user !== null, tokens: async () => null, subscribe: () => () => {} }),
    redirects: { ...redirects, to: stay, toUrl: stay },
    project: { find: async () => project },
    getUser: async () => user,
    me: inert({}),
    auth: inert<AuthClient>({ signInWithPasskey }),
    oauth: inert({}),
    cliLogin: inert({}),
    teamInvitations: inert({}),
    teams: inert<OwnTeamsClient>({ list: async () => [] }),
    contactChannels: inert<ContactChannelsClient>({ list: async () => [] }),
    sessions: inert<SessionsClient>({ list: async () => (mock.sessions ?? []).map(toSession) }),
    apiKeys: inert<ApiKeysClient>({
      list: async () => (mock.apiKeys ?? []).map(toApiKey),
      create: async () => 'mock key',
    }),
  };
}

const noBranding = { logoUrl: null, darkLogoUrl: null, accentColor: null };

/** Nobody chooses a passkey in the autofill of a field. */
const signInWithPasskey: AuthClient['signInWithPasskey'] = async ({ autofill } = {}) =>
  autofill ? new Promise(() => {}) : { isNewUser: false };

/** A client whose other methods do nothing. It has no `then`, so that `await` returns it. */
const inert = <Client extends object>(given: Partial<Client>): Client =>
  new Proxy(given as Client, {
    get: (client, name) => Reflect.get(client, name) ?? (name === 'then' ? undefined : async () => ({})),
  });

const toProject = (config: MockConfig = {}): CurrentProject => ({
  id: 'mock',
  displayName: '',
  config: {
    ...{ signUpEnabled: true, credentialEnabled: true, magicLinkEnabled: false, passkeyEnabled: false },
    ...{ clientTeamCreationEnabled: false, clientUserDeletionEnabled: false },
    ...{
      allowUserApiKeys: false,
      allowTeamApiKeys: false,
      oauthProviders: [],
      minPasswordLength: 8,
      branding: noBranding,
    },
    ...config,
  },
});

const toUser = ({ displayName = '', profileImageUrl }: MockUser): CurrentUser => ({
  ...{ id: 'mock', displayName, profileImageUrl: profileImageUrl ?? null, signedUpAt: new Date(0) },
  ...{ primaryEmail: null, primaryEmailVerified: false, hasPassword: true, otpAuthEnabled: false },
  ...{ passkeyAuthEnabled: false, isMultiFactorRequired: false, isAnonymous: false, oauthProviders: [] },
  ...{ restriction: null, restrictedByAdmin: false, restrictedByAdminReason: null },
  ...{ clientMetadata: null, clientReadOnlyMetadata: null },
});

const toDate = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));

const toApiKey = ({ id, description, ...times }: MockApiKey): ApiKey => ({
  ...{ id, description, lastFour: '****', isPublic: false, createdAt: new Date(times.createdAt) },
  ...{ expiresAt: toDate(times.expiresAt), manuallyRevokedAt: toDate(times.manuallyRevokedAt) },
});

const toSession = ({ id, isCurrentSession, isImpersonation = false, geoInfo, ...times }: MockSession): UserSession => ({
  ...{ id, userId: 'mock', isCurrentSession, isImpersonation, createdAt: new Date(times.createdAt) },
  lastUsedAt: toDate(times.lastUsedAt),
  device: { browser: null, system: null },
  place: geoInfo ? { ip: geoInfo.ip ?? '', city: geoInfo.cityName ?? null, country: null } : null,
});
