import { defineConfig } from 'vitest/config';
import { alone, common } from './vitest.config.ts';

/** Tests that compare times: nothing else may run beside them. */
export default defineConfig({ test: { ...common, include: alone } });
