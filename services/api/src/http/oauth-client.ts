import type { FastifyRequest } from 'fastify';
import { fieldOf } from './limit-keys.ts';

export type OAuthClient = { id: string | undefined; secret: string | undefined };

/**
 * The client that a request to an OAuth route names: in the query, or as HTTP Basic or in the body of a POST. Basic
 * takes precedence (RFC 6749 §2.3.1: both parts are form-encoded).
 */
export function oauthClientOf({ method, headers, query, body }: FastifyRequest): OAuthClient {
  const isPost = method === 'POST';
  const basic = isPost ? /^basic ([a-z0-9+/]+=*)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
  if (basic === undefined) {
    const fields = isPost ? body : query;
    return { id: textOf(fieldOf(fields, 'client_id')), secret: textOf(fieldOf(fields, 'client_secret')) };
  }
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':');
  return { id: formDecoded(id), secret: formDecoded(secret.join(':')) };
}

/** @returns undefined for anything but text, and for the empty text */
export const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

function formDecoded(text: string): string | undefined {
  try {
    return textOf(decodeURIComponent(text.replaceAll('+', ' ')));
  } catch {
    return undefined;
  }
}
