import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Page = {
  status: number;
  headers: Readonly<Record<string, string | number | string[] | undefined>>;
  body: Buffer;
};
type Packed = Page & { packed: Buffer };

const compress = promisify(gzip);
/** Set anew for each request, or for the size that is sent. */
const ownHeaders = ['content-length', 'content-encoding', 'connection', 'date', 'keep-alive', 'transfer-encoding'];

/**
 * Sends pages that never change while this process runs, compressed for clients that accept it. `load` makes the page
 * of a path; it is called at the first request, and again if there was none.
 */
export function createCompressedPages(load: (path: string) => Promise<Page>) {
  const pages = new Map<string, Packed>();

  async function find(path: string): Promise<Packed> {
    const known = pages.get(path);
    if (known) return known;
    const page = await load(path);
    const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => !ownHeaders.includes(name)));
    const found = { ...page, headers, packed: await compress(page.body) };
    if (page.status === 200) pages.set(path, found);
    return found;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = ''] = request.url.split('?', 1);
    const { status, headers, body, packed } = await find(path);
    reply.code(status).headers(headers).header('vary', 'accept-encoding');
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(body);
    return reply.header('content-encoding', 'gzip').send(packed);
  };
}
