import { createResourceCache } from '@gatebook/react/resource-cache';
import { ResourceCacheContext } from '@gatebook/react/use-resource';
import { MantineProvider } from '@mantine/core';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach } from 'vitest';
import { NavigationContext } from '../lib/navigation.ts';
import { theme } from '../theme/theme.ts';

afterEach(cleanup);

// happy-dom has no fonts that could load late; Mantine's growing text fields wait for them.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });

/** Renders a page as the dashboard would, without a router: `went` holds the addresses that it asked for, in order. */
export function renderPage(page: ReactNode) {
  const went: string[] = [];
  const cache = createResourceCache();
  const around = (child: ReactNode) => (
    <MantineProvider theme={theme} env="test">
      <ResourceCacheContext value={cache}>
        <NavigationContext value={{ go: (href) => went.push(href) }}>{child}</NavigationContext>
      </ResourceCacheContext>
    </MantineProvider>
  );
  const view = render(around(page));
  return { went, show: (next: ReactNode) => view.rerender(around(next)) };
}

/** A promise that stays open until it is answered by hand. */
export function open<Value>() {
  let answer = (_value: Value): void => {};
  let fail = (_error: unknown): void => {};
  const promise = new Promise<Value>((resolve, reject) => {
    answer = resolve;
    fail = reject;
  });
  return { promise, answer, fail };
}

/** For what a page must not call. */
export async function never(): Promise<never> {
  throw new Error('this must not be called');
}
