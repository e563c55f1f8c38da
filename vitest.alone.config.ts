import { defineConfig } from 'vitest/config';
import base, { alone } from './vitest.config.ts';

/** Tests that compare times: nothing else may run beside them. */
export default defineConfig({ ...base, test: { ...base.test, include: alone, exclude: [] } });
