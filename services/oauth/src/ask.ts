import { reject } from '@gatebook/domain/errors';
import { isSafeUrl } from '@gatebook/runtime/loopback';

/** `body` is undefined where the answer is no JSON. */
export type Answer = { status: number; body: unknown };

export type Question = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
};

/** Profiles and keys have a few kilobytes; whatever is longer is no answer. */
export const longestAnswerBytes = 1024 * 1024;

/**
 * One request to a provider. No redirect is followed: a token or secret would go to who knows whom.
 * @throws DomainError OAUTH_PROVIDER_UNREACHABLE for no answer before `signal`, and for an answer that says that the provider
 * is not well; OAUTH_PROVIDER_ANSWER_INVALID for one that is too long. Neither says what was asked, which holds secrets.
 */
export async function ask(url: string, question: Question, signal: AbortSignal): Promise<Answer> {
  if (!isSafeUrl(url)) return reject('OAUTH_PROVIDER_UNREACHABLE');
  const response = await fetch(url, { ...question, body: question.body ?? null, redirect: 'manual', signal }).catch(
    () => reject('OAUTH_PROVIDER_UNREACHABLE'),
  );
  const { status } = response;
  const isWell = status >= 200 && status < 500 && (status < 300 || status >= 400) && status !== 408 && status !== 429;
  if (!isWell) {
    await response.body?.cancel().catch(() => undefined);
    return reject('OAUTH_PROVIDER_UNREACHABLE');
  }
  const text = await read(response);
  return { status, body: parse(text) };
}

async function read(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      // Leaving the loop cancels the rest.
      if (bytes > longestAnswerBytes) break;
      chunks.push(chunk);
    }
  } catch {
    return reject('OAUTH_PROVIDER_UNREACHABLE');
  }
  return bytes > longestAnswerBytes ? reject('OAUTH_PROVIDER_ANSWER_INVALID') : Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
