import { connect, type Socket } from 'node:net';

export type Call = { method: string; path: string; headers?: Readonly<Record<string, string>>; body?: string };
/** Where calls are sent. `path`s of calls begin after `prefix`. */
export type Origin = { host: string; port: number; prefix: string };
export type Answer = { status: number; body: string };
/** What a load was answered with. `times`: ms of each answer, in the order of arrival. */
export type Load = { answers: number; ms: number; times: number[] };

/** @param url such as `http://localhost:8102/api/v1` */
export function originOf(url: string): Origin {
  const { hostname, port, pathname } = new URL(url);
  return { host: hostname, port: Number(port), prefix: pathname === '/' ? '' : pathname };
}

/** The bytes of a request, so that they can be prepared before time is taken. */
export function toMessage({ host, port, prefix }: Origin, { method, path, headers = {}, body = '' }: Call): string {
  const all = {
    host: `${host}:${port}`,
    ...headers,
    ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${prefix}${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends one call. @throws Error when the status is not 2xx */
export async function sendOnce(origin: Origin, call: Call): Promise<Answer> {
  const connection = await openConnection(origin);
  try {
    return rejectFailed(await connection.send(toMessage(origin, call)), call);
  } finally {
    connection.close();
  }
}

/** `nextCall` must be different for each call that changes something. */
export type Asking = { origin: Origin; nextCall: () => Call };

/**
 * Sends calls for `ms`, each caller over its own connection, and the next one when the last is answered. @throws Error
 * when an answer is not 2xx, and when there is none
 */
export async function callInTurn({ origin, nextCall }: Asking, callers: number, ms: number): Promise<Load> {
  const connections = await Promise.all(Array.from({ length: callers }, () => openConnection(origin)));
  const times: number[] = [];
  const start = performance.now();
  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (let sent = performance.now(); sent < start + ms; sent = performance.now()) {
          const call = nextCall();
          rejectFailed(await connection.send(toMessage(origin, call)), call);
          times.push(performance.now() - sent);
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  if (times.length === 0) throw new Error(`nothing was answered in ${ms} ms`);
  return { answers: times.length, ms: performance.now() - start, times };
}

/**
 * Sends `perSecond` calls for `ms`, whether or not earlier ones are answered, as they come from people. Times count
 * from when a call was due.
 */
export async function callAtRate({ origin, nextCall }: Asking, perSecond: number, ms: number): Promise<Load> {
  const idle: Connection[] = [];
  const opened: Connection[] = [];
  const times: number[] = [];
  const answers: Promise<void>[] = [];
  const start = performance.now();
  const send = async (due: number): Promise<void> => {
    const call = nextCall();
    const connection = idle.pop() ?? (await openConnection(origin));
    if (!opened.includes(connection)) opened.push(connection);
    rejectFailed(await connection.send(toMessage(origin, call)), call);
    times.push(performance.now() - due);
    idle.push(connection);
  };
  try {
    for (let n = 0; n < (perSecond * ms) / 1000; n += 1) {
      const due = start + (n * 1000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await new Promise((resume) => setTimeout(resume, early));
      answers.push(send(due));
    }
    await Promise.all(answers);
  } finally {
    await Promise.allSettled(answers);
    for (const connection of opened) connection.close();
  }
  return { answers: times.length, ms: performance.now() - start, times };
}

function rejectFailed(answer: Answer, { method, path }: Call): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.slice(0, 300)}`);
}

type Connection = { send(message: string): Promise<Answer>; close(): void };

/** An HTTP/1.1 connection for one request at a time. It costs a fraction of `node:http`, whose CPU the servers lack. */
export async function openConnection({ host, port }: Origin): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;
  const fail = (error: Error): void => waiting?.reject(error);
  const reader = createReader((answer) => {
    const { resolve } = waiting ?? {};
    waiting = null;
    resolve?.(answer);
  }, fail);
  socket.on('data', reader);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(message);
      }),
    close: () => close(socket),
  };
}

function close(socket: Socket): void {
  socket.removeAllListeners('close');
  socket.destroy();
}

const headEnd = Buffer.from('\r\n\r\n');
/** Ends a chunked body (RFC 9112 §7.1). JSON has no line breaks of this form. */
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Reads responses one at a time. */
function createReader(onAnswer: (answer: Answer) => void, onFault: (error: Error) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let head: { status: number; length: number | null } | null = null;
  let received = 0;
  return (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (!head) {
      const whole = Buffer.concat(chunks);
      const end = whole.indexOf(headEnd);
      if (end < 0) return;
      head = readHead(whole.toString('latin1', 0, end));
      if (!head) return onFault(new Error('a response has no length'));
      chunks = [whole.subarray(end + headEnd.length)];
      received = chunks[0]?.length ?? 0;
    }
    const { status, length } = head;
    if (
      length === null
        ? !Buffer.concat(chunks.slice(-2)).subarray(-lastChunk.length).equals(lastChunk)
        : received < length
    )
      return;
    const body = Buffer.concat(chunks).toString();
    [chunks, head, received] = [[], null, 0];
    onAnswer({ status, body: length === null ? joinChunks(body) : body });
  };
}

/** `length`: null for a chunked body. @returns null if the head says neither */
function readHead(head: string): { status: number; length: number | null } | null {
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return { status, length: Number(length) };
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? { status, length: null } : null;
}

/** Chunks of JSON: sizes are in separate lines. */
const joinChunks = (body: string) =>
  body
    .split('\r\n')
    .filter((_, line) => line % 2 === 1)
    .join('');
