// @vitest-environment happy-dom

import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { createMemoryHistory } from '@tanstack/history';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { i18n } from './lib/language.ts';
import { useUnsaved } from './lib/unsaved.ts';
import { createRouter } from './router/router.ts';
import { Outlet, RouterView } from './router/router-view.tsx';
import { theme } from './theme/theme.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';

afterEach(cleanup);

function Form() {
  const [text, setText] = useState('');
  useUnsaved(text !== '');
  return <input aria-label="Name" value={text} onChange={(event) => setText(event.currentTarget.value)} />;
}

async function open() {
  const router = createRouter({
    routes: [
      { path: '/form', page: async () => Form },
      { path: '/other', page: async () => () => <h1>Other page</h1> },
    ],
    history: createMemoryHistory({ initialEntries: ['/form'] }),
    notFound: () => null,
    failed: () => null,
    leave: () => {},
  });
  router.start();
  render(
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} env="test">
        <RouterView router={router} positions={{ keep: () => {}, apply: () => () => {} }} fallback={() => null}>
          <UnsavedGuard>
            <button type="button" onClick={() => router.go('/other')}>
              Other
            </button>
            <Outlet />
          </UnsavedGuard>
        </RouterView>
      </MantineProvider>
    </I18nProvider>,
  );
  return screen.findByLabelText('Name');
}
const leave = () => fireEvent.click(screen.getByRole('button', { name: 'Other' }));

test('a page without unsaved changes is left at once', async () => {
  await open();
  leave();
  await screen.findByRole('heading', { name: 'Other page' });
});

test('a page with unsaved changes is left only after a question', async () => {
  const field = (await open()) as HTMLInputElement;
  fireEvent.change(field, { target: { value: 'Acme' } });
  leave();
  fireEvent.click(await screen.findByRole('button', { name: 'Stay on this page' }));
  expect(field.value).toBe('Acme');
  expect(screen.queryByRole('heading', { name: 'Other page' })).toBeNull();
  leave();
  fireEvent.click(await screen.findByRole('button', { name: 'Discard and leave' }));
  await screen.findByRole('heading', { name: 'Other page' });
});
