import { defineConfig } from 'vitest/config';
import { alone, common } from './vitest.config.ts';

/** Tests that compare times: no other test runs at the same time. */
export default defineConfig({ test: { ...common, include: alone, fileParallelism: false } });
