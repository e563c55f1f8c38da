import { configDefaults, defineConfig } from 'vitest/config';
import { translated } from './dashboard/translated.ts';
import { aloneInCampaigns, common } from './vitest.config.ts';

/**
 * Fault injection at every statement, random interleavings, killed processes: at full size. `npm test` runs samples of
 * them.
 */
export default defineConfig({
  plugins: [translated()],
  test: {
    ...common,
    include: ['{services,infra,dashboard}/**/*.campaign.test.ts'],
    exclude: [...configDefaults.exclude, ...aloneInCampaigns],
    env: { TEST_CAMPAIGN: process.env.TEST_CAMPAIGN || '1' },
  },
});
