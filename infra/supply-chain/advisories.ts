import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeAudit } from './judge-audit.ts';
import { Lock } from './to-sbom.ts';

/**
 * `npm run advisories`: checks production dependencies for known vulnerabilities. Fails for high and critical ones. If
 * the registry is unreachable it warns and succeeds, because its outage must not stop a build.
 */
const timeoutMs = 60_000;
const cwd = fileURLToPath(new URL('../../', import.meta.url));
const { packages } = Lock.parse(JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8')));
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd, encoding: 'utf8', timeout: timeoutMs });
const { outcome, lines } = judgeAudit(stdout ?? '', (node) => packages[node]?.dev === true);
for (const line of lines) process.stdout.write(`${line}\n`);
process.exitCode = outcome === 'vulnerable' ? 1 : 0;
