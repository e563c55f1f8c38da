import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before all other modules: Node keeps their stripped types and compiled code for the next start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/gatebook', import.meta.url)));
await import('./start.ts');
