import { test } from 'vitest';
import { given } from '../spec.ts';
import { projectClosureDecider } from './decide.ts';
import type { ProjectClosureEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const close = { type: 'CloseProject', projectId: 'shop', at } as const;
const closed: ProjectClosureEvent = { type: 'ProjectClosed', data: { projectId: 'shop', at } };

test('a project is closed', () => given(projectClosureDecider).when(close).then(closed));
test('a closed project is not closed again', () => given(projectClosureDecider, closed).when(close).then());
