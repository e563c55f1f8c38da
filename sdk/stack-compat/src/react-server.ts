/** In place of `index.ts` in Server Components of Next.js: apps have the session of the request. */
export {
  GatebookClientApp as HexclaveClientApp,
  GatebookClientApp as StackClientApp,
  GatebookServerApp as HexclaveServerApp,
  GatebookServerApp as StackServerApp,
} from '@gatebook/next';
export * from './index.ts';
export {
  StackHandler,
  StackHandler as HexclaveHandler,
  StackProvider,
  StackProvider as HexclaveProvider,
} from './server-components.tsx';
