import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportsOf } from '../clients/declarations.ts';
import { unpack } from '../clients/packages.ts';
import { createApiClient, type Send } from '../testing/api-client.ts';
import { launchChromium, noChromium } from '../testing/chromium.ts';
import { createOwnedProject, type OwnedProject } from '../testing/owned-project.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';
import type { BuiltPackage } from './build.ts';
import { copyPackages } from './copy-packages.ts';
import { copyExample, runLines, serveLines } from './example-app.ts';
import { linkModule } from './install.ts';
import { typeErrors } from './type-check.ts';

/* Apps that were written for the published packages, with `@gatebook/stack-compat` in their place. */

const readme = fileURLToPath(new URL('../../sdk/stack-compat/README.md', import.meta.url));

/** Exports of `@stackframe/react` without a counterpart. The README gives the reasons. */
const gone = ['CurrentInternalServerUser'];

const components = [
  ...['AccountSettings', 'AuthPage', 'CliAuthConfirmation', 'CredentialSignIn', 'CredentialSignUp'],
  ...['EmailVerification', 'ForgotPassword', 'MagicLinkSignIn', 'MessageCard', 'OAuthButton', 'OAuthButtonGroup'],
  ...['PasswordReset', 'SelectedTeamSwitcher', 'SignIn', 'SignUp', 'StackHandler', 'StackProvider', 'StackTheme'],
  ...['TeamSwitcher', 'UserAvatar', 'UserButton'],
];

let folder: string;
let packages: BuiltPackage[];
let product: Product;
beforeAll(async () => {
  folder = await makePassableFolder('gatebook-compat-');
  [product, packages] = await Promise.all([
    startProduct({ GATEBOOK_DATA_DIR: join(folder, 'data') }),
    copyPackages(join(folder, 'dist/packages')),
  ]);
});
afterAll(async () => {
  await product?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});
const tarballOf = (name: string) => packages.find((each) => each.name === name)?.tarball;

describe('check 23: the declarations of the published package', () => {
  let published: string;
  beforeAll(async () => {
    published = await unpack('@stackframe/react@2.8.108', folder);
  });

  test('have no export that is neither here nor in the list of those that are gone', async () => {
    const theirs = await exportsOf(join(published, 'dist/index.d.ts'));
    const ours = new Set(
      await exportsOf(join(folder, 'dist/packages/node_modules/@gatebook/stack-compat/dist/index.d.ts')),
    );
    expect(theirs.length).toBeGreaterThan(120);
    expect(theirs.filter((name) => !ours.has(name)).sort()).toEqual(gone);
    const text = await readFile(readme, 'utf8');
    for (const name of gone) expect(text).toContain(`\`${name}\``);
  });

  test('have no property of a component that is not here', async () => {
    const app = join(folder, 'dist/packages');
    for (const name of ['react', '@types/react', 'csstype']) await linkModule(app, name);
    const lines = components.map(
      (name) => `export const ${name}: Here<typeof theirs.${name}, typeof ours.${name}> = true;`,
    );
    const source = `import type * as ours from '@gatebook/stack-compat';
      import type * as theirs from '${join(published, 'dist/index.js')}';
      type PropsOf<Component> = Component extends (props: infer Props) => unknown ? Props : never;
      type Missing<Theirs, Ours> = Exclude<keyof PropsOf<Theirs>, keyof PropsOf<Ours>>;
      type Here<Theirs, Ours> = [Missing<Theirs, Ours>] extends [never] ? true : Missing<Theirs, Ours>;
      ${lines.join('\n')}`;
    await writeFile(join(app, 'properties.ts'), source);
    expect(await typeErrors(app, 'bundler', ['properties.ts'], { skipLibCheck: true })).toBe('');
  });
});

const email = 'ann@example.com';
const password = 'a long passphrase';

