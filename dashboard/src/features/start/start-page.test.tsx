// @vitest-environment happy-dom
import { defaultProjectConfig } from '@gatebook/domain/project/config';
import type { FirstRequest, NewProjectKey, Project, ProjectClient, ProjectSettings } from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { features } from './features-card.tsx';
import { frameworks } from './frameworks.ts';
import { StartPage } from './start-page.tsx';

type Events = Pick<EventMethods, 'listEvents' | 'followEvents'>;
const sampleSettings = { keylessClientsAllowed: true } as ProjectSettings;
const created: NewProjectKey = {
  id: 'k1',
  description: 'Get started',
  createdAt: new Date(),
  expiresAt: new Date(),
  texts: { publishableClientKey: 'pck_new', secretServerKey: 'ssk_new', superSecretAdminKey: null },
};
const noEvents: Events = {
  listEvents: async () => ({ items: [], nextAfter: 'c1', hasMore: false, headAfter: 'c1' }),
  followEvents: async function* () {
    yield await pending<never>();
  },
};

type Given = {
  events?: Events;
  create?: (input: object) => Promise<NewProjectKey>;
  settings?: Partial<ProjectSettings>;
  update?: ProjectClient['update'];
  project?: Partial<Project>;
  findFirstRequest?: () => Promise<FirstRequest>;
};

function show({
  events = noEvents,
  create = never,
  settings = {},
  update = never,
  project = {},
  ...given
}: Given = {}) {
  const { findFirstRequest = never } = given;
  const refresh = vi.fn(async () => {});
  const client = { update, findSettings: async () => ({ ...sampleSettings, ...settings }) };
  const value = sampleProject({ userCount: 0, ...project });
  renderPage(
    <StartPage
      client={client}
      keys={{ create, findFirstRequest }}
      events={events}
      project={{ value, error: undefined, isFetching: false, refresh }}
      projectId="p1"
      apiUrl="http://gatebook.test"
      version="0.1.0"
    />,
  );
  return { refresh };
}

const connect = () => screen.findByRole('region', { name: 'Connect your app' });

test('the code of React has the values of the project and installs packages of the clone', async () => {
  show();
  const card = await connect();
  await within(card).findByText(/VITE_GATEBOOK_API_URL=http:\/\/gatebook.test\s+VITE_GATEBOOK_PROJECT_ID=p1$/);
  expect(card.textContent).toContain(
    'npm install ~/gatebook/dist/packages/gatebook-js-0.1.0.tgz ~/gatebook/dist/packages/gatebook-react-0.1.0.tgz',
  );
  fireEvent.change(within(card).getByLabelText('Gatebook folder'), { target: { value: '/src/gb' } });
  expect(card.textContent).toContain('npm run build:packages --prefix /src/gb');
  expect(within(card).queryByRole('button', { name: 'Create key and fill it in' })).toBeNull();
});

test('every framework has its own code', async () => {
  show();
  const card = await connect();
  const names = frameworks.map(({ name }) => name);
  expect(names).toEqual(['React', 'Next.js', 'Vue', 'Svelte', 'Express', 'JavaScript', 'Python', 'Go', 'curl']);
  for (const { name, files } of frameworks) {
    const button = within(card).getByRole('button', { name });
    fireEvent.click(button);
    expect(button.getAttribute('aria-pressed')).toBe('true');
    for (const { path, code } of files) {
      within(card).getByRole('button', { name: `Copy ${path}` });
      expect(card.textContent).toContain(code.replace(/^.*PUBLISHABLE_CLIENT_KEY.*\n/gm, ''));
    }
    expect(card.textContent).not.toMatch(/publishable.client.key/i);
  }
});

test('a secret key is created on request and filled in', async () => {
  const create = vi.fn(async (_input: object) => created);
  show({ create });
  const card = await connect();
  fireEvent.click(within(card).getByRole('button', { name: 'Python' }));
  expect(card.textContent).toContain('GATEBOOK_SECRET_SERVER_KEY=…');
  fireEvent.click(within(card).getByRole('button', { name: 'Create key and fill it in' }));
  await within(card).findByText(/GATEBOOK_SECRET_SERVER_KEY=ssk_new/);
  expect(create).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ description: 'Get started', kinds: ['secretServerKey'] }),
  );
  expect(card.textContent).toContain('You won’t be able to see it again');
});

test('browsers get a publishable key if the project rejects clients without one', async () => {
  const create = vi.fn(async (_input: object) => created);
  show({ create, settings: { keylessClientsAllowed: false } });
  const card = await connect();
  fireEvent.click(within(card).getByRole('button', { name: 'Create key and fill it in' }));
  await within(card).findByText(/VITE_GATEBOOK_PUBLISHABLE_CLIENT_KEY=pck_new/);
  expect(card.textContent).toContain('publishableClientKey: import.meta.env.VITE_GATEBOOK_PUBLISHABLE_CLIENT_KEY,');
  expect(card.textContent).not.toContain('ssk_new');
});

