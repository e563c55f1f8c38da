import type { KnownErrorCode } from './error-codes.ts';
import { AnswerError, KnownError, ReauthenticationRequiredError, UnknownErrorCode } from './errors.ts';

/** The real status: with the override header, errors arrive as 200 with their status in a header. */
export function actualStatus(response: Response): number {
  const override = Number(response.headers.get('x-stack-actual-status'));
  return override > 0 ? override : response.status;
}

/** The known error of a response, or null. */
export async function readKnownError(response: Response): Promise<KnownError | UnknownErrorCode | null> {
  const code = response.headers.get('x-stack-known-error');
  if (code === null) return null;
  const status = actualStatus(response);
  const text = await response.text();
  const body = parseJson(text);
  if (!isRecord(body) || body.code !== code) {
    throw new AnswerError(response.url, status, `the error body does not contain the code ${code}: ${text}`);
  }
  const message = typeof body.error === 'string' ? body.error : code;
  if (!(await isListed(code))) return new UnknownErrorCode(code, message);
  return new KnownError(code as KnownErrorCode, status, message, isRecord(body.details) ? body.details : {});
}

/** The list is loaded with the first error. If that fails, the error itself is what counts. */
const isListed = (code: string): Promise<boolean> =>
  import('./error-codes.ts').then(
    ({ isKnownErrorCode }) => isKnownErrorCode(code),
    () => true,
  );

/** Content types of responses that can be of any size, or endless. */
const streamed = /event-stream|ndjson|csv/;

/** Parsed JSON if the content type says so, the body itself if it can be too long to wait for, otherwise text. */
export async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type');
  if (type && streamed.test(type)) return response.body;
  const text = await response.text();
  return type?.includes('application/json') ? parseJson(text) : text;
}

export async function toAnswerError(response: Response): Promise<AnswerError> {
  const requestId = response.headers.get('x-stack-request-id');
  // RFC 9470 §3.
  const challenge = response.headers.get('www-authenticate') ?? '';
  const Kind = challenge.includes('insufficient_user_authentication') ? ReauthenticationRequiredError : AnswerError;
  return new Kind(response.url, actualStatus(response), await response.text(), requestId);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
