import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { describe, expect } from 'vitest';
import { noChromium } from '../../infra/testing/chromium.ts';
import { testBrowserSettings } from './handler/browser-settings.ts';
import { testCliLogin } from './handler/cli-login.ts';
import { testEmailSignIn } from './handler/email-sign-in.ts';
import { test } from './handler/fixture.ts';
import { testLoading } from './handler/loading.ts';
import { testPasskeyAndTotp } from './handler/passkey-and-totp.ts';
import { testPasswordReset } from './handler/password-reset.ts';
import { testSignUp } from './handler/sign-up.ts';

/** Each part continues where the one before it ended. */
describe.skipIf(noChromium)(
  `the handler pages in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    testLoading();
    testSignUp();
    testEmailSignIn();
    testPasswordReset();
    testPasskeyAndTotp();
    testCliLogin();
    testBrowserSettings();

    test('cause no browser errors and no third-party requests', ({ watch }) => {
      expect(watch.complaints).toEqual([]);
    });
  },
);
