import { buildPackages, builtFolder } from './build.ts';

for (const { name, tarball } of await buildPackages(builtFolder)) console.log(`${name}: ${tarball}`);
