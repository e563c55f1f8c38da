import { createHash, randomBytes } from 'node:crypto';
import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { oauth as app, callbackUrl, newEmail, redirectUri, type World } from './world.ts';

const visitor = () => ({ email: newEmail('visitor'), name: 'Visitor' });
const codeIn = (url: URL) => url.searchParams.get('code') ?? '';

const elsewhere = [
  ...['https://evil.example/', 'http://localhost.evil.example/', 'http://localhost@evil.example/', '//evil.example/'],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'http://evil.example#@localhost/',
    'http://localhost:3000@evil.example/',
  ],
  ...[
    'https:\\\\evil.example',

    'file:///etc/passwd',
    'http://127.0.0.1.evil.example/',
  ],
  ...[
    'http://evil.example%2f@localhost.evil.example/',
    'http://[::1]evil.example/',

    'HTTP://EVIL.EXAMPLE/',
    ' http://evil.example',
  ],
];

/** Requests an authorization with these parameters, without following redirects. */
async function authorize(world: World, more: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams({
    client_id: world.a.projectId,
    client_secret: world.a.keys.client,
    redirect_uri: redirectUri,
    scope: 'legacy',
    state: 'x',
    grant_type: 'authorization_code',
    response_type: 'code',
    code_challenge: app.challenge,
    code_challenge_method: 'S256',
    error_redirect_url: callbackUrl,
    ...more,
  });
  return fetch(`${world.origin}/api/v1/auth/oauth/authorize/google?${query}`, { redirect: 'manual' });
}
const goesTo = (answer: Response) => answer.headers.get('location') ?? '';

/** Redirect URLs are judged when the browser is sent there. */
async function mustStayHere(world: World, redirect_uri: string): Promise<void> {
  const end = await world.oauthCode(world.a, visitor(), { more: { redirect_uri } }).catch(() => null);
  if (end === null) return;
  mustHold(
    end.protocol === 'http:' && end.hostname === 'localhost',
    `the browser is redirected to ${end.href.slice(0, 80)}`,
  );
}

export const oauth: readonly Attack[] = [
  attack(
    'V3',
    'A victim who opens an attacker’s link URL links their provider account to the attacker (O6)',
    async (world) => {
      const { a } = world;
      const [attacker, victim] = [await world.signUp(a), visitor()];
      // The attacker's own PKCE challenge: only the attacker's app has the verifier; the victim's browser ends up with
      // the code alone.
      const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
      await world.oauthCode(a, victim, { challenge, more: { type: 'link', token: attacker.accessToken } });
      const signedIn = await world.redeemOAuth(a, codeIn(await world.oauthCode(a, victim)));
      mustHold(signedIn.status === 200, `the victim can’t sign in: ${signedIn.status}`);
      const me = await world.must('GET', '/users/me', { ...a, as: signedIn.body.access_token });
      mustHold(me.id !== attacker.userId, 'the victim is signed in as the attacker');
    },
  ),
  attack(
    'V4',
    'A link started with a stolen token is completed after its session has ended (O7, G2)',
    async (world) => {
      const { a, send } = world;
      const [victim, thief] = [await world.signUp(a), visitor()];
      const opened = async () => {
        await send('DELETE', '/auth/sessions/current', { ...a, as: victim.accessToken });
      };
      const back = await world.oauthCode(a, thief, { more: { type: 'link', token: victim.accessToken }, opened });
      const redeemed = codeIn(back) === '' ? null : await world.redeemOAuth(a, codeIn(back));
      mustHold(redeemed?.status !== 200, 'the code created a session');
      const again = await world.oauthCode(a, thief);
      const signedIn = codeIn(again) === '' ? null : await world.redeemOAuth(a, codeIn(again));
      if (signedIn?.status !== 200) return;
      const me = await world.must('GET', '/users/me', { ...a, as: signedIn.body.access_token });
      mustHold(me.id !== victim.userId, 'the thief’s provider account signs in as the victim');
    },
  ),
  attack('V4', 'A link is redeemed after a reset has ended all sessions', async (world) => {
    const { a } = world;
    const [victim, thief] = [await world.signUp(a), visitor()];
    const back = await world.oauthCode(a, thief, { more: { type: 'link', token: victim.accessToken } });
    await world.resetPassword(a, victim.email);
    const redeemed = codeIn(back) === '' ? null : await world.redeemOAuth(a, codeIn(back));
    mustHold(redeemed?.status !== 200, 'the code created a session');
  }),
  attack('R1', 'The code is sent to another site by its redirect URL', async (world) => {
    for (const url of elsewhere) await mustStayHere(world, url);
  }),
  attack('V12', 'The code is sent to another program by a custom scheme with host localhost (R2)', async (world) => {
    for (const scheme of ['intent', 'chrome', 'vscode', 'ssh', 'ftp'])
      await mustStayHere(world, `${scheme}://localhost/x`);
  }),
  attack('R3', 'The error is sent to an untrusted error page', async (world) => {
    for (const url of elsewhere) {
      const answer = await authorize(world, { error_redirect_url: url, code_challenge_method: 'nonsense' });
      mustHold(
        !/evil|javascript:|data:|intent:|chrome:/i.test(goesTo(answer)),
        `${url}: ${goesTo(answer).slice(0, 80)}`,
      );
    }
  }),
  attack('R4', 'A callback is completed in a browser that did not start the authorization request', async (world) => {
    const outcome = await world.oauthCode(world.a, visitor(), { cookie: false }).then(codeIn, () => '');
    mustHold(outcome === '', 'a code was issued');
  }),
  attack('R5', 'A code is redeemed with another verifier, redirect URL or project', async (world) => {
    const { a, b } = world;
    const newCode = async () => codeIn(await world.oauthCode(a, visitor()));
    mustReject(
      await world.redeemOAuth(a, await newCode(), { code_verifier: randomBytes(32).toString('base64url') }),
      'verifier',
    );
    mustReject(
      await world.redeemOAuth(a, await newCode(), { redirect_uri: 'http://localhost:3000/handler/other' }),
      'redirect URL',
    );
    mustReject(await world.redeemOAuth(b, await newCode()), 'project');
  }),
  attack('R7', 'One authorization code is redeemed thirty times at once', async (world) => {
    const code = codeIn(await world.oauthCode(world.a, visitor()));
    const answers = await Promise.all(Array.from({ length: 30 }, () => world.redeemOAuth(world.a, code)));
    const used = answers.filter(({ status }) => status === 200).length;
    mustHold(used <= 1, `${used} redemptions`);
  }),
  attack('V12', 'Tokens of an authorization code outlive its second use (R6)', async (world) => {
    const code = codeIn(await world.oauthCode(world.a, visitor()));
    const first = await world.redeemOAuth(world.a, code);
    mustHold(first.status === 200, `the first use answered ${first.status}`);
    mustReject(await world.redeemOAuth(world.a, code), 'second use');
    mustHold(!(await world.isAlive(world.a, first.body.access_token)), 'the tokens still work');
  }),
  attack(
    'R8',
    'An authorization request starts without PKCE, or with a plain challenge in production',
    async (world) => {
      const answer = await authorize(world, { code_challenge: '' });
      mustHold(answer.status >= 400 || goesTo(answer).startsWith(callbackUrl), `without: ${answer.status}`);
      const other = await authorize(world, { client_secret: world.b.keys.client });
      mustHold(other.status >= 400 || goesTo(other).startsWith(callbackUrl), 'with the key of another project');
    },
  ),
];
