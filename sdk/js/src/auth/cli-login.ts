import type {
  CliLoginComplete,
  CliLoginPoll,
  CliLoginStart,
  CliLoginState,
  CliLoginSuccess,
  CliLoginView,
} from '@gatebook/contract/auth';
import { AnswerError, KnownError } from '../errors.ts';
import { pause } from '../network.ts';
import type { Exchange } from '../transport.ts';

export type CliLogin = { pollingCode: string; loginCode: string; expiresAt: Date };

export type CliLoginOptions = {
  expiresInMs?: number;
  /** The refresh token of the CLI’s anonymous user, whose account is kept. */
  anonymousRefreshToken?: string;
};

/** A login that a CLI starts and a signed-in browser approves. */
export type CliLoginClient = {
  /** Expires after two hours by default. @throws KnownError CLI_AUTH_ERROR */
  start(input?: CliLoginOptions): Promise<CliLogin>;
  /**
   * Returns null until the login is approved, then once the refresh token of a session.
   * @throws KnownError CLI_AUTH_EXPIRED_ERROR, CLI_AUTH_USED_ERROR, CLI_AUTH_ERROR, INVALID_POLLING_CODE
   */
  poll(pollingCode: string): Promise<string | null>;
  /**
   * Called in the browser; approves the login as the user of this session.
   * @throws AnswerError for a code that is unknown, expired, used or from another project
   */
  complete(input: { loginCode: string; refreshToken: string }): Promise<void>;
};

/** Fixed texts (protocol, client §18). */
const texts = {
  expired: 'CLI authentication request expired. Please try again.',
  used: 'This authentication token has already been used.',
  timedOut: 'Timed out waiting for CLI authentication.',
};
const POLL_MS = 2_000;

export const cliLoginClient = (exchange: Exchange): CliLoginClient => ({
  start: async ({ expiresInMs, anonymousRefreshToken } = {}) => {
    const body: CliLoginStart = { expires_in_millis: expiresInMs, anon_refresh_token: anonymousRefreshToken };
    const { body: view } = await exchange<CliLoginView>('POST', '/auth/cli', body).catch(asCliError);
    return { pollingCode: view.polling_code, loginCode: view.login_code, expiresAt: new Date(view.expires_at) };
  },
  poll: async (pollingCode) => {
    const question: CliLoginPoll = { polling_code: pollingCode };
    const { status, body } = await exchange<CliLoginState | CliLoginSuccess>('POST', '/auth/cli/poll', question).catch(
      asCliError,
    );
    if (body.status === 'success' && status === 201) return body.refresh_token;
    if (body.status === 'waiting') return null;
    if (body.status === 'expired') throw new KnownError('CLI_AUTH_EXPIRED_ERROR', 400, texts.expired);
    if (body.status === 'used') throw new KnownError('CLI_AUTH_USED_ERROR', 400, texts.used);
    throw cliError(`The server returned ${status} with the unexpected status ${body.status}.`);
  },
  complete: async ({ loginCode, refreshToken }) => {
    const body: CliLoginComplete = { login_code: loginCode, refresh_token: refreshToken };
    await exchange('POST', '/auth/cli/complete', body);
  },
});

export type CliLoginPrompt = CliLoginOptions & {
  /** Origin of the app's pages, without the handler path. */
  appUrl: string;
  handler?: string;
  /** The page that approves logins; below `handler` by default. */
  confirmUrl?: string;
  maxAttempts?: number;
  waitMs?: number;
  /** Shows the link to the user; prints it to the console by default. */
  promptLink?: (url: string, login: CliLogin) => void;
  pause?: (ms: number) => Promise<void>;
};

/** Shows a link and waits for approval in a browser. @returns a refresh token, which is not stored */
export async function promptCliLogin(client: CliLoginClient, prompt: CliLoginPrompt): Promise<string> {
  const { handler = '/handler', waitMs = POLL_MS, maxAttempts = Number.POSITIVE_INFINITY } = prompt;
  const { appUrl, confirmUrl = `${handler}/cli-auth-confirm` } = prompt;
  const login = await client.start(prompt);
  const page = /^https?:/.test(confirmUrl) ? confirmUrl : `${appUrl.replace(/\/$/, '')}${confirmUrl}`;
  const url = `${page}?login_code=${encodeURIComponent(login.loginCode)}`;
  if (prompt.promptLink) prompt.promptLink(url, login);
  else console.log(`Open this link in your browser to sign in:\n\n  ${url}\n`);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const refreshToken = await client.poll(login.pollingCode);
    if (refreshToken !== null) return refreshToken;
    await (prompt.pause ?? pause)(waitMs);
  }
  throw cliError(texts.timedOut);
}

function cliError(message: string): KnownError {
  return new KnownError('CLI_AUTH_ERROR', 400, message);
}

/** Turns responses without a code into the error that callers expect; known errors are kept. */
function asCliError(error: unknown): never {
  if (error instanceof AnswerError) throw cliError(`The server returned ${error.status}: ${error.body.slice(0, 500)}`);
  throw error;
}
