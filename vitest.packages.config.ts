import { defineConfig } from 'vitest/config';
import { translated } from './dashboard/translated.ts';
import { common } from './vitest.config.ts';

/** Also installs the packed packages, so npm needs its registry. */
export default defineConfig({
  plugins: [translated()],
  test: {
    ...common,
    include: ['infra/packages/**/*.test.ts', 'sdk/testing/src/react.test.tsx'],
  },
});
