import { type CliLogin, promptCliLogin } from '@gatebook/js/auth/cli-login';
import { isKnownError } from '@gatebook/js/errors';
import { connectTo, findDefaults, findUser, type Server } from './connect.ts';
import { writeSession } from './session-file.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';
import { describeUser, toJson } from './user-text.ts';

export type LoginOptions = {
  url: string;
  project: string;
  publishableClientKey?: string;
  /** Where the project's own pages are; the server's for its own project. */
  appUrl?: string;
  json: boolean;
};
/** As many as the page shows, for comparing. */
const SHOWN_CHARACTERS = 6;

/** Prints a link, waits until it has been approved in a browser, and keeps the session. Opens nothing by itself. */
export async function login(surroundings: Surroundings, options: LoginOptions): Promise<void> {
  const { json } = options;
  const { server, appUrl } = await findServer(surroundings, options);
  const app = connectTo(surroundings, server, null);
  const refreshToken = await promptCliLogin(app.cliLogin, {
    appUrl,
    pause: surroundings.network.pause,
    promptLink: (link, begun) => showLink(surroundings, link, begun, json),
  }).catch((error: unknown) => {
    if (isKnownError(error, 'CLI_AUTH_EXPIRED_ERROR', 'CLI_AUTH_USED_ERROR')) {
      throw new CommandError(error.message, exitCodes.notApproved);
    }
    throw error;
  });
  const session = { ...server, refreshToken };
  const user = await findUser(surroundings, session);
  await writeSession(surroundings.sessionFile, session);
  surroundings.say(
    json
      ? JSON.stringify({ event: 'signed_in', url: server.url, project_id: server.projectId, user: toJson(user) })
      : `Signed in as ${describeUser(user)}.`,
  );
}

function showLink({ say }: Surroundings, link: string, { loginCode, expiresAt }: CliLogin, json: boolean): void {
  const ending = loginCode.slice(-SHOWN_CHARACTERS);
  if (json) {
    say(JSON.stringify({ event: 'confirm', link, code_ends_in: ending, expires_at: expiresAt.toISOString() }));
    return;
  }
  say('Open this link in your browser and approve the login:');
  say('');
  say(`  ${link}`);
  say('');
  say(`The page has to show a code that ends in ${ending}. Waiting … (Ctrl-C gives up)`);
}

/** Nothing has to be said for the server's own project: its dashboard's configuration tells the rest. */
async function findServer(
  surroundings: Surroundings,
  options: LoginOptions,
): Promise<{ server: Server; appUrl: string }> {
  const url = originOf(options.url);
  const { project: projectId, publishableClientKey, appUrl } = options;
  if (publishableClientKey !== undefined && appUrl !== undefined) {
    return { server: { url, projectId, publishableClientKey }, appUrl };
  }
  const defaults = await findDefaults(surroundings, url);
  const isOwnProject = projectId === defaults.projectId;
  if (!isOwnProject && publishableClientKey === undefined) {
    throw new CommandError(`Project ${projectId} needs --publishable-client-key.`, exitCodes.usage);
  }
  if (!isOwnProject && appUrl === undefined) {
    throw new CommandError(
      `Project ${projectId} needs --app-url: where the sign-in pages of its app are.`,
      exitCodes.usage,
    );
  }
  const key = publishableClientKey ?? defaults.publishableClientKey;
  return { server: { url, projectId, publishableClientKey: key }, appUrl: appUrl ?? defaults.publicUrl };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CommandError(`${text} is not an address like http://localhost:8102.`, exitCodes.usage);
  }
  return url.href.replace(/\/$/, '');
}
