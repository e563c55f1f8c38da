import { createRequire } from 'node:module';

/** The version of Gatebook. */
export const version = createRequire(import.meta.url)('../../../package.json').version as string;
