import { reject } from '@gatebook/domain/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addStep } from './steps.ts';
import { parseStrictJson } from './strict-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Content type of the body without parameters; empty if there is none. */
    bodyType: string;
    /** Charset of the content type; empty if there is none. */
    bodyCharset: string;
    /** Size of the body as received; 0 without a body. */
    bodyBytes: number;
  }
}

/** Sizes of bodies in bytes. A route has the smallest one that fits every body that its schema accepts. */
export const bodySizes = {
  small: 65_536,
  medium: 1_048_576,
  /** Fits a profile with an image of 1,000,000 characters (protocol, conventions §6). */
  large: 1_572_864,
} as const;
export type BodySize = keyof typeof bodySizes;

/** Replaces every content type, so that one parser handles all of them, and requests without one. */
const anyMediaType = 'application/octet-stream';

const rejectBody = (message: string): never => reject('BODY_PARSING_ERROR', { message });

/**
 * Parses bodies by content type, as the protocol requires. Only accepts forms where a route consumes them.
 * @throws DomainError BODY_PARSING_ERROR while reading
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyType', '');
  app.decorateRequest('bodyCharset', '');
  app.decorateRequest('bodyBytes', 0);
  addStep(app, 'onRequest', (request) => {
    const headers = request.raw.headers;
    if (headers['content-type'] === undefined) return;
    const [mediaType = '', ...parameters] = headers['content-type'].toLowerCase().split(';');
    request.bodyType = mediaType.trim();
    request.bodyCharset = /^charset="?([^"]*)"?$/.exec(parameters.join(';').trim())?.[1] ?? '';
    headers['content-type'] = anyMediaType;
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    request.bodyBytes = bytes.length;
    try {
      done(null, parseBody(request, bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

const formType = 'application/x-www-form-urlencoded';
const multipartType = 'multipart/form-data';
/** UTF-8 and its subsets. */
const charsets: readonly string[] = ['', 'utf-8', 'utf8', 'us-ascii'];

function parseBody({ bodyType, bodyCharset, routeOptions: { schema } }: FastifyRequest, bytes: Buffer): unknown {
  if (!charsets.includes(bodyCharset)) rejectBody(`The charset ${bodyCharset} is not supported; send UTF-8.`);
  // Any site can make a browser send a form without a CORS preflight.
  if (bodyType === formType && schema?.body && !schema.consumes?.includes(formType)) {
    rejectBody(`The content type ${formType} is not accepted here; send application/json.`);
  }
  switch (bodyType) {
    case '':
      return undefined;
    case 'application/json':
      return parseJson(decode(bytes));
    case formType:
      return parseForm(decode(bytes));
    case multipartType:
      // Routes that accept it need none of its fields.
      return schema?.consumes?.includes(multipartType) ? {} : rejectBody(unsupported(bodyType));
    case 'text/plain':
      return decode(bytes);
    case 'application/octet-stream':
      return bytes;
    default:
      return rejectBody(unsupported(bodyType));
  }
}

const unsupported = (type: string) => `The content type ${type} is not supported.`;

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return rejectBody('The body is not valid UTF-8.');
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return rejectBody('The body is empty, but its content type says JSON.');
  try {
    return parseStrictJson(text);
  } catch (error) {
    return rejectBody(`The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function parseForm(text: string): Record<string, string> {
  try {
    return parseUrlEncoded(text);
  } catch {
    return rejectBody('The body is not a well-formed form.');
  }
}

/** The last of repeated keys wins. @throws URIError for escapes that are not UTF-8 */
export function parseUrlEncoded(text: string): Record<string, string> {
  const fields = text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [decodeField(name), decodeField(value)] as const;
    });
  return Object.fromEntries(fields);
}

function decodeField(field: string): string {
  return decodeURIComponent(field.replaceAll('+', ' '));
}
