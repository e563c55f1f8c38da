// @vitest-environment node

import { type ReactNode, Suspense } from 'react';
import { renderToReadableStream } from 'react-dom/server.edge';
import { expect, test } from 'vitest';
import { GatebookClientApp, GatebookProvider, useUser } from '../index.ts';
import { SelectedTeamSwitcher, SignIn, TeamSwitcher, UserButton } from '../pages.ts';

/** The HTML of a server, and the errors that React reports. */
async function renderOnServer(children: ReactNode) {
  const app = new GatebookClientApp({ baseUrl: 'https://gate.test', projectId: 'p1', tokenStore: 'cookie' });
  const errors: unknown[] = [];
  const stream = await renderToReadableStream(<GatebookProvider app={app}>{children}</GatebookProvider>, {
    onError: (error: unknown) => void errors.push(error),
  });
  return { html: await new Response(stream).text(), errors };
}

test('components are rendered on a server without an error, because frameworks answer those with status 500', async () => {
  const { html, errors } = await renderOnServer(
    <>
      <SignIn />
      <UserButton showUserInfo />
      <SelectedTeamSwitcher />
      <TeamSwitcher />
    </>,
  );
  expect(errors).toEqual([]);
  expect(html).toContain('gbh-avatar');
});

test('hooks leave their component to the browser', async () => {
  const Name = () => useUser()?.displayName;
  const { html, errors } = await renderOnServer(
    <Suspense fallback="Loading …">
      <Name />
    </Suspense>,
  );
  expect(html).toContain('Loading …');
  expect(errors).toMatchObject([{ digest: 'BAILOUT_TO_CLIENT_SIDE_RENDERING' }]);
});
