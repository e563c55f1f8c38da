import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { describe, expect } from 'vitest';
import { noChromium } from '../../infra/testing/chromium.ts';
import { testEmails } from './dashboard/emails.ts';
import { testFirstOwner } from './dashboard/first-owner.ts';
import { testFirstSignUp } from './dashboard/first-sign-up.ts';
import { test } from './dashboard/fixture.ts';
import { testManyProjects } from './dashboard/many-projects.ts';
import { testNavigation } from './dashboard/navigation.ts';
import { testPhone } from './dashboard/phone.ts';
import { testSettings } from './dashboard/settings.ts';
import { testTeams } from './dashboard/teams.ts';
import { testUsers } from './dashboard/users.ts';

/** Each part continues where the one before it ended. */
describe.skipIf(noChromium)(
  `the dashboard in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    testFirstOwner();
    testFirstSignUp();
    testUsers();
    testNavigation();
    testEmails();
    testTeams();
    testPhone();
    testSettings();
    testManyProjects();

    test('causes no browser errors but for the page that does not exist, and no third-party requests', ({ watch }) => {
      expect(watch.complaints).toEqual([expect.stringMatching(/404 \(Not Found\) \/projects\/[^/]+\/nowhere$/)]);
    });
  },
);
