import { readBody, readKnownError, toAnswerError } from './answer.ts';
import { AnswerError, ConnectionError, isKnownError } from './errors.ts';
import { backoffMs, isNetworkFailure, type Network, retryAfterMs } from './network.ts';
import type { RefreshGrant } from './session.ts';
import { apiUrl } from './transport.ts';

const MAX_ATTEMPTS = 5;

type Options = {
  baseUrl: string;
  projectId: string;
  publishableClientKey?: string | undefined;
  maxAttempts?: number | undefined;
  network: Network;
};

/**
 * `POST /auth/oauth/token` with the client credentials in the form and without the usual headers (protocol, client
 * §6.2).
 */
export function createRefreshGrant(options: Options): RefreshGrant {
  const { baseUrl, projectId, publishableClientKey, maxAttempts = MAX_ATTEMPTS, network } = options;
  return async (refreshToken) => {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: projectId,
      ...(publishableClientKey !== undefined && { client_secret: publishableClientKey }),
    });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await requestTokens(network, baseUrl, body);
        if (response.status === 429 && attempt < maxAttempts) await network.pause(retryAfterMs(response));
        else return await readGrant(response);
      } catch (error) {
        if (!isNetworkFailure(error)) throw error;
        if (attempt >= maxAttempts) throw new ConnectionError(!network.isOnline(), { refresh: String(error) }, error);
      }
      await network.pause(backoffMs(attempt, network.random));
    }
  };
}

/** Calls the OAuth token endpoint. */
export function requestTokens(network: Network, baseUrl: string, form: URLSearchParams): Promise<Response> {
  return network.fetch(apiUrl(baseUrl, '/auth/oauth/token'), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    credentials: 'omit',
    cache: 'no-store',
  });
}

async function readGrant(response: Response): Promise<string> {
  const known = await readKnownError(response);
  if (known && isKnownError(known, 'REFRESH_TOKEN_ERROR')) return 'rejected';
  if (known) throw known;
  if (!response.ok) throw await toAnswerError(response);
  const answer = await readBody(response);
  if (typeof answer === 'object' && answer !== null && 'access_token' in answer) {
    if (typeof answer.access_token === 'string' && answer.access_token !== '') return answer.access_token;
  }
  throw new AnswerError(response.url, response.status, 'the response to a refresh has no access token');
}
