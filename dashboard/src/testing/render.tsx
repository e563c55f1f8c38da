import { createResourceCache } from '@gatebook/sdk/react/resource-cache';
import { ResourceCacheContext } from '@gatebook/sdk/react/use-resource';
import { MantineProvider } from '@mantine/core';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach } from 'vitest';
import { NavigationContext } from '../lib/navigation.ts';
import { theme } from '../theme/theme.ts';

// happy-dom has no font set, which growing text areas listen to.
if (!('fonts' in document) || !document.fonts) Object.defineProperty(document, 'fonts', { value: new EventTarget() });

afterEach(cleanup);

/** Shows a page as the dashboard does, with a cache of its own. @returns where the page asked to go */
export function showPage(page: ReactNode): { gone: string[] } {
  const gone: string[] = [];
  render(
    <MantineProvider theme={theme} env="test">
      <ResourceCacheContext value={createResourceCache()}>
        <NavigationContext value={{ go: (href) => void gone.push(href) }}>{page}</NavigationContext>
      </ResourceCacheContext>
    </MantineProvider>,
  );
  return { gone };
}

/** An answer that never comes. */
export const never = (): Promise<never> => new Promise(() => undefined);
