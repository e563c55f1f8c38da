import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

/** What each template contains, and the variables that it needs. */
export const templates = {
  'vite-react': { title: 'React app with Vite', variable: 'VITE_GATEBOOK_PROJECT_ID' },
  next: { title: 'Next.js app', variable: 'NEXT_PUBLIC_GATEBOOK_PROJECT_ID' },
  'react-router': { title: 'React Router app', variable: 'VITE_GATEBOOK_PROJECT_ID' },
  hono: { title: 'API with Hono', variable: 'GATEBOOK_PROJECT_ID' },
} as const;
export type TemplateName = keyof typeof templates;

export type NewApp = {
  /** An empty folder, or one that does not exist yet. */
  folder: string;
  template: TemplateName;
  /** The folder that contains the templates. */
  source: string;
  /** Version of the packages of Gatebook. */
  version: string;
};

export const isTemplateName = (name: string): name is TemplateName => Object.hasOwn(templates, name);

/** Files that only this repository needs, and generated ones. */
const leftOut: ReadonlySet<string> = new Set([
  ...['node_modules', 'dist', 'build', '.next', 'next-env.d.ts', '.react-router'],
  ...['package-lock.json', '.npmrc', 'README.md'],
]);

/** Copies a template. @throws Error if the folder contains files */
export async function createApp({ folder, template, source, version }: NewApp): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`The folder ${folder} is not empty.`);
  const from = join(source, template);
  await cp(from, folder, { recursive: true, filter: (path) => path === from || !leftOut.has(basename(path)) });
  const manifestFile = join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Manifest;
  manifest.name = packageName(folder);
  manifest.dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).map(([name, range]) => [
      name,
      name.startsWith('@gatebook/') ? `^${version}` : range,
    ]),
  );
  await Promise.all([
    writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`),
    writeFile(
      join(folder, '.gitignore'),
      ['node_modules/', 'dist/', 'build/', '.next/', 'next-env.d.ts', '.react-router/', '.env*.local', ''].join('\n'),
    ),
  ]);
}

type Manifest = { name: string; dependencies: Record<string, string>; [field: string]: unknown };

/** A valid name for a package (docs.npmjs.com: package.json, name). */
function packageName(folder: string): string {
  const name = basename(resolve(folder)).toLowerCase();
  return name.replaceAll(/[^a-z0-9._~-]+/g, '-').replaceAll(/^[-._]+|-+$/g, '') || 'app';
}

/** The commands to run next. */
export function nextSteps(folder: string, template: TemplateName): string {
  return [`  cd ${folder}`, '  npm install', `  ${templates[template].variable}=… npm run dev`].join('\n');
}
