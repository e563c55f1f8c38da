import { connect } from 'node:net';
import { type Config, readConfig } from '@gatebook/runtime/config';
import { version } from '../../version.ts';
import type { CliContext } from '../cli-context.ts';
import { type Check, failed, messageOf, note, ok } from './check.ts';
import { checkDatabase } from './database-checks.ts';

const oldestNode = [22, 18] as const;
const connectTimeoutMs = 3000;

/**
 * Checks everything an installation needs, without changing anything. Checks that depend on a failed one are left out.
 */
export async function runChecks(context: CliContext, { isComplete = false } = {}): Promise<readonly Check[]> {
  const checks: Check[] = [checkProgram()];
  let config: Config;
  try {
    config = readConfig(context.env);
    checks.push(ok('configuration', 'all settings are valid'));
  } catch (error) {
    return [...checks, failed('configuration', messageOf(error), 'fix the settings listed above')];
  }
  const server = await checkServer(context, config);
  checks.push(server, ...(await checkConnections(config)));
  return [...checks, ...(await checkDatabase(context, config, { isServerRunning: server.state === 'ok', isComplete }))];
}

function checkProgram(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const finding = `Gatebook ${version} on Node ${process.versions.node}`;
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld ? failed('program', finding, `install Node ${oldestNode.join('.')} or newer`) : ok('program', finding);
}

async function checkServer({ network }: CliContext, { http }: Config): Promise<Check> {
  const url = `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  const signal = AbortSignal.timeout(connectTimeoutMs);
  try {
    const answer = await network.fetch(`${url}/health/ready`, { signal });
    const served = (await (await network.fetch(`${url}/dashboard/config.json`, { signal })).json()) as {
      version?: string;
    };
    if (!answer.ok) return failed('server', `${url} is not ready: ${await answer.text()}`, 'see the checks below');
    if (served.version !== version) {
      return failed(
        'server',
        `${url} runs version ${served.version}, this program is version ${version}`,
        'use the same version',
      );
    }
    return ok('server', `${url} is ready, version ${served.version}`);
  } catch {
    return note('server', `no response from ${url}`, 'start Gatebook if it should run here');
  }
}

/** Connects to the other servers of the configuration without using them. */
async function checkConnections({ redis, smtp }: Config): Promise<Check[]> {
  const places: [string, string | null, number, string][] = [
    ['Redis', redis.url, 6379, 'REDIS_URL'],
    ['SMTP server', smtp.url, smtp.url?.startsWith('smtps') ? 465 : 587, 'GATEBOOK_SMTP_URL'],
  ];
  const checks = places.map(async ([name, url, port, setting]) => {
    if (url === null) return note(name, `not configured (${setting})`);
    const { hostname, port: given } = new URL(url);
    const at = `${hostname}:${given || port}`;
    try {
      await reach(hostname, Number(given) || port);
      return ok(name, `${at} accepts connections`);
    } catch (error) {
      return failed(name, `could not connect to ${at}: ${messageOf(error)}`, `start it or fix ${setting}`);
    }
  });
  return Promise.all(checks);
}

function reach(host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: connectTimeoutMs });
    socket.once('connect', () => {
      socket.destroy();
      done();
    });
    socket.once('timeout', () => socket.destroy(new Error('timed out')));
    socket.once('error', fail);
  });
}
