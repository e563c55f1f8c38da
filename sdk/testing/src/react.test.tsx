// @vitest-environment happy-dom

import { GatebookClientApp, GatebookProvider, useUser } from '@gatebook/react';
import { UserButton } from '@gatebook/react/pages';
import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, test } from 'vitest';
import { mockGatebook } from './mock.ts';

afterEach(cleanup);

function Greeting() {
  const user = useUser({ or: 'throw' });
  const [team] = user.useTeams();
  return (
    <button type="button" onClick={() => user.update({ displayName: 'Bea Obi' })}>
      {user.displayName} of {team?.displayName}
    </button>
  );
}

test('components of an app show a mocked user', async () => {
  const mock = mockGatebook({ user: { displayName: 'Ann Achebe' }, teams: [{ displayName: 'Acme' }] });
  await act(async () => {
    render(
      <GatebookProvider app={new GatebookClientApp(mock.options)}>
        <Suspense>
          <Greeting />
          <UserButton showUserInfo />
        </Suspense>
      </GatebookProvider>,
    );
  });
  const greeting = await screen.findByRole('button', { name: 'Ann Achebe of Acme' });
  await act(async () => greeting.click());
  await screen.findByRole('button', { name: 'Bea Obi of Acme' });
});
