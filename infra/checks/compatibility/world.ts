import type { TestApi } from '@gatebook/api/testing/api';
import { countMailsTo, mailTo } from '@gatebook/api/testing/mailbox';
import type { ClientLibrary } from '@gatebook/api/testing/published-clients';
import { newEmail, type OwnedProject, password, type Send, senderOf } from '@gatebook/api/testing/requests';
import type { Page } from 'playwright-core';
import type * as oldest from 'stack-js-2-8-3';
import type * as newest from 'stack-js-2-8-108';

export type ClientApp = newest.StackClientApp<true>;
export type ServerApp = newest.StackServerApp<true>;
export type AdminApp = newest.StackAdminApp<true>;
/** What the oldest client has and the newest no longer has. */
export type OldAdminApp = oldest.StackAdminApp<true>;
export type SignedUp = { app: ClientApp; email: string; user: newest.CurrentUser };

/** What all versions share. */
export type Environment = {
  api: TestApi;
  baseUrl: string;
  project: OwnedProject;
  /** Opens a separate page in Chromium, which starts at the first call. */
  newPage(): Promise<Page>;
  /** The OAuth provider. */
  simulatorUrl: string;
  /** Of a mail server that accepts everything. */
  smtpPort: number;
};

/** One version of the client library, a project, and everything that the calls need besides. */
export type World = Environment & {
  version: string;
  /** Where an app with this version is served, from the first call on. */
  appUrl(): Promise<string>;
  send: Send;
  clientApp(options?: object): ClientApp;
  serverApp(options?: object): ServerApp;
  adminApp(options?: object): AdminApp;
  /** A client app that signs in to project `internal`. */
  internalApp(): newest.StackClientApp<true, 'internal'>;
  signedUp(): Promise<SignedUp>;
  /** The code in the newest email to an address. */
  codeFor(address: string): Promise<string>;
  /** The six characters in the newest sign-in email to an address. */
  otpFor(address: string): Promise<string>;
  countEmailsTo(address: string): Promise<number>;
  /** Makes the primary email verified. */
  verify(address: string): Promise<void>;
  /** Emails of the people with an open invitation. */
  invitationsOf(teamId: string): Promise<string[]>;
  /** A server app with a signed-in user. */
  signedUpAtServer(): Promise<{ app: ServerApp; email: string; user: newest.CurrentServerUser }>;
};

export const page = (name: string) => `http://localhost:3000/handler/${name}`;
export const quietly = { noRedirect: true, verificationCallbackUrl: page('email-verification') };

type VersionOfClient = { version: string; library: ClientLibrary; appUrl: World['appUrl'] };

export function createWorld(environment: Environment, { version, library, appUrl }: VersionOfClient): World {
  const { api, baseUrl, project } = environment;
  const { projectId, keys } = project;
  const common = { baseUrl, tokenStore: 'memory', redirectMethod: 'none', analytics: { enabled: false } } as const;
  const facts = { ...common, projectId, publishableClientKey: keys.client };
  const serverFacts = { ...facts, secretServerKey: keys.server };
  const clientApp = (options = {}) => new library.StackClientApp({ ...facts, ...options }) as ClientApp;
  const serverApp = (options = {}) => new library.StackServerApp({ ...serverFacts, ...options }) as ServerApp;
  const adminFacts = { ...serverFacts, superSecretAdminKey: keys.admin };
  const adminApp = (options = {}) => new library.StackAdminApp({ ...adminFacts, ...options }) as AdminApp;

  async function signUp<App extends ClientApp>(app: App): Promise<{ app: App; email: string }> {
    const email = newEmail();
    const result = await app.signUpWithCredential({ email, password, ...quietly });
    if (result.status !== 'ok') throw result.error;
    return { app, email };
  }
  const send = senderOf(api);
  const asServer = { ...project, access: 'server' } as const;
  return {
    ...environment,
    ...{ version, appUrl, send, clientApp, serverApp, adminApp },
    ...mailOf(api),
    internalApp: () =>
      new library.StackClientApp({ ...common, projectId: 'internal', publishableClientKey: api.keys.client }),
    verify: async (address) => {
      const { body } = await send('GET', `/users?query=${address}`, asServer);
      await send('PATCH', `/users/${body.items[0].id}`, { ...asServer, body: { primary_email_verified: true } });
    },
    invitationsOf: async (teamId) => {
      const { body } = await send('GET', `/team-invitations?team_id=${teamId}`, asServer);
      return body.items.map((invitation: { recipient_email: string }) => invitation.recipient_email);
    },
    signedUp: async () => {
      const { app, email } = await signUp(clientApp());
      return { app, email, user: await app.getUser({ or: 'throw' }) };
    },
    signedUpAtServer: async () => {
      const { app, email } = await signUp(serverApp());
      return { app, email, user: await app.getUser({ or: 'throw' }) };
    },
  };
}

const mailOf = (api: TestApi): Pick<World, 'codeFor' | 'otpFor' | 'countEmailsTo'> => ({
  codeFor: async (address) => (await mailTo(api, address)).code,
  otpFor: async (address) => (await mailTo(api, address)).variables?.otp ?? '',
  countEmailsTo: (address) => countMailsTo(api, address),
});
