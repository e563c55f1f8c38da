import { type Attack, attack } from './attack.ts';
import { mustHold } from './outcome.ts';

export const pages: readonly Attack[] = [
  attack('H1', 'Browsers guess another content type for a response', async ({ origin }) => {
    for (const path of ['/', '/handler/sign-in', '/api/v1', '/openapi.json', '/dashboard/config.json', '/nowhere']) {
      const { headers } = await fetch(`${origin}${path}`);
      mustHold(headers.get('x-content-type-options') === 'nosniff', `${path} without nosniff`);
    }
  }),
  attack('H2', 'The sign-in pages are shown in a frame of another site', async ({ origin }) => {
    for (const path of ['/', '/handler/sign-in', '/handler/cli-auth-confirm', '/handler/account-settings']) {
      const { headers } = await fetch(`${origin}${path}`);
      const policy = headers.get('content-security-policy') ?? '';
      const isClosed = /frame-ancestors '(none|self)'/.test(policy) || headers.get('x-frame-options') !== null;
      mustHold(isClosed, `${path} can be framed`);
    }
  }),
  attack('H3', 'Injected scripts run on the sign-in pages', async ({ origin }) => {
    const answer = await fetch(
      `${origin}/handler/sign-in?after_auth_return_to=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`,
    );
    mustHold(!(await answer.text()).includes('<script>alert(1)'), 'the page contains the query');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const scripts =
      /script-src ([^;]*)/.exec(policy)?.[1] ?? /default-src ([^;]*)/.exec(policy)?.[1] ?? "'unsafe-inline'";
    mustHold(!/'unsafe-inline'|\*/.test(scripts), `scripts from ${scripts}`);
  }),
  attack('V9', 'The emails of a development machine are read under a foreign host name (H4)', async ({ origin }) => {
    for (const headers of [
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-host': 'localhost', host: 'evil.example' },
    ]) {
      const { request } = await import('node:http');
      const status = await new Promise<number>((resolve, reject) => {
        const asked = request(
          `${origin}/inbox/messages`,
          { headers: { host: 'evil.example', ...headers } },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode ?? 0);
          },
        );
        asked.on('error', reject);
        asked.end();
      });
      mustHold(status !== 200, `opened with ${JSON.stringify(headers)}`);
    }
  }),
  attack('H5', 'Another site reads responses with the user’s cookies (CORS)', async ({ origin }) => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await fetch(`${origin}/api/v1/users/me`, { method, headers });
      mustHold(answer.headers.get('access-control-allow-credentials') === null, `${method} allows credentials`);
    }
  }),
  attack('H6', 'Tokens and profiles are cached', async (world) => {
    const person = await world.signUp(world.a);
    const answers = [
      await world.signIn(world.a, person),
      await world.send('GET', '/users/me', { ...world.a, as: person.accessToken }),
      await world.send('GET', '/users', { ...world.a, access: 'server' }),
    ];
    for (const { headers } of answers)
      mustHold(/no-store/.test(headers.get('cache-control') ?? ''), 'a response can be cached');
  }),
  attack('H7', 'Links in emails and pages point to a host from the request', async (world) => {
    const person = await world.signUp(world.a);
    const answer = await world.send('GET', '/auth/oauth/authorize/google', {
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    mustHold(
      !answer.text.includes('evil.example') && !(answer.headers.get('location') ?? '').includes('evil.example'),
      'redirect',
    );
    const config = await fetch(`${world.origin}/dashboard/config.json`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    mustHold(!(await config.text()).includes('evil.example'), 'configuration');
    mustHold(await world.isAlive(world.a, person.accessToken), 'the session ended');
  }),
  attack('H8', 'Unsupported methods get more than an error', async ({ origin }) => {
    for (const method of ['PUT', 'PROPFIND', 'DELETE']) {
      const { status } = await fetch(`${origin}/api/v1/users`, { method });
      mustHold(status >= 400 && status < 500, `${method}: ${status}`);
    }
  }),
];
