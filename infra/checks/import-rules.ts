import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';

/**
 * What each room may import beside itself: rooms by folder, packages by name, `node` for Node's own modules. Type-only
 * imports of a room are written `types:<room>`.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'services/domain': ['zod'],
  'services/contract': ['zod', 'services/domain'],
  'services/runtime': ['zod', 'pino', 'pg', 'ipaddr.js', 'node', 'types:services/domain'],
  'services/eventlog': [
    ...['zod', 'pg', '@eventstore/db-client', '@grpc/grpc-js', 'google-protobuf', 'node'],
    ...['types:services/domain/src/event.ts', 'services/runtime'],
  ],
  'services/commands': [
    '@node-rs/argon2',
    '@simplewebauthn/server',
    'bcryptjs',
    'node',
    'otplib',
    'zod',
    'services/domain',
    'services/eventlog',
    'services/runtime',
  ],
  'services/oauth': [
    ...['zod', 'node', 'openid-client', 'oidc-provider', 'types:services/commands'],
    ...['services/domain', 'services/runtime'],
  ],
  'services/projections': ['pg', 'node', 'types:services/domain/src/event.ts', 'services/eventlog', 'services/runtime'],
  'services/readmodel': ['services/domain', 'services/eventlog', 'services/projections', 'services/runtime'],
  'services/mail': [
    ...['zod', 'node', 'nodemailer', 'react', '@react-email/*', '@handlebars/parser'],
    ...['services/domain', 'services/runtime'],
  ],
  'services/worker': [
    ...['node', 'bullmq', 'ioredis', 'pg', 'services/mail'],
    ...['services/commands', 'services/eventlog', 'services/projections', 'services/readmodel', 'services/runtime'],
    'services/domain',
  ],
  'services/api': [
    ...['zod', 'node', 'fastify', 'fastify-type-provider-zod', 'jose', 'maxmind'],
    ...['@fastify/helmet', '@fastify/static', '@fastify/swagger'],
    ...['services/contract', 'services/domain', 'services/commands', 'services/readmodel', 'services/runtime'],
    ...['services/projections', 'services/mail', '@ip-location-db/*', 'types:services/eventlog'],
  ],
  'examples/event-log': [
    ...['zod', 'node', 'services/domain/src/event.ts', 'services/eventlog', 'services/projections', 'services/runtime'],
  ],
  'sdk/js': ['@simplewebauthn/browser', 'types:services/contract'],
  'sdk/react': ['react', 'uqr', 'sdk/js'],
  'sdk/node': ['jose', 'hono', 'sdk/js'],
  'sdk/next': ['next', 'react', 'sdk/js', 'sdk/node', 'sdk/react'],
  'sdk/testing': ['node', 'sdk/js'],
  'sdk/stack-compat': ['react', 'sdk/js', 'sdk/next', 'sdk/react'],
  'sdk/create-gatebook': ['node'],
  dashboard: [
    ...[
      'react',
      'react-dom',
      'recharts',
      '@mantine/*',
      '@lingui/*',
      '@rolldown/plugin-babel',
      '@tabler/icons-react',
      '@tanstack/history',
      'vite',
      '@vitejs/plugin-react',
    ],
    ...['sdk/js', 'sdk/react', 'services/contract', 'services/domain'],
  ],
};

/** Tests and what serves only tests may reach further. */
const testFiles =
  '([.]test[.]tsx?|/src/testing/|/src/.+/testing/|/spec[.]ts$|/conformance[.]ts$|screenshots|^dashboard/e2e/)';

/** Run only when the dashboard is built. */
const ofBuilds = '/(vite[.]config|shared-chunks)[.]ts$';

