import { defineConfig } from 'vitest/config';
import { translated } from './dashboard/translated.ts';
import { alone, aloneInCampaigns, common } from './vitest.config.ts';

/** Tests that compare times: no other test runs at the same time. `TEST_CAMPAIGN`: those of campaigns. */
const include = process.env.TEST_CAMPAIGN ? aloneInCampaigns : alone;
export default defineConfig({ plugins: [translated()], test: { ...common, include, fileParallelism: false } });
