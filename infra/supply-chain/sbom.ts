import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toSbom } from './to-sbom.ts';

/**
 * `npm run sbom -- [file]`: writes the software bill of materials of the production dependencies (CycloneDX 1.5, JSON).
 * It only needs package-lock.json, no network and no installed packages.
 */
const [file = 'gatebook.cdx.json'] = process.argv.slice(2);
const cwd = fileURLToPath(new URL('../../', import.meta.url));
const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const made = execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const { sbom, components } = toSbom(made, readFileSync(join(cwd, 'package-lock.json'), 'utf8'));
writeFileSync(file, sbom);
process.stdout.write(`${file}: ${components} components\n`);
