import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// React and other libraries check their callers in development, which doubles the time to render an email.
process.env.NODE_ENV ??= 'production';
// Before all other modules: Node keeps their stripped types and compiled code for the next start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/gatebook', import.meta.url)));
await import('./start.ts');
