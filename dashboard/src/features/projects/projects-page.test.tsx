// @vitest-environment happy-dom
import type { OwnedProjectsClient } from '@gatebook/js/admin';
import { AnswerError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { ProjectsPage } from './projects-page.tsx';

function show(projects: Partial<OwnedProjectsClient>, isCreating = false, onCreated = vi.fn()) {
  const client = { list: never, create: never, transfer: never, listDeleted: never, ...projects };
  const onCreating = vi.fn();
  renderPage(<ProjectsPage projects={client} isCreating={isCreating} onCreating={onCreating} onCreated={onCreated} />);
  return { onCreating, onCreated };
}

test('shows a loading state', () => {
  show({ list: () => pending<never>() });
  expect(screen.getByRole('status', { name: 'Loading projects' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const list = vi
    .fn()
    .mockRejectedValueOnce(new AnswerError('u', 500, '', 'req1'))
    .mockResolvedValue([sampleProject()]);
  show({ list });
  expect((await screen.findByRole('alert')).textContent).toContain('req1');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'Acme Shop' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('an empty list of projects offers to create one', async () => {
  const { onCreating } = show({ list: async () => [] });
  const note = (await screen.findByRole('heading', { name: 'No projects yet' })).closest('section');
  fireEvent.click(within(note ?? document.body).getByRole('button', { name: 'Create project' }));
  expect(onCreating).toHaveBeenCalledWith(true);
});

test('each project is a link with its user count', async () => {
  show({ list: async () => [sampleProject(), sampleProject({ id: 'p2', displayName: '', userCount: 1 })] });
  await screen.findByRole('heading', { name: 'Acme Shop' });
  const [, first, second] = screen.getAllByRole('link');
  expect(first?.getAttribute('href')).toBe('/projects/p1');
  expect(first?.textContent).toContain('1,234 users');
  expect(second?.textContent).toContain('p2');
  expect(second?.textContent).toContain('1 user');
  expect(second?.textContent).not.toContain('1 users');
});

test('a new project gets its trimmed name and is opened', async () => {
  const created = sampleProject({ id: 'p9' });
  const create = vi.fn(async () => created);
  const { onCreated } = show({ list: async () => [], create }, true);
  const dialog = await screen.findByRole('dialog', { name: 'Create project' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create project' }));
  expect(await within(dialog).findByText('Enter a name')).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: ' Acme ' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create project' }));
  await vi.waitFor(() => expect(onCreated).toHaveBeenCalledWith(created));
  expect(create).toHaveBeenCalledExactlyOnceWith({ displayName: 'Acme', description: '' });
});
