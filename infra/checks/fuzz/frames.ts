import { connect } from 'node:net';

/** Bytes on a connection, and which answers are right. */
export type Frame = {
  name: string;
  bytes: string | Buffer;
  /** Statuses of the answers, in order; none: the connection just ends. */
  isRight: (statuses: readonly number[]) => boolean;
};
export type FrameAnswer = { statuses: number[]; text: string; isClosed: boolean };

const get = 'GET /api/v1 HTTP/1.1\r\nhost: localhost\r\n';
const post = 'POST /api/v1/auth/password/sign-in HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const secret = 'GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n';

const rejected = (statuses: readonly number[]) =>
  statuses.length <= 1 && statuses.every((status) => status >= 400 && status < 500);
/** Exactly this many requests were read, none of which is a fault of the server. */
const answered = (count: number) => (statuses: readonly number[]) =>
  statuses.length === count && statuses.every((status) => status < 500);
const anyButFault = (statuses: readonly number[]) => statuses.every((status) => status < 500);

/** What two parsers in a row might read differently, broken framing, and line breaks where none may be. */
export const frames: readonly Frame[] = [
  { name: 'a valid request', bytes: `${get}connection: close\r\n\r\n`, isRight: answered(1) },
  { name: 'two pipelined requests', bytes: `${get}\r\n${get}connection: close\r\n\r\n`, isRight: answered(2) },
  {
    name: 'content-length and transfer-encoding (CL.TE)',
    bytes: `${post}content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${secret}`,
    isRight: rejected,
  },
  {
    name: 'transfer-encoding and content-length (TE.CL)',
    bytes: `${post}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n5c\r\n${secret}\r\n0\r\n\r\n`,
    isRight: rejected,
  },
  {
    name: 'two different content-lengths',
    bytes: `${post}content-length: 2\r\ncontent-length: 40\r\n\r\n{}${secret}`,
    isRight: rejected,
  },
  { name: 'a list of content-lengths', bytes: `${post}content-length: 2, 40\r\n\r\n{}${secret}`, isRight: rejected },
  { name: 'a negative content-length', bytes: `${post}content-length: -2\r\n\r\n{}`, isRight: rejected },
  { name: 'a signed content-length', bytes: `${post}content-length: +2\r\n\r\n{}`, isRight: rejected },
  { name: 'a hexadecimal content-length', bytes: `${post}content-length: 0x2\r\n\r\n{}`, isRight: rejected },
  {
    name: 'a content-length beyond 64 bits',
    bytes: `${post}content-length: 99999999999999999999\r\n\r\n{}`,
    isRight: rejected,
  },
  { name: 'an empty content-length', bytes: `${post}content-length: \r\n\r\n{}`, isRight: rejected },
  {
    name: 'an unknown transfer-encoding',
    bytes: `${post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`,
    isRight: rejected,
  },
  {
    name: 'chunked twice',
    bytes: `${post}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n${secret}`,
    isRight: rejected,
  },
  {
    name: 'a transfer-encoding after a vertical tab',
    bytes: `${post}transfer-encoding:\x0bchunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`,
    isRight: rejected,
  },
  { name: 'a space before the colon', bytes: `${post}content-length : 2\r\n\r\n{}`, isRight: rejected },
  { name: 'a folded header', bytes: `${post}content-length: 2\r\n\tx: y\r\n\r\n{}`, isRight: rejected },
  { name: 'a bare line feed between headers', bytes: `${get}x-a: b\nx-b: c\r\n\r\n`, isRight: rejected },
  { name: 'a bare carriage return in a header', bytes: `${get}x-a: b\rx-b: c\r\n\r\n`, isRight: rejected },
  { name: 'a NUL in a header', bytes: `${get}x-stack-project-id: a\0b\r\n\r\n`, isRight: rejected },
  { name: 'a NUL in the path', bytes: 'GET /api\0/v1 HTTP/1.1\r\nhost: localhost\r\n\r\n', isRight: rejected },
  {
    name: 'a malformed chunk size',
    bytes: `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    isRight: rejected,
  },
  {
    name: 'a negative chunk size',
    bytes: `${post}transfer-encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
    isRight: rejected,
  },
  {
    name: 'a chunk size beyond 64 bits',
    bytes: `${post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
    isRight: rejected,
  },
  {
    name: 'a chunk longer than its size',
    bytes: `${post}transfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${secret}`,
    isRight: rejected,
  },
  { name: 'no request line', bytes: '\r\n\r\n\r\n', isRight: anyButFault },
  { name: 'an unknown method', bytes: 'GETT / HTTP/1.1\r\nhost: localhost\r\n\r\n', isRight: rejected },
  { name: 'HTTP/9.9', bytes: 'GET / HTTP/9.9\r\nhost: localhost\r\n\r\n', isRight: rejected },
  { name: 'HTTP/2 without negotiation', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', isRight: rejected },
  { name: 'no host', bytes: 'GET /api/v1 HTTP/1.1\r\nconnection: close\r\n\r\n', isRight: rejected },
  {
    name: 'two hosts',
    bytes: 'GET /api/v1 HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
    isRight: anyButFault,
  },
  {
    name: 'an absolute URL',
    bytes: 'GET http://evil.example/api/v1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    isRight: anyButFault,
  },
  { name: 'a tunnel', bytes: 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n\r\n', isRight: rejected },
  { name: 'an upgrade', bytes: `${get}connection: upgrade, close\r\nupgrade: h2c\r\n\r\n`, isRight: anyButFault },
  { name: 'headers of 100 kB', bytes: `${get}x-a: ${'x'.repeat(100_000)}\r\n\r\n`, isRight: rejected },
  { name: '5,000 headers', bytes: `${get}${'a: b\r\n'.repeat(5_000)}\r\n`, isRight: rejected },
  {
    name: 'a path of 100 kB',
    bytes: `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    isRight: rejected,
  },
  { name: 'random bytes', bytes: Buffer.from('16030100f0010000ec0303deadbeef00ff7f80', 'hex'), isRight: rejected },
  {
    name: 'a body that ends early',
    bytes: `${post}content-length: 100\r\n\r\n{"email":`,
    isRight: rejected,
  },
  { name: 'chunks that end early', bytes: `${post}transfer-encoding: chunked\r\n\r\n5\r\n{"a`, isRight: rejected },
  {
    name: 'an unknown expectation',
    bytes: `${post}expect: 200-maybe\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    isRight: anyButFault,
  },
  {
    name: 'escaped line breaks in a path',
    bytes: 'GET /api/v1/users/%0d%0aset-cookie:%20a=b HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    isRight: answered(1),
  },
  {
    name: 'escaped line breaks in a redirect',
    bytes:
      'GET /api/v1/auth/oauth/authorize/google?redirect_uri=http://localhost/%0d%0aset-cookie:a=b HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    isRight: answered(1),
  },
];

/** Sends the bytes, then the end of the stream, and reads until the server closes. */
export function sendFrame(
  { host, port }: { host: string; port: number },
  bytes: string | Buffer,
  timeoutMs: number,
): Promise<FrameAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host, port });
    const end = (isClosed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
      resolve({ statuses, text, isClosed });
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => end(true));
    socket.on('close', () => end(true));
    socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** What is wrong with an answer; null when nothing is. */
export function faultOf({ name, isRight }: Frame, { statuses, text, isClosed }: FrameAnswer): string | null {
  if (!isClosed) return `${name}: the connection remains open`;
  if (!isRight(statuses)) return `${name}: answered ${statuses.join(', ') || 'nothing'}`;
  if (/^set-cookie: ?a=b/im.test(text)) return `${name}: a header was injected`;
  return null;
}
