import { addressRefOf } from '@gatebook/commands/reservation/email';
import type { LookupHash } from '@gatebook/eventlog/encryption/lookup-hash';

/** `ids`: IDs of users, teams, keys and anything else. `addressRefs`: keyed hashes of email addresses. */
export type Subjects = { ids: readonly string[]; addressRefs: readonly string[] };
/** One of our access tokens in a response, expired or not. */
export type IssuedToken = { projectId: string; userId: string; sessionId: string };

type Answered = { projectId: string; url: string; body: string; callerIds: readonly string[] };

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Texts are split first: a match that can begin anywhere takes time with the square of their length. */
const aroundAddresses = /[\s"'\\<>()[\]{},:;=&/?#]+/;
const aroundTokens = /[^\w.-]+/;
const token = /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/;
const longestAddress = 320;
/** Responses that name more are not stored. */
const maxNamed = 200;

/**
 * The people that a response is about. A response that shows a person contains their ID: in its body, in a token, or in
 * the path of the request. Errors contain addresses. Other IDs are harmless, because only some IDs belong to subjects.
 * @returns null for a response that names too many
 */
export function subjectsOf(lookupHash: LookupHash, { projectId, url, body, callerIds }: Answered): Subjects | null {
  if (isEmptySuccess(body)) return { ids: [], addressRefs: [] };
  const text = [body, decodeURIComponentSafely(url), ...tokensIn(body).map((claims) => JSON.stringify(claims))].join(
    ' ',
  );
  const ids = new Set([...callerIds, ...(text.match(uuid) ?? [])].map((id) => id.toLowerCase()));
  const addresses = new Set(text.split(aroundAddresses).flatMap(addressIn));
  if (ids.size > maxNamed || addresses.size > maxNamed) return null;
  const refs = [...addresses].map((found) => addressRefOf({ lookupHash }, projectId, found));
  return { ids: [...ids], addressRefs: [...new Set(refs)] };
}

/** A sentence may end with an address. */
function addressIn(word: string): string[] {
  let end = word.length;
  while (end > 0 && '.!'.includes(word.charAt(end - 1))) end -= 1;
  const at = word.lastIndexOf('@', end - 2);
  return at > 0 && end <= longestAddress ? [word.slice(0, end)] : [];
}

/** Whether a response only says that the write succeeded. */
export const isEmptySuccess = (body: string): boolean => body === '' || body === '{"success":true}' || body === '{}';

export function issuedTokens(body: string): IssuedToken[] {
  return tokensIn(body).flatMap(({ aud: projectId, sub: userId, refreshTokenId: sessionId }) =>
    typeof projectId === 'string' && typeof userId === 'string' && typeof sessionId === 'string'
      ? [{ projectId, userId, sessionId }]
      : [],
  );
}

/** Claims of all JWTs in the text, including those of other issuers. */
function tokensIn(body: string): Record<string, unknown>[] {
  return body.split(aroundTokens).flatMap((text) => {
    if (!token.test(text)) return [];
    try {
      return [JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())];
    } catch {
      return [];
    }
  });
}

function decodeURIComponentSafely(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
