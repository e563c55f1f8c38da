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
 * of a route; it is called at the first request, and again if there was no page. Pages are kept by route, because every
 * page has countless spellings in percent-encoding.
 */
export function createCompressedPages(load: (route: string) => Promise<Page>) {
  const pages = new Map<string, Promise<Packed>>();

  async function pack(route: string): Promise<Packed> {
    const page = await load(route);
    const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => !ownHeaders.includes(name)));
    return { ...page, headers, packed: await compress(page.body) };
  }

  function find(route: string): Promise<Packed> {
    const known = pages.get(route);
    if (known) return known;
    const page = pack(route);
    pages.set(route, page);
    const forget = () => pages.delete(route);
    page.then(({ status }) => status === 200 || forget(), forget);
    return page;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { status, headers, body, packed } = await find(request.routeOptions.url ?? '');
    reply.code(status).headers(headers).header('vary', 'accept-encoding');
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(body);
    return reply.header('content-encoding', 'gzip').send(packed);
  };
}

/** The weight of a coding that is not named is that of `*` (RFC 9110 §12.5.3). */
function acceptsGzip(header = ''): boolean {
  const weights = new Map<string, number>();
  for (const named of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = named.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(coding, Number(weight ?? 1));
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
