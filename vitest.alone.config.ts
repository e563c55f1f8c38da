import { defineConfig } from 'vitest/config';
import { alone, aloneInCampaigns, common } from './vitest.config.ts';

/** Tests that compare times: no other test runs at the same time. `TEST_CAMPAIGN`: those of campaigns. */
const include = process.env.TEST_CAMPAIGN ? aloneInCampaigns : alone;
export default defineConfig({ test: { ...common, include, fileParallelism: false } });
