import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, root } from './build-once.ts';

/** Builds the dashboard if its sources are newer than the last build. */
export function buildDashboard(): Promise<void> {
  return buildOnce({
    name: 'dashboard',
    built: join(root, 'dashboard/dist/handler.html'),
    sources: ['dashboard', 'sdk', 'services/contract', 'package-lock.json'],
    build: () => promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: root }),
  });
}
