import { GatebookClientApp as ClientApp, type GatebookClientAppOptions } from '@gatebook/js';
import { type GatebookServerAppOptions, GatebookServerApp as ServerApp } from '@gatebook/js/server';
import { createRequestApp } from './request-app.ts';

/** The same for everyone. */
const withoutSession = ['getProject', 'getConvexClientAuth', 'useNavigate'];
/** With the secret key, also outside of requests. */
const withServerKey = [
  ...['createOAuthProvider', 'createTeam', 'createUser', 'getEmailDeliveryStats', 'getServerUserById', 'getTeam'],
  ...['listProducts', 'listTeamMemberPermissions', 'listTeams', 'listUsers', 'sendEmail'],
];
type Names = ReadonlySet<string>;
const clientMethods: Names = new Set(withoutSession);
const serverMethods: Names = new Set([...withoutSession, ...withServerKey]);

const needsSession = (exceptions: Names) => (method: string, args: readonly unknown[]) =>
  !exceptions.has(method) && !method.startsWith('redirectTo') && !hasSubject(method, args[0]);

/** Whether a call says itself whom it is about: by an ID, an API key, an identity or a token store. */
function hasSubject(method: string, argument: unknown): boolean {
  if (typeof argument !== 'object' || argument === null) return method === 'getUser' && argument !== undefined;
  return ['apiKey', 'ctx', 'tokenStore'].some((name) => (argument as Record<string, unknown>)[name] !== undefined);
}

export type GatebookServerApp<ProjectId extends string = string> = ServerApp<ProjectId>;

/** The app of `@gatebook/js/server` with the session of the current request, and redirects by Next.js. */
export const GatebookServerApp = function construct(options: GatebookServerAppOptions = {}) {
  return createRequestApp((given) => new ServerApp(given), options, needsSession(serverMethods));
} as unknown as new <ProjectId extends string = string>(
  options?: GatebookServerAppOptions & { projectId?: ProjectId },
) => GatebookServerApp<ProjectId>;

export type GatebookClientApp<ProjectId extends string = string> = ClientApp<ProjectId>;

/** The same without a secret key: it can do what the user of the request can. */
export const GatebookClientApp = function construct(options: GatebookClientAppOptions = {}) {
  return createRequestApp((given) => new ClientApp(given), options, needsSession(clientMethods));
} as unknown as new <ProjectId extends string = string>(
  options?: GatebookClientAppOptions & { projectId?: ProjectId },
) => GatebookClientApp<ProjectId>;
