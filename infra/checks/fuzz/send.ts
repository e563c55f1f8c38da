import { Agent, request } from 'node:http';
import type { FuzzRequest } from './requests.ts';

export type FuzzAnswer =
  | { outcome: 'answered'; status: number; text: string; tookMs: number }
  /** The server rejected a large body before all of it was sent, so that its answer was lost on the way. */
  | { outcome: 'cut off' }
  | { outcome: 'hung' | 'broken'; reason: string };

/** As many bytes are read before anything is rejected. */
const alwaysReadBytes = 1_000_000;

/** Keeps connections; header values go out as they are, as bytes of Latin-1. */
export function createSender(url: string, { timeoutMs, connections }: { timeoutMs: number; connections: number }) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> =>
      new Promise((resolve) => {
        const isLarge = body !== null && Buffer.byteLength(body) > alwaysReadBytes;
        const begun = performance.now();
        const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const finish = (answer: FuzzAnswer) => {
          clearTimeout(timer);
          resolve(answer);
        };
        const asked = request(
          { hostname, port, method, path: escapeSpaces(path), headers: { ...headers, ...length }, agent },
          (answer) => {
            const actual = answer.headers['x-stack-actual-status'];
            const status = Number(actual ?? answer.statusCode);
            const finishWith = (text: string) =>
              finish({ outcome: 'answered', status, text, tookMs: performance.now() - begun });
            // A stream has no end.
            if (status === 200 && answer.headers['content-type']?.startsWith('text/event-stream')) {
              finishWith('');
              asked.destroy();
              return;
            }
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('error', (error) => finish({ outcome: 'broken', reason: error.message }));
            answer.on('end', () => finishWith(Buffer.concat(chunks).toString()));
          },
        );
        const timer = setTimeout(() => {
          finish({ outcome: 'hung', reason: `no response within ${timeoutMs} ms` });
          asked.destroy();
        }, timeoutMs);
        asked.on('error', (error) =>
          finish(isLarge && isReset(error) ? { outcome: 'cut off' } : { outcome: 'broken', reason: error.message }),
        );
        asked.end(body ?? undefined);
      }),
  };
}

const isReset = (error: Error) => 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');

/** Node's client rejects to send what would break the request line; frames do that. */
const escapeSpaces = (path: string) => path.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character));
