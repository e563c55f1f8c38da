export type Values = {
  apiUrl: string;
  projectId: string;
  /** Null until it is created. */
  secretServerKey: string | null;
  /** Null if the project accepts clients without a key. */
  publishableClientKey: string | null;
  /** Folder of a clone of the repository. */
  clone: string;
  version: string;
};

export type CodeFile = { path: string; code: string };

export type Framework = {
  id: string;
  name: string;
  /** Packages of Gatebook that the app uses. */
  packages: readonly string[];
  /** Begins a new app. */
  create?: string;
  /** Other packages. */
  needs?: string;
  /** The file that the values go into. */
  env: { path: string; lines: (values: Values) => readonly string[] };
  /** Whether the code authenticates with a secret server key. */
  needsSecretKey?: boolean;
  files: readonly CodeFile[];
  run: readonly string[];
  /** What then leads to the first sign-up. */
  outcome: string;
};

/** The code of a file, without the lines about a publishable key that the project does not ask for. */
export const codeOf = ({ code }: CodeFile, { publishableClientKey }: Values): string =>
  publishableClientKey === null ? code.replace(/^.*PUBLISHABLE_CLIENT_KEY.*\n/gm, '') : code;

/** The variables of an app. `prefix`: of those that its bundler gives to the browser. */
export const envLines =
  (prefix = '') =>
  ({ apiUrl, projectId, publishableClientKey }: Values): readonly string[] => [
    `${prefix}GATEBOOK_API_URL=${apiUrl}`,
    `${prefix}GATEBOOK_PROJECT_ID=${projectId}`,
    ...(publishableClientKey === null ? [] : [`${prefix}GATEBOOK_PUBLISHABLE_CLIENT_KEY=${publishableClientKey}`]),
  ];

const missingKey = '…';

/** The variables of a server that authenticates with a secret key. */
export const serverEnvLines =
  (prefix = '') =>
  (values: Values): readonly string[] => [
    ...envLines(prefix)(values),
    `GATEBOOK_SECRET_SERVER_KEY=${values.secretServerKey ?? missingKey}`,
  ];

/** Shell lines that install what the code needs. The packages of Gatebook come from a clone until they are released. */
export function installLines({ create, packages, needs }: Framework, { clone, version }: Values): readonly string[] {
  const files = packages.map((name) => `${clone}/dist/packages/gatebook-${name}-${version}.tgz`);
  return [
    ...(create ? [create] : []),
    ...(packages.length > 0 ? [`npm run build:packages --prefix ${clone}`] : []),
    ...(packages.length > 0 || needs ? [`npm install ${[needs ?? [], files].flat().join(' ')}`] : []),
  ];
}
