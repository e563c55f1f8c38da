import type { Socket } from 'node:net';
import { STATUS_CODES } from '@gatebook/runtime/node-http';

const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/**
 * Responds to requests that Node can't parse, and closes the connection. Sends `connection: close`, which Fastify's
 * handler omits: otherwise clients would send the next request on a closing connection.
 */
export function answerUnreadableRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = statuses[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ error: STATUS_CODES[status], statusCode: status });
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
    'content-type: application/json',
  ];
  if (socket.writable) socket.write(`${headers.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