/** Modules where a package is at home in one adapter only. */
const adapters: readonly IForbiddenRuleType[] = [
  {
    name: 'pg only in the Postgres adapter of the log',
    severity: 'error',
    from: { path: '^services/eventlog/src/', pathNot: ['^services/eventlog/src/postgres/', testFiles] },
    to: { path: '(^|node_modules/)pg(/|$)' },
  },
  {
    name: 'the client of EventStoreDB and gRPC only in their adapter of the log',
    severity: 'error',
    from: { path: '^services/eventlog/src/', pathNot: ['^services/eventlog/src/eventstoredb/', testFiles] },
    to: { path: '(^|node_modules/)(@eventstore|@grpc|google-protobuf)/' },
  },
  {
    name: 'commands, projections and readmodel know the log by its port',
    severity: 'error',
    from: { path: '^services/(commands|projections|readmodel)/src/', pathNot: [testFiles] },
    to: { path: '^services/eventlog/src/(memory|postgres|eventstoredb)/' },
  },
  {
    name: 'libraries of second factors only in their adapters',
    severity: 'error',
    from: { path: '^services/commands/src/', pathNot: ['^services/commands/src/adapters/', testFiles] },
    to: { path: '(^|node_modules/)(otplib|@simplewebauthn)(/|$)' },
  },
  {
    name: 'the API knows adapters of the write side by their ports',
    severity: 'error',
    from: { path: '^services/api/src/', pathNot: [testFiles] },
    to: { path: '^services/commands/src/adapters/' },
  },
  {
    name: 'a feature of the dashboard never imports another',
    severity: 'error',
    from: { path: '^dashboard/src/features/([^/]+)/' },
    to: { path: '^dashboard/src/features/', pathNot: ['^dashboard/src/features/$1/'] },
  },
  {
    name: 'oidc-provider only in the simulator',
    severity: 'error',
    from: { path: '^services/oauth/src/', pathNot: ['^services/oauth/src/simulator/', testFiles] },
    to: { path: '(^|node_modules/)(@types/)?oidc-provider(/|$)' },
  },
  {
    name: 'packages that only collect others are not imported: each start would load all of them',
    severity: 'error',
    from: { path: '^services/' },
    to: { path: '(^|node_modules/)@react-email/components(/|$)' },
  },
  {
    name: 'nobody but gatebook imports oauth',
    severity: 'error',
    from: { path: '^(services|sdk|dashboard)/', pathNot: ['^services/(gatebook|oauth)/', testFiles] },
    to: { path: '^services/oauth/' },
  },
  {
    name: 'OpenTelemetry only where traces are recorded',
    severity: 'error',
    from: { path: '^(services|sdk|dashboard)/', pathNot: ['^services/gatebook/src/observability/', testFiles] },
    to: { path: '(^|node_modules/)@opentelemetry/' },
  },
  {
    name: 'nobody imports gatebook',
    severity: 'error',
    from: { path: '^(services|sdk|dashboard)/', pathNot: ['^services/gatebook/', testFiles] },
    to: { path: '^services/gatebook/' },
  },
];

/** Also of types: two files that need each other are one file, or lack a third. */
const noCircle: IForbiddenRuleType = {
  name: 'no circular imports',
  severity: 'error',
  from: {},
  to: { circular: true },
};

export const rules: readonly IForbiddenRuleType[] = [...Object.entries(rooms).map(roomRule), ...adapters, noCircle];

function roomRule([room, allowed]: [string, readonly string[]]): IForbiddenRuleType {
  const paths = allowed.map((name) => pathOf(name.replace(/^types:/, '')));
  return {
    name: `${room} imports only what it may`,
    severity: 'error',
    from: { path: `^${room}/`, pathNot: [testFiles, ofBuilds] },
    to: { pathNot: [`^${room}/`, ...paths], ...(allowed.includes('node') ? { dependencyTypesNot: ['core'] } : {}) },
  };
}

function pathOf(name: string): string {
  if (name.endsWith('.ts')) return `^${name}$`;
  if (/^(services|sdk)\//.test(name)) return `^${name}/`;
  return `(^|node_modules/)(@types/)?${name.replace('*', '[^/]+')}(/|$)`;
}

/** Value imports where only types may cross. */
export const typeOnly: readonly IForbiddenRuleType[] = Object.entries(rooms).flatMap(([room, allowed]) =>
  allowed
    .filter((name) => name.startsWith('types:'))
    .map((name) => ({
      name: `${room} imports types alone from ${name.replace('types:', '')}`,
      severity: 'error' as const,
      from: { path: `^${room}/src/`, pathNot: [testFiles, '^services/api/src/main[.]ts$'] },
      to: {
        path: pathOf(name.replace('types:', '')),
        // Clients use these values. They bring no zod into a client's bundle.
        pathNot: '^services/contract/src/(production-mode|provider-names)[.]ts$',
        dependencyTypesNot: ['type-only' as const],
      },
    })),
);

/** Every forbidden arrow below `folders` of `baseDir`, as `from → to (rule)`. */
export async function forbiddenImports(
  folders: readonly string[],
  forbidden: readonly IForbiddenRuleType[],
  baseDir = process.cwd(),
): Promise<string[]> {
  const { output } = await cruise([...folders], {
    baseDir,
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    validate: true,
    ruleSet: { forbidden: [...forbidden] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  });
  const { summary } = output as ICruiseResult;
  return summary.violations.map(({ from, to, rule }) => `${from} → ${to} (${rule.name})`);
}
