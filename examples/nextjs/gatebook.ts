import 'server-only';
import { StackServerApp } from '@stackframe/stack';

/** Its URL, project and keys come from the environment. */
export const gatebook = new StackServerApp({
  tokenStore: 'nextjs-cookie',
  // Gatebook has no analytics. With analytics on, the library signs up an anonymous user for each visitor.
  analytics: { enabled: false },
  // The developer panel links to the hosted service of Stack Auth.
  devTool: false,
});
