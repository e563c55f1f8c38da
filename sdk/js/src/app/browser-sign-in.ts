/** Loaded on first use, as one module: sign-in at providers, with passkeys, and of command-line programs. */
export { oauthClient } from '../auth/oauth.ts';
export { passkeyAuth } from '../auth/passkey.ts';
export { promptCliLogin } from './cli-login.ts';
