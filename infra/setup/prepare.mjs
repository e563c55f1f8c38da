// Runs before `npm start` and `npm test` on any Node version from 18 on. No package is installed at this point.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [script] = process.argv.slice(2);

installIfNeeded();
if (script === 'start') buildDashboardIfNeeded();

function installIfNeeded() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  console.log('Gatebook: installing packages, which takes about half a minute …');
  run(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    'Could not install the packages; see the output above.',
  );
}

function buildDashboardIfNeeded() {
  const built = join(root, 'dashboard', 'dist', 'index.html');
  const sources = ['dashboard', 'sdk', 'services/contract'].map((folder) => join(root, folder));
  const newest = Math.max(statSync(join(root, 'package-lock.json')).mtimeMs, ...sources.map(newestIn));
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return;
  console.log('Gatebook: building the dashboard …');
  // Without the list of two hundred files.
  run(
    'npm',
    ['run', '--silent', 'build', '--', '--logLevel', 'warn'],
    'Could not build the dashboard; see the output above.',
  );
}

/** Time of the newest file below a folder, in milliseconds. */
function newestIn(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs);
  }
  return newest;
}

function run(command, args, failure) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(`Gatebook: ${error ? `${command} did not start (${error.message}).` : failure}`);
  process.exit(1);
}
