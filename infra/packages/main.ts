import { fileURLToPath } from 'node:url';
import { buildPackages } from './build.ts';

const target = fileURLToPath(new URL('../../dist/packages/', import.meta.url));
for (const { name, tarball } of await buildPackages(target)) console.log(`${name}: ${tarball}`);
