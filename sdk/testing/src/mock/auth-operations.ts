import { type Call, done, type Operations, ok, type Reply, reject } from './operations.ts';
import {
  accessTokenOf,
  addUser,
  findByEmail,
  type MockedUser,
  type State,
  startSession,
  type Tokens,
} from './state.ts';

const wrongCode = reject('VERIFICATION_CODE_NOT_FOUND', 404);
const codeLength = 6;

/** A code for one use, by which its holder becomes `user`. */
function createCode(state: State, user: MockedUser): string {
  const code = `CODE${state.codes.size + 10}`.padEnd(codeLength, '0').slice(0, codeLength);
  state.codes.set(code, user.view.id);
  return code;
}

function takeCode(state: State, code: unknown): MockedUser | undefined {
  const id = state.codes.get(String(code)) ?? '';
  state.codes.delete(String(code));
  return state.users.get(id);
}

const userWith = (state: State, email: unknown): MockedUser =>
  findByEmail(state, email) ?? addUser(state, { primary_email: email, primary_email_verified: true });

/** Leads back at once: the provider of the mock asks nothing. */
function authorize({ state, body, query }: Call): Reply {
  const redirectUri = String(body.redirect_uri ?? query.get('redirect_uri'));
  if (!URL.canParse(redirectUri)) return reject('REDIRECT_URL_NOT_WHITELISTED', 400);
  const location = new URL(redirectUri);
  location.searchParams.set('code', createCode(state, userWith(state, state.providerEmail)));
  location.searchParams.set('state', String(body.state ?? query.get('state')));
  return ok({ location: location.href });
}

const grantFields = { token_type: 'Bearer', expires_in: 600, scope: 'legacy' };
const codeGrant = ({ access_token, refresh_token }: Tokens) => ({
  ...{ ...grantFields, access_token, refresh_token, is_new_user: false, newUser: false },
  ...{ after_callback_redirect_url: null, afterCallbackRedirectUrl: null },
});

function grantTokens({ state, body }: Call): Reply {
  if (body.grant_type === 'authorization_code') {
    const user = takeCode(state, body.code);
    return user ? ok(codeGrant(startSession(state, user))) : reject('INVALID_AUTHORIZATION_CODE', 400);
  }
  const refreshToken = String(body.refresh_token);
  const user = state.users.get(state.sessions.get(refreshToken) ?? '');
  if (!user) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 401);
  return ok({ ...grantFields, access_token: accessTokenOf(user, refreshToken) });
}

function signUp({ state, body }: Call): Reply {
  const { email, password } = body;
  if (findByEmail(state, email)) return reject('USER_EMAIL_ALREADY_EXISTS', 409, { email });
  const user = addUser(state, { primary_email: email, auth_with_email: true }, String(password));
  const callback = body.verification_callback_url;
  sendEmail(state, String(email), createCode(state, user), callback);
  return ok(startSession(state, user));
}

function sendEmail(state: State, to: string, code: string, callback: unknown): void {
  const link = typeof callback === 'string' && URL.canParse(callback) ? new URL(callback) : null;
  link?.searchParams.set('code', code);
  state.emails.push({ to, code, link: link?.href ?? null });
}

export const authOperations: Operations = {
  'POST /auth/oauth/authorize/{provider}': authorize,
  'GET /auth/oauth/authorize/{provider}': authorize,
  'POST /auth/oauth/token': grantTokens,
  'POST /auth/password/sign-up': signUp,
  'POST /auth/password/sign-in': ({ state, body }) => {
    const user = findByEmail(state, body.email);
    if (!user || user.password !== body.password) return reject('EMAIL_PASSWORD_MISMATCH', 400);
    return ok(startSession(state, user));
  },
  'POST /auth/anonymous/sign-up': ({ state }) => ok(startSession(state, addUser(state, { is_anonymous: true }))),
  'POST /auth/otp/send-sign-in-code': ({ state, body }) => {
    const code = createCode(state, userWith(state, body.email));
    sendEmail(state, String(body.email), code, body.callback_url);
    // The client appends it to the code.
    return ok({ nonce: '' });
  },
  'POST /auth/otp/sign-in': ({ state, body }) => {
    const user = takeCode(state, body.code);
    return user ? ok({ ...startSession(state, user), is_new_user: false }) : wrongCode;
  },
  'POST /auth/sessions': ({ state, body }) => {
    const user = state.users.get(String(body.user_id));
    if (!user) return reject('USER_NOT_FOUND', 404);
    const { user_id: _, ...tokens } = startSession(state, user);
    return ok(tokens);
  },
  'DELETE /auth/sessions/current': ({ state, refreshToken }) => {
    state.sessions.delete(refreshToken);
    return done;
  },
  'POST /contact-channels/verify': ({ state, body }) => {
    const user = takeCode(state, body.code);
    if (!user) return wrongCode;
    user.view.primary_email_verified = true;
    return done;
  },
};
