import { type CliLogin, promptCliLogin } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { connectTo, findDefaults, findUser, type Server } from './connect.ts';
import { writeSession } from './session-file.ts';
import { describeUser, toJson } from './user-text.ts';

export type LoginOptions = {
  url: string;
  project: string;
  publishableClientKey?: string;
  /** URL of the app with the project's sign-in pages; defaults to the server for project `internal`. */
  appUrl?: string;
  json: boolean;
};
/** The page shows as many, so that the user can compare them. */
const SHOWN_CHARACTERS = 6;

/** Prints a link, waits until it is approved in a browser, and stores the session. Does not open a browser. */
export async function login(context: CliContext, options: LoginOptions): Promise<void> {
  const { json } = options;
  const { server, appUrl } = await findServer(context, options);
  const app = connectTo(context, server, null);
  const refreshToken = await promptCliLogin(app.cliLogin, {
    appUrl,
    pause: context.network.pause,
    promptLink: (link, begun) => showLink(context, link, begun, json),
  }).catch((error: unknown) => {
    if (isKnownError(error, 'CLI_AUTH_EXPIRED_ERROR', 'CLI_AUTH_USED_ERROR')) {
      throw new CommandError(error.message, exitCodes.notApproved);
    }
    throw error;
  });
  const session = { ...server, refreshToken };
  const user = await findUser(context, session);
  await writeSession(context.sessionFile, session);
  context.print(
    json
      ? JSON.stringify({ event: 'signed_in', url: server.url, project_id: server.projectId, user: toJson(user) })
      : `Signed in as ${describeUser(user)}.`,
  );
}

function showLink({ print }: CliContext, link: string, { loginCode, expiresAt }: CliLogin, json: boolean): void {
  const ending = loginCode.slice(-SHOWN_CHARACTERS);
  if (json) {
    print(JSON.stringify({ event: 'confirm', link, code_ends_in: ending, expires_at: expiresAt.toISOString() }));
    return;
  }
  print('Open this link in your browser and approve the login:');
  print('');
  print(`  ${link}`);
  print('');
  print(`Check that the page shows a code ending in ${ending}. Waiting … (Ctrl-C cancels)`);
}

/** Project `internal` needs no options: the configuration of the dashboard has the rest. */
async function findServer(context: CliContext, options: LoginOptions): Promise<{ server: Server; appUrl: string }> {
  const url = originOf(options.url);
  const { project: projectId, publishableClientKey, appUrl } = options;
  if (publishableClientKey !== undefined && appUrl !== undefined) {
    return { server: { url, projectId, publishableClientKey }, appUrl };
  }
  const defaults = await findDefaults(context, url);
  const isOwnProject = projectId === defaults.projectId;
  if (!isOwnProject && publishableClientKey === undefined) {
    throw new CommandError(`Project ${projectId} requires --publishable-client-key.`, exitCodes.usage);
  }
  if (!isOwnProject && appUrl === undefined) {
    throw new CommandError(
      `Project ${projectId} requires --app-url, the URL of the app with its sign-in pages.`,
      exitCodes.usage,
    );
  }
  const key = publishableClientKey ?? defaults.publishableClientKey;
  return { server: { url, projectId, publishableClientKey: key }, appUrl: appUrl ?? defaults.publicUrl };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CommandError(`${text} is not a URL like http://localhost:8102.`, exitCodes.usage);
  }
  return url.href.replace(/\/$/, '');
}
