import { testCompatibility } from './compatibility/suite.ts';

/** Every method that needs no browser, and the sign-in through a provider. The campaign calls every method. */
await testCompatibility({ inBrowser: new Set(['StackClientApp.signInWithOAuth', 'StackClientApp.callOAuthCallback']) });
