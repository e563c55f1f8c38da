// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';

test.each([
  [undefined, 'p1', 'Loading project. Switch project'],
  [[{ id: 'p1', displayName: 'Acme' }], 'p1', 'Acme. Switch project'],
  [[{ id: 'p1', displayName: 'Acme' }], 'p2', 'Select a project. Switch project'],
  [undefined, null, 'Select a project. Switch project'],
])('with projects %j and the current one %j, it is called “%s”', (projects, currentId, name) => {
  renderPage(<ProjectSwitcher projects={projects} currentId={currentId} />);
  expect(screen.getByRole('button', { name })).toBeTruthy();
});
