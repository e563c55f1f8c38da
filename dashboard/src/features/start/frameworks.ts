import { browserFrameworks } from './browser-code.ts';
import type { Framework } from './framework.ts';
import { serverFrameworks } from './server-code.ts';

const { react, vue, svelte, plain } = browserFrameworks;
const { next, express, python, go, curl } = serverFrameworks;

export const frameworks: readonly [Framework, ...Framework[]] = [
  react,
  next,
  vue,
  svelte,
  express,
  plain,
  python,
  go,
  curl,
];
