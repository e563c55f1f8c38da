// @vitest-environment happy-dom

import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { i18n } from './lib/language.ts';
import { useUnsaved } from './lib/unsaved.ts';
import { theme } from './theme/theme.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';

afterEach(cleanup);

function Form() {
  const [text, setText] = useState('');
  useUnsaved(text !== '');
  return <input aria-label="Name" value={text} onChange={(event) => setText(event.currentTarget.value)} />;
}

async function open() {
  const root = createRootRoute({
    component: () => (
      <UnsavedGuard>
        <Link to={'/other' as never}>Other</Link>
        <Outlet />
      </UnsavedGuard>
    ),
  });
  const page = (path: string, component: () => React.ReactNode) =>
    createRoute({ getParentRoute: () => root, path, component });
  const routeTree = root.addChildren([page('/form', Form), page('/other', () => <h1>Other page</h1>)]);
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ['/form'] }) });
  render(
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} env="test">
        <RouterProvider router={router as never} />
      </MantineProvider>
    </I18nProvider>,
  );
  return screen.findByLabelText('Name');
}
const leave = () => fireEvent.click(screen.getByRole('link', { name: 'Other' }));

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
