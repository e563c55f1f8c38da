import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

/** English is the language of the code, so it has no catalog. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['de'],
  catalogs: [{ path: '<rootDir>/src/languages/{locale}', include: ['<rootDir>/src'], exclude: ['**/*.test.*'] }],
  format: formatter({ lineNumbers: false, printPlaceholdersInComments: false }),
  // Texts wait for the module that loads the language.
  runtimeConfigModule: { i18n: ['dashboard-language', 'i18n'] },
  orderBy: 'message',
});
