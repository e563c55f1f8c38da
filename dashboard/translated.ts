import { fileURLToPath } from 'node:url';
import { getConfig } from '@lingui/conf';
import { lingui } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';

const cwd = fileURLToPath(new URL('.', import.meta.url));

/** Plugins that compile `t` and `<Trans>` to lookups, and catalogs of translations to modules. */
export const translated = () => [
  babel({
    presets: [
      {
        // Messages stay in the code in English, so that English needs no catalog.
        preset: {
          plugins: [
            ['@lingui/babel-plugin-lingui-macro', { descriptorFields: 'message', linguiConfig: getConfig({ cwd }) }],
          ],
        },
        rolldown: { filter: { code: /from '@lingui\/(core|react)\/macro'/ } },
      },
    ],
  }),
  lingui({ cwd }),
];