/** What people do in both apps: sign up, choose a team, open the settings, sign out and in again. */
async function useApp(url: string, { send, project }: { send: Send; project: OwnedProject }): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${url}/handler/sign-up`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Repeat password').fill(password);
    await page.getByRole('button', { name: 'Sign up', exact: true }).click();
    await page.getByText(`Signed in as ${email}`).waitFor();

    const { body: users } = await send('GET', `/users?query=${email}`, { access: 'server', ...project });
    const team = { display_name: 'Red', creator_user_id: users.items[0].id };
    await send('POST', '/teams', { access: 'server', ...project, body: team });
    await page.reload();
    await page.getByRole('button', { name: 'Team: Select team' }).click();
    await page.getByRole('menuitemradio', { name: 'Red' }).click();
    await page.getByRole('button', { name: 'Team: Red' }).click();
    await page.getByRole('menuitem', { name: 'Team settings' }).click();
    await page.getByRole('heading', { name: 'Red', exact: true }).waitFor();
    await page.getByLabel('Email').fill('bob@example.com');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('Invitation sent to bob@example.com.').waitFor();
    await page.goto(url);

    await page.getByRole('link', { name: 'Account settings' }).click();
    await page.getByRole('heading', { name: 'Account settings' }).waitFor();
    await page.goto(`${url}/handler/sign-out`);
    await page.getByText('You are signed out.').waitFor();
    await page.goto(`${url}/handler/sign-in`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(`Signed in as ${email}`).waitFor();
    await page.goto(`${url}/protected`);
    await page.getByText('Only signed-in users see this page.').waitFor();
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
}

/** The same apps with the published packages are used in `react-app.campaign` and `nextjs-app.campaign`. */
const apps = [
  {
    example: 'react-vite',
    replaced: '@stackframe/react',
    siblings: ['@gatebook/js', '@gatebook/react'],
    start: 'npx vite --strictPort --port $PORT',
    variablesFor: (url: string, { projectId }: OwnedProject) => ({
      VITE_GATEBOOK_URL: url,
      VITE_GATEBOOK_PROJECT_ID: projectId,
    }),
    browserFiles: 'dist',
  },
  {
    example: 'nextjs',
    replaced: '@stackframe/stack',
    siblings: ['@gatebook/js', '@gatebook/react', '@gatebook/node', '@gatebook/next'],
    start: 'npm start -- --port $PORT',
    variablesFor: (url: string, { projectId, keys }: OwnedProject) => ({
      NEXT_PUBLIC_STACK_API_URL: url,
      NEXT_PUBLIC_STACK_PROJECT_ID: projectId,
      STACK_SECRET_SERVER_KEY: keys.server,
      NEXT_TELEMETRY_DISABLED: '1',
    }),
    browserFiles: '.next/static',
  },
];

describe.each(apps)('examples/$example with an alias of $replaced', (app) => {
  let project: OwnedProject;
  let send: Send;
  let directory: string;
  let variables: Record<string, string>;
  beforeAll(async () => {
    send = createApiClient(product.url, internalKeys);
    project = await createOwnedProject(send);
    directory = await copyExample(folder, app.example);
    variables = app.variablesFor(product.url, project);
    const alias = `${app.replaced}@file:${tarballOf('@gatebook/stack-compat')}`;
    const siblings = app.siblings.map(tarballOf).join(' ');
    await runLines(directory, ['rm package-lock.json', `npm install ${alias} ${siblings}`, 'npm run build'], variables);
  }, 2 * testDeadlineMs);

  // The app of a browser contains that of owners, for the project `internal`.
  test.runIf(app.example === 'nextjs')('check 24: hands browsers neither keys nor modules of servers', async () => {
    const files = await readdir(join(directory, app.browserFiles), { recursive: true, withFileTypes: true });
    const scripts = files.filter(({ name }) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(0);
    for (const { parentPath, name } of scripts) {
      const code = await readFile(join(parentPath, name), 'utf8');
      for (const secret of [project.keys.server, '/emails/delivery-info']) expect(code).not.toContain(secret);
    }
  });

  test.skipIf(noChromium)(
    `check 23: works without a change of its code${noChromium ? ` (left out: ${noChromium})` : ''}`,
    async () => {
      const port = await findFreePort();
      const url = `http://localhost:${port}`;
      const server = await serveLines(directory, [app.start], url, { ...variables, PORT: String(port) });
      try {
        await useApp(url, { send, project });
      } finally {
        await server.stop();
      }
    },
  );
});
