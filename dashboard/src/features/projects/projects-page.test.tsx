// @vitest-environment happy-dom
import type { Project } from '@gatebook/sdk/projects';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, showPage } from '../../testing/render.tsx';
import { ProjectsPage } from './projects-page.tsx';

const project: Project = {
  id: '00000000-0000-4000-8000-000000000001',
  displayName: 'Acme Shop',
  description: 'The web shop',
  createdAt: new Date(),
  userCount: 1234,
  isProductionMode: true,
  config: {
    ...{ signUpEnabled: true, credentialEnabled: true, magicLinkEnabled: false, passkeyEnabled: false },
    ...{ clientTeamCreationEnabled: false, clientUserDeletionEnabled: false, allowUserApiKeys: false },
    ...{ allowTeamApiKeys: false, allowLocalhost: true, createTeamOnSignUp: false, oauthProviders: [], domains: [] },
  },
};
type Client = Parameters<typeof ProjectsPage>[0]['projects'];
const client = (list: Client['list'], create: Client['create'] = never): Client => ({ list, create });

function show(projects: Client, isCreating = false) {
  const onCreated = vi.fn();
  const onCreating = vi.fn();
  const { gone } = showPage(<ProjectsPage {...{ projects, isCreating, onCreating, onCreated }} />);
  return { gone, onCreated, onCreating };
}

test('while projects are on their way, their places are shown', () => {
  show(client(never));
  expect(screen.getByRole('status', { name: 'Loading projects' })).toBeTruthy();
});

test('without projects it says what to do, and the button opens the dialog', async () => {
  const { onCreating } = show(client(async () => []));
  expect(await screen.findByText('No projects yet')).toBeTruthy();
  fireEvent.click(screen.getAllByRole('button', { name: 'New project' })[0] as HTMLElement);
  expect(onCreating).toHaveBeenCalledWith(true);
});

test('a failure is shown and can be tried again', async () => {
  let isDown = true;
  show(client(async () => (isDown ? Promise.reject(new Error('the gate is stuck')) : [project])));
  expect(await screen.findByText('the gate is stuck')).toBeTruthy();
  isDown = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Acme Shop')).toBeTruthy();
});

test('a project shows its name, users and mode, and leads to its overview', async () => {
  const { gone } = show(client(async () => [project]));
  const link = await screen.findByRole('link', { name: /Acme Shop/ });
  expect(link.textContent).toContain('1,234 users');
  expect(link.textContent).toContain('Production');
  fireEvent.click(link);
  expect(gone).toEqual([`/projects/${project.id}`]);
});

test('a new project needs a name; what the server refuses is said', async () => {
  const create = vi.fn<Client['create']>().mockRejectedValueOnce(new Error('no room')).mockResolvedValue(project);
  const { onCreated } = show(
    client(async () => [], create),
    true,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Create project' }));
  expect(await screen.findByText('Enter a name')).toBeTruthy();
  expect(create).not.toHaveBeenCalled();
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: ' Acme Shop ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Create project' }));
  expect(await screen.findByText('no room')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Create project' }));
  await waitFor(() => expect(onCreated).toHaveBeenCalledWith(project));
  expect(create).toHaveBeenLastCalledWith({ displayName: 'Acme Shop', description: '' });
});
