import { connect } from 'node:net';
import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { newEmail, newPassword, type World } from './world.ts';

/** Bytes sent as they are, and all that comes back until the server ends the connection or is quiet. */
function raw({ origin }: World, request: string, quietMs = 1_500): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(request, 'latin1');
  });
}
const statusesIn = (answer: string) =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));

function head({ origin, internalKeys }: World, method: string, path: string, ...lines: string[]): string {
  return [
    ...[
      `${method} ${path} HTTP/1.1`,
      `host: ${new URL(origin).host}`,
      'x-stack-access-type: server',
      'x-stack-project-id: internal',
    ],
    ...[`x-stack-secret-server-key: ${internalKeys.server}`, ...lines, '', ''],
  ].join('\r\n');
}

const post = (world: World, body: string, headers: Record<string, string> = {}) =>
  world.send('POST', '/users', { ...world.a, access: 'server', body, headers });
const numbers = ['1e400', '-1e400', '1e309', '123456789012345678901234567890'];

export const input: readonly Attack[] = [
  attack('V8', 'Numbers out of range in the metadata of a new user (I2)', async (world) => {
    for (const number of numbers) {
      const { status } = await post(world, `{"client_metadata":{"deep":[${number}]}}`);
      mustHold(status < 500, `${number}: ${status}`);
    }
  }),
  attack('V8', 'Numbers out of range from a signed-in client and in a team (I2)', async (world) => {
    const person = await world.signUp(world.a);
    const own = { ...world.a, as: person.accessToken };
    for (const number of numbers) {
      for (const [method, path] of [
        ['PATCH', '/users/me'],
        ['POST', '/teams'],
      ] as const) {
        const body = `{"display_name":"x","client_metadata":${number}}`;
        const { status } = await world.send(method, path, { ...own, body });
        mustHold(status < 500, `${method} ${path} ${number}: ${status}`);
      }
    }
  }),
  attack('V8', 'A number out of range becomes the name "Infinity"', async (world) => {
    const { status, body } = await post(world, '{"display_name":1e400}');
    mustHold(status < 500 && body.display_name !== 'Infinity', `answered ${status}`);
  }),
  attack('I1', 'Duplicate keys and prototype keys in one object', async (world) => {
    mustReject(await post(world, '{"display_name":"a","display_name":"b"}'), 'twice');
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const { status } = await post(world, `{"client_metadata":{"${key}":{"isAdmin":true}}}`);
      mustHold(status < 500, `${key}: ${status}`);
    }
    mustReject(await post(world, '{"__proto__":{"display_name":"x"}}'), '__proto__');
  }),
  attack('I1', 'Bodies of ten thousand levels or ten megabytes', async (world) => {
    mustReject(await post(world, `{"client_metadata":${'['.repeat(10_000)}${']'.repeat(10_000)}}`), 'deep');
    // The server may end the connection before it has read all of it.
    const large = await post(world, `{"client_metadata":"${'x'.repeat(10_000_000)}"}`).catch(() => null);
    if (large !== null) mustReject(large, 'large');
    mustHold(
      (await world.send('GET', '/users?limit=1', { ...world.a, access: 'server' })).status === 200,
      'the server is away',
    );
  }),
  attack('I2', 'Bodies that are not JSON, not an object or truncated', async (world) => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{"a":}',
      "{'a':1}",
      '\u0000',
      '{"display_name":"\\ud800"}',
      'NaN',
    ]) {
      const { status } = await post(world, body);
      mustHold(status < 500, `${JSON.stringify(body)}: ${status}`);
    }
  }),
  attack('I3', 'JSON in another character set', async (world) => {
    for (const charset of ['utf-16', 'iso-8859-1', 'utf-7']) {
      const { status } = await post(world, '{"display_name":"x"}', {
        'content-type': `application/json; charset=${charset}`,
      });
      mustHold(status >= 400 && status < 500, `${charset}: ${status}`);
    }
  }),
  attack('I4', 'A form on another site posts to the API (simple request)', async (world) => {
    const body = '{"display_name":"x","a":"=b"}';
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
      const answer = await post(world, type.includes('url') ? 'display_name=x' : body, { 'content-type': type });
      mustHold(answer.status >= 400 && answer.status < 500, `${type}: ${answer.status}`);
    }
  }),
  attack('I6', 'Smuggled requests: two lengths, length and chunks, malformed chunks', async (world) => {
    const inner = head(world, 'GET', '/api/v1/users');
    const forms = [
      `${head(world, 'POST', '/api/v1/users', 'content-type: application/json', 'content-length: 2', 'content-length: 40')}{}${inner}`,
      `${head(world, 'POST', '/api/v1/users', 'content-type: application/json', 'content-length: 2', 'transfer-encoding: chunked')}0\r\n\r\n${inner}`,
      `${head(world, 'POST', '/api/v1/users', 'content-type: application/json', 'transfer-encoding: xchunked')}0\r\n\r\n${inner}`,
      `${head(world, 'POST', '/api/v1/users', 'content-type: application/json', 'transfer-encoding : chunked')}0\r\n\r\n${inner}`,
      `${head(world, 'POST', '/api/v1/users', 'content-type: application/json', 'content-length: +2')}{}${inner}`,
      `${head(world, 'POST', '/api/v1/users', 'content-type: application/json', 'transfer-encoding: chunked')}2;x\n{}\r\n0\r\n\r\n${inner}`,
    ];
    for (const [nth, form] of forms.entries()) {
      const answer = await raw(world, form);
      mustHold(!statusesIn(answer).includes(200), `form ${nth + 1}: ${statusesIn(answer).join()}`);
    }
  }),
  attack('I7', 'Line breaks in headers inject headers', async (world) => {
    const answer = await raw(
      world,
      head(world, 'GET', '/api/v1/users', 'x-stack-request-id: a\rset-cookie: evil=1', 'connection: close'),
    );
    mustHold(!/^set-cookie: evil/im.test(answer), 'a header was injected');
    for (const path of ['/api/v1/%0d%0aset-cookie:evil=1', '/handler/x%0d%0aset-cookie:%20evil=1']) {
      const response = await fetch(`${world.origin}${path}`, { redirect: 'manual' });
      mustHold(response.headers.get('set-cookie') === null, path);
    }
  }),
  attack('I8', 'Paths escape the folder of the dashboard', async (world) => {
    const paths = [
      '/../../../etc/passwd',
      '/..%2f..%2f..%2fetc/passwd',
      '/assets/..%5c..%5c/package.json',
      '/%2e%2e/%2e%2e/master-key',
      '//etc/passwd',
      '/./../package.json',
    ];
    for (const path of paths) {
      const answer = await raw(world, head(world, 'GET', path, 'connection: close'));
      mustHold(!/root:|"workspaces"|"dependencies"/.test(answer), `${path} was served`);
      mustHold(
        statusesIn(answer).every((status) => status < 500),
        `${path}: ${statusesIn(answer).join()}`,
      );
    }
  }),
  attack('I10', 'Malformed IDs, queries and headers', async (world) => {
    const { send, a } = world;
    const wrong = [
      '',
      "' or 1=1--",
      '../x',
      '%00',
      'x'.repeat(3_000),
      'null',
      '-1',
      '{}',
      '*',
      '🙂',
      '00000000-0000-0000-0000-00000000000g',
    ];
    for (const text of wrong) {
      for (const path of [
        `/users/${encodeURIComponent(text)}`,
        `/users?cursor=${encodeURIComponent(text)}`,
        `/users?query=${encodeURIComponent(text)}`,
        `/users?limit=${encodeURIComponent(text)}`,
      ]) {
        const { status } = await send('GET', path, { ...a, access: 'server' });
        mustHold(status < 500, `${path.slice(0, 60)}: ${status}`);
      }
    }
  }),
  attack('I11', 'Texts with NUL, control characters and lone surrogates are stored', async (world) => {
    for (const display_name of ['a\u0000b', '\ud800', '\u202eevil', 'a\u0007b']) {
      const { status } = await post(
        world,
        JSON.stringify({ display_name, primary_email: newEmail(), password: newPassword() }),
      );
      mustHold(status < 500, `${JSON.stringify(display_name)}: ${status}`);
    }
    for (const email of [
      'a\u0000@example.com',
      'a@b\r\nbcc: x@example.com',
      '"a b"@example.com\n',
      'a@example.com,b@example.com',
    ]) {
      mustReject(await post(world, JSON.stringify({ primary_email: email })), JSON.stringify(email));
    }
  }),
];
