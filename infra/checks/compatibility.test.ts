import { testCompatibility } from './compatibility/suite.ts';

/**
 * Every method of the newest version that needs no browser, and the sign-in through a provider. The campaign calls
 * every method of every version.
 */
await testCompatibility({ inBrowser: new Set(['StackClientApp.signInWithOAuth', 'StackClientApp.callOAuthCallback']) });
