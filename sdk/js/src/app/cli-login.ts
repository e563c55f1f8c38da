import { cliLoginClient, promptCliLogin as prompt } from '../auth/cli-login.ts';
import { createExchange } from '../transport.ts';
import type { AppCore } from './app-core.ts';
import { type Result, toResult } from './result.ts';

export type CliLoginOptions = {
  /** Origin of the app's pages. */
  appUrl: string;
  /** Two hours by default. */
  expiresInMillis?: number;
  /** The refresh token of the program’s anonymous user, whose account is kept. */
  anonRefreshToken?: string;
  /** Unlimited by default. */
  maxAttempts?: number;
  /** Between two attempts; 2 s by default. */
  waitTimeMillis?: number;
  /** Shows the link; prints it by default. */
  promptLink?: (url: string, loginCode: string) => void;
};

/** (protocol, client §12.8) */
export async function promptCliLogin({ server, urls }: AppCore, options: CliLoginOptions): Promise<Result<string>> {
  const { appUrl, expiresInMillis, anonRefreshToken, maxAttempts, waitTimeMillis, promptLink } = options;
  const login = prompt(cliLoginClient(createExchange({ ...server, accessType: 'client' })), {
    ...{ appUrl, confirmUrl: urls.cliAuthConfirm, pause: server.network.pause },
    ...(expiresInMillis !== undefined && { expiresInMs: expiresInMillis }),
    ...(anonRefreshToken !== undefined && { anonymousRefreshToken: anonRefreshToken }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(waitTimeMillis !== undefined && { waitMs: waitTimeMillis }),
    ...(promptLink && { promptLink: (url, { loginCode }) => promptLink(url, loginCode) }),
  });
  return toResult(login, 'CLI_AUTH_ERROR', 'CLI_AUTH_EXPIRED_ERROR', 'CLI_AUTH_USED_ERROR');
}
