import { ResourceCacheContext } from '@gatebook/react';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach } from 'vitest';
import { i18n } from '../lib/language.ts';
import { loadLateCode } from '../lib/late.ts';
import { NavigationContext } from '../lib/navigation.ts';
import { createPageCache } from '../lib/page-cache.ts';
import { theme } from '../theme/theme.ts';

// Without waiting until the page is idle.
beforeEach(loadLateCode);
afterEach(cleanup);

// happy-dom has no document.fonts, which Mantine's autosizing textareas wait for.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });

/** Renders a page without a router. `visited` lists the URLs that it navigated to, in order. */
export function renderPage(page: ReactNode) {
  const visited: string[] = [];
  const cache = createPageCache();
  const wrap = (child: ReactNode) => (
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} env="test">
        <ResourceCacheContext value={cache}>
          <NavigationContext value={{ go: (href) => visited.push(href), hrefOf: (href) => href }}>
            {child}
          </NavigationContext>
        </ResourceCacheContext>
      </MantineProvider>
    </I18nProvider>
  );
  const view = render(wrap(page));
  return { visited, rerender: (next: ReactNode) => view.rerender(wrap(next)) };
}

/** A promise that never settles, for loading states. */
export function pending<Value>(): Promise<Value> {
  return new Promise(() => {});
}

/** Stands for a call that the page must not make. */
export async function never(): Promise<never> {
  throw new Error('unexpected call');
}