test('says that sign-up is closed before the code is run', async () => {
  const { config } = sampleProject();
  show({ project: { config: { ...config, signUpEnabled: false } } });
  await within(await connect()).findByText('Users cannot sign up with a password');
});

test('waits for the first sign-up and shows it, with the checklist refreshed', async () => {
  let arrive: (event: unknown) => void = () => {};
  const arrival = new Promise((resolve) => {
    arrive = resolve;
  });
  const followed: unknown[] = [];
  const events = {
    ...noEvents,
    followEvents: async function* (options: object) {
      followed.push(options);
      yield await arrival;
    },
  } as unknown as Events;
  const { refresh } = show({ events });
  const card = await screen.findByRole('region', { name: 'First sign-up' });
  expect(card.textContent).toContain('Waiting for the first sign-up');
  await vi.waitFor(() => expect(followed).toMatchObject([{ after: 'c1', types: ['user.created'] }]));
  arrive({ type: 'user.created', data: { id: 'u1', display_name: null, primary_email: 'ann@mail.example' } });
  const link = await within(card).findByRole('link', { name: 'ann@mail.example' });
  expect(link.getAttribute('href')).toBe('/projects/p1/users/u1');
  expect(refresh).toHaveBeenCalledOnce();
});

test('waits for the first request, says why one was rejected, and shows what sent the accepted one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 500 });
  const latestRejection = {
    requestId: 'r1',
    at: new Date(),
    errorCode: 'INVALID_PUBLISHABLE_CLIENT_KEY',
    route: 'GET /api/v1/users/me',
    reason: 'The key is not valid.',
  };
  let found: FirstRequest = { firstRequest: null, latestRejection };
  show({ findFirstRequest: async () => found });
  const card = await screen.findByRole('region', { name: 'First request' });
  await within(card).findByText(/Waiting for the first request/);
  expect(card.textContent).toContain('INVALID_PUBLISHABLE_CLIENT_KEY: The key is not valid.');
  const why = within(card).getByRole('link', { name: 'Show why it was rejected' });
  expect(why.getAttribute('href')).toBe('/projects/p1/rejections/r1');
  const key = { id: 'k1', description: 'Website' };
  const firstRequest = { at: new Date(), accessType: 'client', key, client: 'js @gatebook/js@0.1.0' } as const;
  found = { firstRequest, latestRejection: null };
  await within(card).findByText('js @gatebook/js@0.1.0');
  expect(within(card).getByRole('link', { name: 'Website' }).getAttribute('href')).toBe('/projects/p1/settings/keys');
  expect(card.textContent).not.toContain('INVALID_PUBLISHABLE_CLIENT_KEY');
  vi.useRealTimers();
});

test('the sign-in can be tried without an app', async () => {
  show();
  const link = await screen.findByRole('link', { name: 'Try the sign-in pages' });
  expect(link.getAttribute('href')).toBe('/handler/sign-up?project_id=p1');
  expect(link.getAttribute('target')).toBe('_blank');
});

test.each([
  ['the project rejects clients without a key', { settings: { keylessClientsAllowed: false } }],
  ['sign-up is closed', { project: { config: { ...sampleProject().config, signUpEnabled: false } } }],
] as const)('the sign-in is not offered for a try if %s', async (_, given) => {
  show(given);
  await connect();
  expect(screen.queryByRole('link', { name: 'Try the sign-in pages' })).toBeNull();
});

test('the wait for the first sign-up can be tried again after a failure', async () => {
  let calls = 0;
  const listEvents: Events['listEvents'] = async (options) => {
    calls += 1;
    if (calls === 1) throw new Error('offline');
    return noEvents.listEvents(options);
  };
  show({ events: { ...noEvents, listEvents } });
  const card = await screen.findByRole('region', { name: 'First sign-up' });
  fireEvent.click(await within(card).findByRole('button', { name: 'Try again' }));
  await within(card).findByText(/Waiting for the first sign-up/);
  expect(calls).toBe(2);
});

test('the checklist is derived from the project', async () => {
  show({ project: { userCount: 3 } });
  const list = await screen.findByRole('region', { name: 'Before you go live' });
  expect(list.textContent).toContain('1 of 6 steps done');
  expect(within(list).queryByRole('link', { name: 'Sign up the first user' })).toBeNull();
  expect(within(list).getByRole('link', { name: 'Add the domain of your app' }).getAttribute('href')).toBe(
    '/projects/p1/settings/domains',
  );
});

test('offers the features that are off in a new project', async () => {
  const offAtFirst = Object.entries(defaultProjectConfig).flatMap(([name, value]) => (value === false ? [name] : []));
  expect(features.map(({ name }) => name).sort()).toEqual(offAtFirst.sort());
  const update = vi.fn(async () => sampleProject());
  show({ update });
  expect(await screen.findAllByRole('switch')).toHaveLength(features.length);
  fireEvent.click(screen.getByRole('switch', { name: /^Email code/ }));
  fireEvent.click(await screen.findByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith({ config: { magicLinkEnabled: true } }));
});
