import { createContext, runInContext } from 'node:vm';
import { bundle } from './bundle-size.ts';

/** What edge runtimes have in common (WinterTC, Minimum Common Web API): no `process`, `Buffer` and `require`. */
const globalNames = [
  ...['AbortController', 'AbortSignal', 'Blob', 'DOMException', 'Event', 'EventTarget', 'FormData', 'Headers'],
  ...['ReadableStream', 'Request', 'Response', 'TextDecoder', 'TextEncoder', 'TransformStream', 'URL'],
  ...['URLSearchParams', 'atob', 'btoa', 'clearTimeout', 'console', 'navigator', 'performance', 'queueMicrotask'],
];
/** Some edge runtimes forbid them while modules are loaded. */
const lateNames = ['crypto', 'fetch', 'setTimeout'];

const valuesOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]));

/** Loads a module `source` that exports `run`, and calls it, as an edge runtime does: with web standards only. */
export async function runAtEdge(folder: string, source: string): Promise<unknown> {
  const [chunk] = await bundle(folder, source, { format: 'iife', name: 'app', codeSplitting: false });
  const context = createContext(valuesOf(globalNames), { codeGeneration: { strings: false, wasm: false } });
  runInContext(`${chunk?.code}; globalThis.app = app;`, context);
  Object.assign(context, valuesOf(lateNames));
  return runInContext('app.run()', context);
}
