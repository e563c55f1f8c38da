import { test as base } from 'vitest';
import { startBrowserProduct } from './browser-product.ts';

/** A test of pages: all tests of a file use one installation and, unless they open their own, one page. */
export const createBrowserTest = (...start: Parameters<typeof startBrowserProduct>) =>
  base
    .extend('installation', { scope: 'file' }, async ({}, { onCleanup }) => {
      const installation = await startBrowserProduct(...start);
      onCleanup(installation.close);
      return installation;
    })
    .extend('product', { scope: 'file' }, ({ installation }) => installation.product)
    .extend('browser', { scope: 'file' }, ({ installation }) => installation.browser)
    .extend('watch', { scope: 'file' }, ({ installation }) => installation.watch)
    .extend('page', { scope: 'file' }, ({ installation }) => installation.page);
